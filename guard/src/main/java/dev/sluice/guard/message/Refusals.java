package dev.sluice.guard.message;

import dev.sluice.guard.Denial;
import dev.sluice.guard.Released;
import dev.sluice.guard.Ticket;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The form of a refusal: what the client takes as an answer to that method, and the model can read. */
public final class Refusals {

    private Refusals() {}

    /** Returns what takes the place of an answer that asks for something, of which the policy takes out what is asked. */
    public static byte[] ofQuestion(RpcId id, Ticket ticket, Released released) {
        String why = "the server `" + ticket.upstream().name()
                + "` asks for something before it answers, and the policy keeps what it asks from the client";
        return ticket.method().equals(Methods.TOOLS_CALL)
                ? RpcWriter.result(id, RpcWriter.toolError(why, released.meta()))
                : RpcWriter.failure(id, RpcWriter.DENIED, why, released.meta());
    }

    /** Returns why an answer is lost that asks for something, though its request is one that nothing judges. */
    public static String asksInPlain(String method) {
        return "it asks for something in the answer to `" + method + "`, where no server may";
    }

    public static byte[] of(RpcMessage.Request request, Denial denial) {
        return switch (request.method()) {
            case Methods.TOOLS_CALL ->
                RpcWriter.result(request.id(), RpcWriter.toolError(denial.toModel(), denial.meta()));
            case Methods.COMPLETE -> {
                ObjectNode nothing = JsonNodeFactory.instance.objectNode();
                nothing.putObject("completion").putArray("values");
                yield RpcWriter.result(request.id(), nothing);
            }
            default -> RpcWriter.failure(request.id(), RpcWriter.DENIED, denial.toModel(), denial.meta());
        };
    }
}
