package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A line to a server that a test plays, of either era: it says what it is, lists a tool and takes listeners by itself. */
final class PlayedLink implements UpstreamLink {

    /** What the server does with a request that it does not answer by itself. */
    @FunctionalInterface
    interface Script {
        void play(PlayedLink link, RpcMessage.Request request);
    }

    final List<String> got = new CopyOnWriteArrayList<>();
    private final Era era;
    private final String revisions;
    private final Script script;
    private @Nullable Receiver receiver;
    private boolean ended;

    /**
     * Makes a server.
     *
     * @param revisions which revisions it says that it speaks, as a JSON list
     */
    PlayedLink(Era era, String revisions, Script script) {
        this.era = era;
        this.revisions = revisions;
        this.script = script;
    }

    static PlayedLink modern(Script script) {
        return new PlayedLink(Era.MODERN, "[\"2026-07-28\"]", script);
    }

    static PlayedLink legacy(Script script) {
        return new PlayedLink(Era.LEGACY, "[]", script);
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
        if (RpcMessage.parse(bytes) instanceof RpcMessage.Request request) {
            Thread.ofVirtual().start(() -> play(request));
        }
    }

    private void play(RpcMessage.Request request) {
        boolean modern = era == Era.MODERN;
        boolean says = RequestMeta.of(request).isPresent();
        switch (request.method()) {
            case "initialize" -> {
                if (modern) {
                    fail(request, -32022, "{\"supported\":" + revisions + ",\"requested\":\"2025-11-25\"}");
                } else {
                    answer(
                            request,
                            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                                    + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}");
                }
            }
            case "server/discover" -> {
                if (modern) {
                    answer(
                            request,
                            "{\"resultType\":\"complete\",\"supportedVersions\":" + revisions
                                    + ",\"capabilities\":{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true},"
                                    + "\"logging\":{}},\"ttlMs\":0,\"cacheScope\":\"private\"}");
                } else {
                    fail(request, -32601, "{}");
                }
            }
            case "tools/list" ->
                answer(
                        request,
                        "{\"tools\":[{\"name\":\"act\",\"inputSchema\":{\"type\":\"object\"}}],\"ttlMs\":60000}");
            case Subscriptions.LISTEN ->
                say("{\"jsonrpc\":\"2.0\",\"method\":\"" + Subscriptions.ACKNOWLEDGED
                        + "\",\"params\":{\"notifications\":"
                        + request.index()
                                .root()
                                .pointer("/params/notifications")
                                .orElseThrow()
                                .raw()
                        + ",\"_meta\":{\"" + RequestMeta.SUBSCRIPTION + "\":"
                        + request.id().json() + "}}}");
            default -> {
                if (says == modern) {
                    script.play(this, request);
                } else {
                    fail(request, -32602, "{}");
                }
            }
        }
    }

    /** Returns the requests of that method that came. */
    List<RpcMessage.Request> asked(String method) {
        return got.stream()
                .map(text -> RpcMessage.parse(text.getBytes(StandardCharsets.UTF_8)))
                .filter(RpcMessage.Request.class::isInstance)
                .map(RpcMessage.Request.class::cast)
                .filter(request -> request.method().equals(method))
                .toList();
    }

    void answer(RpcMessage.Request request, String result) {
        say("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"result\":" + result + "}");
    }

    void fail(RpcMessage.Request request, int code, String data) {
        say("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"error\":{\"code\":" + code
                + ",\"message\":\"no\",\"data\":" + data + "}}");
    }

    synchronized void say(String message) {
        if (!ended) {
            Objects.requireNonNull(receiver).text(message.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!ended && receiver != null) {
                ended = true;
                receiver.ended("it was stopped");
            }
        }
    }
}
