package dev.sluice.cli;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An MCP server over HTTP that keeps sessions as it should, and does with a tool call what a test tells it to, right or
 * wrong. It remembers what it was sent.
 */
final class PlayedServer implements AutoCloseable {

    /** Ends a wait that would never end; no assertion on speed. */
    static final long HANG_SECONDS = 120;

    /** What it was sent; the message is an empty object where there is none. */
    record Got(String method, Headers headers, JsonNode message) {

        String rpcMethod() {
            return message.path("method").asString("");
        }

        String id() {
            return message.path("id").toString();
        }

        String session() {
            String session = headers.getFirst("Mcp-Session-Id");
            return session == null ? "" : session;
        }

        /** Returns the argument {@code text} of a tool call. */
        String text() {
            return message.at("/params/arguments/text").asString("");
        }
    }

    /** What it does with one tool call. */
    @FunctionalInterface
    interface Script {
        void play(Got got, Reply reply) throws Exception;
    }

    /** An answer that is being written. */
    static final class Reply {
        private final HttpExchange http;

        private Reply(HttpExchange http) {
            this.http = http;
        }

        void status(int status) throws IOException {
            http.sendResponseHeaders(status, -1);
        }

        void json(String body) throws IOException {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            http.getResponseHeaders().set("Content-Type", "application/json");
            http.sendResponseHeaders(200, bytes.length);
            http.getResponseBody().write(bytes);
        }

        /** Answers the call with a text. */
        void text(Got got, String text) throws IOException {
            json(result(got, text));
        }

        /** Begins a body that has no end yet. */
        Reply begin(String mediaType) throws IOException {
            http.getResponseHeaders().set("Content-Type", mediaType);
            http.sendResponseHeaders(200, 0);
            http.getResponseBody().flush();
            return this;
        }

        Reply stream() throws IOException {
            return begin("text/event-stream");
        }

        Reply write(String text) throws IOException {
            http.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
            http.getResponseBody().flush();
            return this;
        }

        Reply event(String data) throws IOException {
            return write("data: " + data + "\n\n");
        }
    }

    private final HttpServer http;
    private final Script calls;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Got> all = new ArrayList<>();
    private final Map<String, Reply> streams = new ConcurrentHashMap<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private int sessions;
    private int forgotten;

    PlayedServer(Script calls) throws IOException {
        this.calls = calls;
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(threads);
        http.createContext("/mcp", exchange -> {
            try (exchange) {
                serve(exchange);
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
        http.start();
    }

    private void serve(HttpExchange exchange) throws Exception {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        Got got = new Got(
                exchange.getRequestMethod(),
                exchange.getRequestHeaders(),
                body.isEmpty()
                        ? JsonMapper.shared().createObjectNode()
                        : JsonMapper.shared().readTree(body));
        Reply reply = new Reply(exchange);
        boolean known;
        synchronized (all) {
            all.add(got);
            known = got.session().matches("session-\\d+") && number(got.session()) > forgotten;
            if (got.rpcMethod().equals("initialize")) {
                exchange.getResponseHeaders().set("Mcp-Session-Id", "session-" + ++sessions);
                known = true;
            }
            all.notifyAll();
        }
        if (!known) {
            reply.status(404);
        } else if (got.method().equals("GET")) {
            reply.stream().write(": listening\n\n");
            synchronized (all) {
                streams.put(got.session(), reply);
                all.notifyAll();
            }
            over.await();
        } else if (got.method().equals("DELETE")) {
            reply.status(204);
        } else {
            answer(got, reply);
        }
    }

    private void answer(Got got, Reply reply) throws Exception {
        switch (got.rpcMethod()) {
            case "initialize" ->
                reply.json(
                        "{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"result\":{\"protocolVersion\":\"2025-11-25\","
                                + "\"capabilities\":{\"tools\":{},\"logging\":{},\"resources\":{\"subscribe\":true}},"
                                + "\"serverInfo\":{\"name\":\"played\",\"version\":\"1\"}}}");
            case "tools/list" ->
                reply.json("{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"result\":{\"tools\":[{\"name\":\"say\","
                        + "\"inputSchema\":{\"type\":\"object\"}}]}}");
            case "tools/call" -> calls.play(got, reply);
            case "logging/setLevel", "resources/subscribe", "resources/unsubscribe" ->
                reply.json("{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"result\":{}}");
            case "resources/list" ->
                reply.json("{\"jsonrpc\":\"2.0\",\"id\":" + got.id()
                        + ",\"result\":{\"resources\":[{\"uri\":\"note:1\",\"name\":\"one\"}]}}");
            case "" -> reply.status(202);
            default -> {
                if (got.message().has("id")) {
                    reply.json("{\"jsonrpc\":\"2.0\",\"id\":" + got.id()
                            + ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
                } else {
                    reply.status(202);
                }
            }
        }
    }

    private static int number(String session) {
        return Integer.parseInt(session.substring("session-".length()));
    }

    /** Returns the answer to a call that is a text. */
    static String result(Got got, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\""
                + text + "\"}]}}";
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/mcp");
    }

    /** Forgets all sessions that were begun until now. */
    void forget() {
        synchronized (all) {
            forgotten = sessions;
        }
    }

    /** Sends a message over the stream of a session that belongs to no request, once somebody listens there. */
    void tell(String session, String message) throws Exception {
        Reply stream;
        synchronized (all) {
            await(() -> streams.containsKey(session), "nobody listens to " + session);
            stream = streams.get(session);
        }
        stream.event(message);
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition, String otherwise) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        synchronized (all) {
            while (!condition.holds()) {
                if (System.nanoTime() > end) {
                    throw new AssertionError(otherwise + "; it was sent " + all);
                }
                all.wait(1_000);
            }
        }
    }

    /** Returns all that it was sent. */
    List<Got> all() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }

    /** Returns what came with that method of the protocol. */
    List<Got> asked(String rpcMethod) {
        return all().stream().filter(got -> got.rpcMethod().equals(rpcMethod)).toList();
    }

    /** Waits until something came that {@code wanted} takes, and returns the first. */
    Got first(Predicate<Got> wanted) throws InterruptedException {
        await(() -> all.stream().anyMatch(wanted), "what is waited for did not come");
        return all().stream().filter(wanted).findFirst().orElseThrow();
    }

    @Override
    public void close() {
        over.countDown();
        http.stop(0);
        threads.shutdownNow();
    }
}
