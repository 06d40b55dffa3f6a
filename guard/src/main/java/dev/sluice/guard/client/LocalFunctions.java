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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Functions of the agent's own process as the tools of a server that policy can name, in one conversation: a call takes the
 * way of every other call, without a connection. Made by {@link Conversation#functions}. Safe for use by several threads.
 *
 * <p>A call holds its thread until it is over, also while a person is asked: frameworks call functions so, and wait for what they
 * return. Where an event loop would be held up, such as Reactor's, call on a thread that may wait.
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

    /** The same where more is given than one text. */
    @FunctionalInterface
    public interface BodyOfParts {

        /**
         * Returns what the function gives.
         *
         * @param arguments the arguments, a JSON object, with values in place of their handles
         */
        Given run(String arguments);
    }

    /** One part of what a function gives. */
    public sealed interface Part {

        /** Words. */
        record Text(String text) implements Part {}

        /**
         * An image.
         *
         * @param data in Base64
         * @param mimeType what is in it, such as {@code image/png}
         */
        record Image(String data, String mimeType) implements Part {}
    }

    /**
     * What a function gives.
     *
     * @param isError whether it says itself that it failed
     */
    public record Given(List<Part> parts, boolean isError) {
        public Given {
            parts = List.copyOf(parts);
        }
    }

    /** What becomes of a call. */
    public sealed interface Outcome {

        /** Returns the text for the model: that, or the parts, and nothing else may reach it. */
        String text();

        /**
         * The function ran.
         *
         * @param given what it gave, as far as policy left it
         * @param isWhole whether policy left all of it
         */
        record Answered(Given given, boolean isWhole) implements Outcome {
            @Override
            public String text() {
                return LocalFunctions.text(given.parts());
            }
        }

        /**
         * It threw.
         *
         * @param text its words and those of its causes, as far as policy left them
         * @param fault what it threw; it may reach a model only where {@code isWhole} says so
         * @param isWhole whether policy left all the words
         */
        record Failed(String text, RuntimeException fault, boolean isWhole) implements Outcome {}

        /** The call, or its answer, was refused: {@code text} says why. */
        record Refused(String text) implements Outcome {}
    }

    /** Of causes, in case they go round. */
    private static final int MOST_CAUSES = 50;

    private final Map<String, String> offered = new TreeMap<>();
    private final AtomicLong count = new AtomicLong();
    private final Line line;

    LocalFunctions(Conversation conversation, String server) {
        this.line = conversation.connect(server, this::answer);
    }

    /**
     * Calls a function that gives a text.
     *
     * @param arguments what the model wrote
     * @throws IllegalStateException where no call can be made, for instance since the state can't be read
     */
    public Outcome call(Function function, String arguments, Body body) {
        return callForParts(
                function, arguments, given -> new Given(List.of(new Part.Text(textOrNone(body.run(given)))), false));
    }

    /** Other people's functions return null, whatever is said of them. */
    private static String textOrNone(@Nullable String text) {
        return text == null ? "" : text;
    }

    /**
     * Calls a function that gives parts.
     *
     * @param arguments what the model wrote
     * @throws IllegalStateException where no call can be made, for instance since the state can't be read
     */
    public Outcome callForParts(Function function, String arguments, BodyOfParts body) {
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

    private Outcome run(RpcId id, String arguments, BodyOfParts body) {
        Given given;
        RuntimeException fault = null;
        try {
            given = body.run(arguments);
        } catch (RuntimeException e) {
            fault = e;
            given = new Given(List.of(new Part.Text(words(e))), true);
        }
        Step step = line.fromServer(("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"result\":" + written(given) + "}")
                .getBytes(StandardCharsets.UTF_8));
        if (!(step instanceof Step.Pass pass)
                || !(RpcMessage.parse(pass.message()) instanceof RpcMessage.Result released)) {
            return refused(step);
        }
        Given shown = new Given(parts(released.result()), isError(released.result()));
        if (fault != null) {
            return new Outcome.Failed(text(shown.parts()), fault, shown.equals(given));
        }
        return shown.isError() && !given.isError()
                ? new Outcome.Refused(text(shown.parts()))
                : new Outcome.Answered(shown, shown.equals(given));
    }

    /** Frameworks tell a model of a fault or of what caused it, so that the words of all of them count. */
    private static String words(RuntimeException fault) {
        Set<String> words = new LinkedHashSet<>();
        Throwable each = fault;
        for (int i = 0; each != null && i < MOST_CAUSES; i++) {
            String message = each.getMessage();
            if (message != null && !message.isBlank()) {
                words.add(message);
            }
            each = each.getCause();
        }
        return words.isEmpty() ? fault.getClass().getName() : String.join("\n", words);
    }

    private static String written(Given given) {
        ObjectNode result = JSON.objectNode().put("isError", given.isError());
        ArrayNode content = result.putArray("content");
        for (Part part : given.parts()) {
            if (part instanceof Part.Image image) {
                content.addObject()
                        .put("type", "image")
                        .put("data", image.data())
                        .put("mimeType", image.mimeType());
            } else {
                content.addObject().put("type", "text").put("text", ((Part.Text) part).text());
            }
        }
        // Policy can name parts of what has parts.
        Optional<String> structured =
                !given.isError() && given.parts().size() == 1 && given.parts().get(0) instanceof Part.Text only
                        ? object(only.text())
                        : Optional.empty();
        String written = result.toString();
        return structured
                .map(value -> written.substring(0, written.length() - 1) + ",\"structuredContent\":" + value + "}")
                .orElse(written);
    }

    private static Outcome refused(Step step) {
        byte[] message = step instanceof Step.Reply reply
                ? reply.message()
                : step instanceof Step.Pass pass ? pass.message() : new byte[0];
        if (message.length > 0) {
            RpcMessage parsed = RpcMessage.parse(message);
            if (parsed instanceof RpcMessage.Result result) {
                return new Outcome.Refused(text(parts(result.result())));
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

    private static List<Part> parts(Value result) {
        List<Part> parts = new ArrayList<>();
        for (Value block : result.member("content").map(Value::elements).orElse(List.of())) {
            parts.add(
                    string(block, "type").equals("image")
                            ? new Part.Image(string(block, "data"), string(block, "mimeType"))
                            : new Part.Text(string(block, "text")));
        }
        return parts;
    }

    private static String string(Value block, String member) {
        return block.member(member)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }

    private static String text(List<Part> parts) {
        return parts.stream()
                .map(part -> part instanceof Part.Text text ? text.text() : "")
                .filter(text -> !text.isEmpty())
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
