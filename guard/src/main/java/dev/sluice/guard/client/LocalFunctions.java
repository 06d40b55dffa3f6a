package dev.sluice.guard.client;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Functions of the agent's own process as the tools of a server that policy can name, in one conversation: a call takes the
 * way of every other call, without a connection. Made by {@link Conversation#functions}. Safe for use by several threads.
 */
public final class LocalFunctions {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /**
     * What a model is told of a function.
     *
     * @param name its name, which rules in the policy use
     * @param description what it does
     * @param inputSchema the JSON Schema of its arguments, as JSON text
     */
    public record Function(String name, String description, String inputSchema) {}

    /** What runs when a call is let through. */
    @FunctionalInterface
    public interface Body {

        /**
         * Returns what the function gives.
         *
         * @param arguments the arguments, a JSON object, with values in place of their handles
         */
        String run(String arguments);
    }

    /** What becomes of a call. */
    public sealed interface Outcome {

        /** Returns the text for the model: that and nothing else may reach it. */
        String text();

        /** The function ran. */
        record Answered(String text) implements Outcome {}

        /**
         * It threw.
         *
         * @param fault what it threw; its own words are those of {@code text} only where {@code isWhole} says so
         * @param isWhole whether policy left the words as they were
         */
        record Failed(String text, RuntimeException fault, boolean isWhole) implements Outcome {}

        /** The call, or its answer, was refused: {@code text} says why. */
        record Refused(String text) implements Outcome {}
    }

    private final Map<String, String> offered = new TreeMap<>();
    private final AtomicLong count = new AtomicLong();
    private final Line line;

    LocalFunctions(Conversation conversation, String server) {
        this.line = conversation.connect(server, this::answer);
    }

    /**
     * Calls a function.
     *
     * @param arguments what the model wrote
     * @throws IllegalStateException where no call can be made, for instance since the conversation is over
     */
    public Outcome call(Function function, String arguments, Body body) {
        Optional<String> given = object(arguments.isBlank() ? "{}" : arguments);
        if (given.isEmpty()) {
            return new Outcome.Refused("the arguments of `" + function.name() + "` are no JSON object; call it again");
        }
        offer(function);
        RpcId id = RpcId.ofText("call-" + count.incrementAndGet());
        byte[] request = RpcWriter.request(
                id,
                Methods.TOOLS_CALL,
                "{\"name\":" + JSON.stringNode(function.name()) + ",\"arguments\":" + given.get() + "}");
        Step step = decided(request);
        if (!(step instanceof Step.Pass pass)) {
            return refused(step);
        }
        try {
            return run(id, expanded(pass.message()), body);
        } finally {
            line.forget(request); // where an error came in between
        }
    }

    private Step decided(byte[] request) {
        try {
            return line.fromClient(request).toCompletableFuture().get();
        } catch (InterruptedException e) {
            line.forget(request);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the call was decided", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the call can't be decided", e);
        }
    }

    private Outcome run(RpcId id, String arguments, Body body) {
        String text;
        RuntimeException fault = null;
        try {
            text = body.run(arguments);
        } catch (RuntimeException e) {
            fault = e;
            text = e.getMessage() == null ? "" : e.getMessage();
        }
        JsonNode result = JSON.objectNode()
                .put("isError", fault != null)
                .set(
                        "content",
                        JSON.arrayNode()
                                .add(JSON.objectNode().put("type", "text").put("text", text)));
        String written = result.toString();
        // Policy can name parts of what has parts.
        Optional<String> structured = fault == null ? object(text) : Optional.empty();
        String whole = structured
                .map(value -> written.substring(0, written.length() - 1) + ",\"structuredContent\":" + value + "}")
                .orElse(written);
        Step step = line.fromServer(("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"result\":" + whole + "}")
                .getBytes(StandardCharsets.UTF_8));
        if (!(step instanceof Step.Pass pass)
                || !(RpcMessage.parse(pass.message()) instanceof RpcMessage.Result released)) {
            return refused(step);
        }
        String shown = text(released.result());
        if (fault != null) {
            return new Outcome.Failed(shown, fault, shown.equals(text));
        }
        return isError(released.result()) ? new Outcome.Refused(shown) : new Outcome.Answered(shown);
    }

    private static Outcome refused(Step step) {
        byte[] message = step instanceof Step.Reply reply
                ? reply.message()
                : step instanceof Step.Pass pass ? pass.message() : new byte[0];
        if (message.length > 0) {
            RpcMessage parsed = RpcMessage.parse(message);
            if (parsed instanceof RpcMessage.Result result) {
                return new Outcome.Refused(text(result.result()));
            }
            if (parsed instanceof RpcMessage.Failure failure) {
                throw new IllegalStateException(
                        failure.error().tree().path("message").asString("the call was refused"));
            }
        }
        throw new IllegalStateException("the call was taken back");
    }

    private static String expanded(byte[] call) {
        return JsonIndex.parse(call)
                .root()
                .pointer("/params/arguments")
                .orElseThrow()
                .raw();
    }

    private static boolean isError(Value result) {
        return result.member("isError")
                .filter(value -> value.kind() == Kind.TRUE)
                .isPresent();
    }

    private static String text(Value result) {
        return result.member("content").stream()
                .flatMap(content -> content.elements().stream())
                .flatMap(block -> block.member("text").stream())
                .filter(text -> text.kind() == Kind.STRING)
                .map(Value::string)
                .collect(Collectors.joining("\n"));
    }

    /** Returns a JSON object as it was written; empty where {@code text} is none. */
    private static Optional<String> object(@Nullable String text) {
        if (text == null || !text.stripLeading().startsWith("{")) {
            return Optional.empty();
        }
        try {
            return Optional.of(JsonIndex.parse(text.getBytes(StandardCharsets.UTF_8))
                            .root())
                    .filter(value -> value.kind() == Kind.OBJECT)
                    .map(Value::raw);
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private void offer(Function function) {
        String tool = "{\"name\":" + JSON.stringNode(function.name()) + ",\"description\":"
                + JSON.stringNode(function.description()) + ",\"inputSchema\":"
                + object(function.inputSchema()).orElse("{\"type\":\"object\"}") + "}";
        synchronized (offered) {
            if (tool.equals(offered.put(function.name(), tool))) {
                return;
            }
        }
        line.fromServer(("{\"jsonrpc\":\"2.0\",\"method\":\"" + Methods.TOOLS_CHANGED + "\"}")
                .getBytes(StandardCharsets.UTF_8));
    }

    /** Answers what the line itself asks. */
    private CompletionStage<?> answer(byte[] message) {
        if (RpcMessage.parse(message) instanceof RpcMessage.Request request) {
            List<String> tools;
            synchronized (offered) {
                tools = List.copyOf(offered.values());
            }
            line.fromServer(
                    request.method().equals(Methods.TOOLS_LIST)
                            ? ("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"result\":{\"tools\":["
                                            + String.join(",", tools) + "]}}")
                                    .getBytes(StandardCharsets.UTF_8)
                            : RpcWriter.failure(request.id(), RpcWriter.METHOD_NOT_FOUND, "no such method"));
        }
        return CompletableFuture.completedFuture(null);
    }
}
