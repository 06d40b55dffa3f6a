package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A line to a server that a test plays: it shakes hands and lists one tool by itself. */
final class ScriptedLink implements UpstreamLink {

    /** What the server does with a message that it does not answer by itself. */
    @FunctionalInterface
    interface Script {
        void play(ScriptedLink link, RpcMessage message);
    }

    final List<String> got = new CopyOnWriteArrayList<>();
    volatile boolean closed;

    /** Whether the script answers lists of tools too. */
    volatile boolean listsByScript;

    /** What it says in the handshake that it can do. */
    volatile String capabilities = "{\"tools\":{},\"resources\":{},\"logging\":{}}";

    private final Script script;
    private @Nullable Receiver receiver;
    private boolean ended;

    ScriptedLink(Script script) {
        this.script = script;
    }

    @Override
    public void start(Receiver to) {
        receiver = to;
    }

    @Override
    public void send(byte[] bytes) throws IOException {
        if (ended) {
            throw new IOException("gone");
        }
        got.add(new String(bytes, StandardCharsets.UTF_8));
        RpcMessage message = RpcMessage.parse(bytes);
        Thread.ofVirtual().start(() -> play(message));
    }

    private void play(RpcMessage message) {
        if (message instanceof RpcMessage.Request request) {
            switch (request.method()) {
                case "initialize" ->
                    answer(
                            request,
                            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" + capabilities + ","
                                    + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}");
                case "tools/list" -> {
                    if (listsByScript) {
                        script.play(this, message);
                    } else {
                        answer(request, "{\"tools\":[{\"name\":\"act\",\"inputSchema\":{\"type\":\"object\"}}]}");
                    }
                }
                default -> script.play(this, message);
            }
        } else {
            script.play(this, message);
        }
    }

    void answer(RpcMessage.Request request, String result) {
        say("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"result\":" + result + "}");
    }

    synchronized void say(String message) {
        if (!ended) {
            Objects.requireNonNull(receiver).text(message.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Says something in the answer to a request. */
    synchronized void say(String message, RpcMessage.Request in) {
        if (!ended) {
            Objects.requireNonNull(receiver).text(message.getBytes(StandardCharsets.UTF_8), in.id());
        }
    }

    /** Ends of itself. */
    synchronized void die() {
        if (!ended) {
            ended = true;
            Objects.requireNonNull(receiver).ended("its process ended with exit code 1");
        }
    }

    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            if (!ended && receiver != null) {
                ended = true;
                receiver.ended("it was stopped");
            }
        }
    }
}
