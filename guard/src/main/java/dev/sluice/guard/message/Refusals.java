package dev.sluice.guard.message;

import dev.sluice.guard.Denial;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The form of a refusal: what the client takes as an answer to that method, and the model can read. */
public final class Refusals {

    private Refusals() {}

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
