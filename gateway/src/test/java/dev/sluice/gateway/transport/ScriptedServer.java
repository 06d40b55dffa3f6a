package dev.sluice.gateway.transport;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An MCP server over HTTP that does what a test tells it to, right or wrong, and remembers what it was sent. */
final class ScriptedServer implements AutoCloseable {

    /** What it was sent: the body is empty text for none. */
    record Got(String method, com.sun.net.httpserver.Headers headers, String body) {

        /** Returns the message's method; empty text where it has none. */
        String rpcMethod() {
            return json().path("method").asString("");
        }

        /** Returns the message's id as JSON. */
        String id() {
            return json().path("id").toString();
        }

        private JsonNode json() {
            return body.isEmpty()
                    ? JsonMapper.shared().createObjectNode()
                    : JsonMapper.shared().readTree(body);
        }

        String header(String name) {
            String value = headers.getFirst(name);
            return value == null ? "" : value;
        }
    }

    /** What it does with one request. */
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

        Reply header(String name, String value) {
            http.getResponseHeaders().set(name, value);
            return this;
        }

        void status(int status) throws IOException {
            http.sendResponseHeaders(status, -1);
        }

        void json(int status, String body) throws IOException {
            header("Content-Type", "application/json");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            http.sendResponseHeaders(status, bytes.length);
            http.getResponseBody().write(bytes);
        }

        /** Begins a stream of events. */
        Reply stream() throws IOException {
            header("Content-Type", "text/event-stream; charset=utf-8");
            http.sendResponseHeaders(200, 0);
            http.getResponseBody().flush();
            return this;
        }

        Reply write(String text) throws IOException {
            OutputStream out = http.getResponseBody();
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
            return this;
        }

        Reply event(String data) throws IOException {
            return write("data: " + data + "\n\n");
        }
    }

    static final String REVISION = "2025-11-25";

    final List<Got> all = new CopyOnWriteArrayList<>();
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    ScriptedServer(Script script) throws IOException {
        this(0, script);
    }

    ScriptedServer(int port, Script script) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        http.setExecutor(threads);
        http.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                Got got = new Got(exchange.getRequestMethod(), exchange.getRequestHeaders(), body);
                all.add(got);
                script.play(got, new Reply(exchange));
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
        http.start();
    }

    /** Plays {@code calls} once the handshake is answered as it should be; listening is refused. */
    static Script afterHandshake(Script calls) {
        return (got, reply) -> {
            switch (got.method().equals("POST") ? got.rpcMethod() : got.method()) {
                case "initialize" -> reply.header("Mcp-Session-Id", "session-1").json(200, handshake(got));
                case "notifications/initialized" -> reply.status(202);
                case "GET" -> reply.status(405);
                case "DELETE" -> reply.status(204);
                default -> calls.play(got, reply);
            }
        };
    }

    static String handshake(Got got) {
        return result(
                got,
                "{\"protocolVersion\":\"" + REVISION + "\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1\"}}");
    }

    static String result(Got got, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"result\":" + result + "}";
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port() + "/mcp");
    }

    int port() {
        return http.getAddress().getPort();
    }

    /** Returns what came with that HTTP method. */
    List<Got> with(String method) {
        return all.stream().filter(got -> got.method().equals(method)).toList();
    }

    /** Returns what came with that method of the protocol. */
    List<Got> asked(String rpcMethod) {
        return all.stream().filter(got -> got.rpcMethod().equals(rpcMethod)).toList();
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
