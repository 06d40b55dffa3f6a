package dev.sluice.gateway;

import dev.sluice.gateway.proxy.Discovery;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.ServerEra;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Questions to one server, one at a time, and its answers. What the server asks is answered with nothing: no roots, and
 * no method of any other name.
 */
final class Interview implements UpstreamLink.Receiver {

    private static final int LONGEST_QUOTE = 200;

    /** Nobody needs more than one answer; a server that sends many must not fill the memory. */
    private static final int MOST_WAITING = 1_000;

    /** What came: an answer, or why none will. */
    private record Came(RpcMessage answer, String gone) {}

    private static final RpcMessage NOTHING =
            RpcMessage.parse("{\"jsonrpc\":\"2.0\",\"method\":\"-\"}".getBytes(StandardCharsets.UTF_8));

    private static final RpcId NOBODYS = RpcId.ofText("");

    private final String name;
    private final UpstreamLink link;
    private final Duration patience;

    /** Where a person finds more, behind what is wrong. */
    private final String logged;

    private final BlockingQueue<Came> came = new LinkedBlockingQueue<>(MOST_WAITING);
    private volatile boolean toolsChanged;
    private volatile RpcId asked = NOBODYS;
    private volatile String refusal = "";

    /** What requests say of the client, where the server wants to be told with each; else null. */
    private @Nullable ObjectNode client;

    private int ids;

    /** Takes whether the server is started here, so that its log is ours. */
    Interview(String name, UpstreamLink link, boolean started, Duration patience) {
        this.name = name;
        this.link = link;
        this.patience = patience;
        this.logged = started ? "; what it wrote to its log stands above" : "";
    }

    /**
     * Asks, and returns the answer.
     *
     * @throws IOException where none comes, or the server refuses
     */
    RpcMessage.Result ask(String method, JsonNode params) throws IOException {
        RpcMessage answer = answer(method, params);
        if (answer instanceof RpcMessage.Result result) {
            return result;
        }
        throw refused(method, (RpcMessage.Failure) answer);
    }

    /**
     * Says hello, by whichever revision the server speaks, and returns what it says of itself, as the answer to a handshake.
     *
     * @param hello the parameters of a handshake
     */
    JsonNode greet(JsonNode hello, ServerEra era) throws IOException {
        if (era != ServerEra.MODERN) {
            RpcMessage answer = answerOrRefusal("initialize", hello, patience);
            if (answer instanceof RpcMessage.Result result) {
                return result.result().tree();
            }
            if (era == ServerEra.LEGACY) {
                throw refused("initialize", answer);
            }
            ObjectNode said = Discovery.client(hello, JsonNodeFactory.instance.missingNode());
            RpcMessage discovered;
            try {
                discovered = answerOrRefusal("server/discover", Discovery.params(said), shorter(Discovery.PATIENCE));
            } catch (IOException e) {
                throw refused("initialize", answer);
            }
            Discovery found = Discovery.of(discovered);
            if (found.word() == Discovery.Word.LEGACY) {
                throw refused("initialize", answer);
            }
            return discovered(said, discovered, found);
        }
        ObjectNode said = Discovery.client(hello, JsonNodeFactory.instance.missingNode());
        RpcMessage discovered = answerOrRefusal("server/discover", Discovery.params(said), patience);
        if (Discovery.isToBeAskedAgain(discovered)) {
            discovered = answerOrRefusal("server/discover", Discovery.params(said), patience);
        }
        return discovered(said, discovered, Discovery.of(discovered));
    }

    private Duration shorter(Duration other) {
        return patience.compareTo(other) < 0 ? patience : other;
    }

    private JsonNode discovered(ObjectNode said, RpcMessage answer, Discovery found) throws IOException {
        if (found.word() != Discovery.Word.MODERN || !(answer instanceof RpcMessage.Result result)) {
            throw fault(found.why());
        }
        client = said;
        return Discovery.handshake(result.result().tree(), RequestMeta.REVISION);
    }

    /** Returns whether the server takes notifications that only come with a handshake. */
    boolean isModern() {
        return client != null;
    }

    /** The same; empty where the server does not know the method. */
    Optional<RpcMessage.Result> askIfKnown(String method, JsonNode params) throws IOException {
        RpcMessage answer = answer(method, params);
        if (answer instanceof RpcMessage.Result result) {
            return Optional.of(result);
        }
        RpcMessage.Failure failure = (RpcMessage.Failure) answer;
        if (failure.error().tree().path("code").asInt(0) == RpcWriter.METHOD_NOT_FOUND) {
            return Optional.empty();
        }
        throw refused(method, failure);
    }

    private IOException refused(String method, RpcMessage answer) {
        return answer instanceof RpcMessage.Failure failure
                ? refused(method, failure)
                : fault("did not answer `" + method + "`: " + refusal + logged);
    }

    private IOException refused(String method, RpcMessage.Failure failure) {
        return fault("refused `" + method + "`: "
                + quote(failure.error().tree().path("message").asString("")));
    }

    private RpcMessage answer(String method, JsonNode params) throws IOException {
        RpcMessage answer = answerOrRefusal(method, params, patience);
        if (answer.equals(NOTHING)) {
            throw refused(method, answer);
        }
        return answer;
    }

    /** Returns the answer, or {@link #NOTHING} where the server refused it without one. */
    private RpcMessage answerOrRefusal(String method, JsonNode params, Duration patience) throws IOException {
        refusal = "";
        RpcId id = RpcId.ofText("sluice-" + ++ids);
        asked = id;
        try {
            ObjectNode said = client;
            byte[] request = RpcWriter.request(id, method, params);
            link.send(
                    said == null
                            ? request
                            : new MessageEdits(RpcMessage.parse(request))
                                    .ofClient(said)
                                    .apply());
        } catch (IOException e) {
            // It is gone, and the line says why.
        }
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                Came next = came.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (next == null) {
                    throw fault("did not answer `" + method + "` within " + patience.toSeconds()
                            + " s; is its command that of an MCP server? If it needs longer, give it a longer"
                            + " `--timeout`");
                }
                if (!refusal.isEmpty() && next.answer().equals(NOTHING)) {
                    return NOTHING;
                }
                if (!next.gone().isEmpty()) {
                    throw fault("did not answer `" + method + "`: " + next.gone() + logged);
                }
                if (answers(next.answer(), id)) {
                    return next.answer();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for `" + name + "`", e);
        }
    }

    private static boolean answers(RpcMessage message, RpcId id) {
        return (message instanceof RpcMessage.Result result && result.id().key().equals(id.key()))
                || (message instanceof RpcMessage.Failure failure
                        && failure.id().key().equals(id.key()));
    }

    /** Says something that wants no answer. */
    void tell(String method) throws IOException {
        link.send(("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether the server said since the last time that its tools changed. */
    boolean toolsChanged() {
        boolean changed = toolsChanged;
        toolsChanged = false;
        return changed;
    }

    /** Returns that the server does not do what it must. */
    IOException fault(String what) {
        return new IOException("the server `" + name + "` " + what);
    }

    /** A server's own words: one short line, without what a terminal would obey. */
    private static String quote(String text) {
        StringBuilder quote = new StringBuilder();
        text.codePoints().limit(LONGEST_QUOTE).forEach(c -> quote.appendCodePoint(isPlain(c) ? c : '?'));
        return "\"" + quote + "\"";
    }

    private static boolean isPlain(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    @Override
    public void text(byte[] bytes) {
        RpcMessage message;
        try {
            message = RpcMessage.parse(bytes);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return; // some servers greet on standard output; what was asked is waited for
        }
        switch (message) {
            case RpcMessage.Result result -> answered(result.id(), result);
            case RpcMessage.Failure failure -> answered(failure.id(), failure);
            case RpcMessage.Request request -> reply(request);
            case RpcMessage.Notification notification ->
                toolsChanged |= notification.method().equals("notifications/tools/list_changed");
        }
    }

    private void answered(RpcId id, RpcMessage answer) {
        if (awaits(id)) {
            asked = NOBODYS;
        }
        keep(new Came(answer, ""));
    }

    private void keep(Came next) {
        var _ = came.offer(next);
    }

    private void reply(RpcMessage.Request request) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        byte[] answer = switch (request.method()) {
            case "ping" -> RpcWriter.result(request.id(), json.objectNode());
            case "roots/list" -> {
                var none = json.objectNode();
                none.putArray("roots");
                yield RpcWriter.result(request.id(), none);
            }
            default ->
                RpcWriter.failure(
                        request.id(), RpcWriter.METHOD_NOT_FOUND, "this client only asks what the server has");
        };
        try {
            link.send(answer);
        } catch (IOException e) {
            // It is gone, and the line says why.
        }
    }

    @Override
    public void tooLong(MessageLines.TooLong line) {
        keep(new Came(NOTHING, "its answer has " + line.bytes() + " bytes, more than the limit"));
    }

    @Override
    public boolean awaits(RpcId id) {
        return id.key().equals(asked.key());
    }

    @Override
    public void lost(RpcId id, String why, boolean entered) {
        if (awaits(id)) {
            keep(new Came(NOTHING, why));
        }
    }

    @Override
    public void refused(RpcId id, String why) {
        if (awaits(id)) {
            refusal = why;
            keep(new Came(NOTHING, why));
        }
    }

    @Override
    public void unreachable(String why) {
        // What was asked is lost then, and that says why.
    }

    @Override
    public void ended(String why) {
        keep(new Came(NOTHING, why));
    }
}
