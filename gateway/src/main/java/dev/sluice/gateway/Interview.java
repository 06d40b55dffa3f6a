package dev.sluice.gateway;

import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

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
    private final BlockingQueue<Came> came = new LinkedBlockingQueue<>(MOST_WAITING);
    private volatile boolean toolsChanged;
    private volatile RpcId asked = NOBODYS;
    private int ids;

    Interview(String name, UpstreamLink link, Duration patience) {
        this.name = name;
        this.link = link;
        this.patience = patience;
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

    private IOException refused(String method, RpcMessage.Failure failure) {
        return fault("refused `" + method + "`: "
                + quote(failure.error().tree().path("message").asString("")));
    }

    private RpcMessage answer(String method, JsonNode params) throws IOException {
        RpcId id = RpcId.ofText("sluice-" + ++ids);
        asked = id;
        try {
            link.send(RpcWriter.request(id, method, params));
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
                if (!next.gone().isEmpty()) {
                    throw fault("did not answer `" + method + "`: " + next.gone()
                            + "; what it wrote to its log stands above");
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
    public void unreachable(String why) {
        // What was asked is lost then, and that says why.
    }

    @Override
    public void ended(String why) {
        keep(new Came(NOTHING, why));
    }
}
