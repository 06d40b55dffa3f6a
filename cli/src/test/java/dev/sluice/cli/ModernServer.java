// This file has more than 400 lines because one server plays all that tests need of the revision.
package dev.sluice.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A raw MCP server of revision 2026-07-28 alone, over stdio or HTTP, that does what its tools' names say. It is strict: a
 * request that does not say what every request of that revision must is refused, over HTTP by its headers too.
 *
 * <p>Arguments: a file to which every message that arrives is appended, and over HTTP its headers before it; {@code http} for
 * that; then what is special about this server: {@code other-revision}, {@code dual} or {@code cached}.
 */
public final class ModernServer implements AutoCloseable {

    private static final String REVISION = "2026-07-28";
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String META = "io.modelcontextprotocol/";

    /** Where the messages of one answer go. */
    private interface Out {
        void say(String message);
    }

    private final Path received;
    private final String special;
    private final Map<String, Out> listening = new ConcurrentHashMap<>();
    private final Map<String, JsonNode> filters = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> slow = new ConcurrentHashMap<>();
    private final Set<String> grown = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer http;

    private ModernServer(Path received, String special) throws IOException {
        this.received = received;
        this.special = special;
        this.http = HttpServer.create();
    }

    /** Runs over stdio, or, where its second argument is {@code http}, at the address that it prints, until standard input ends. */
    public static void main(String[] args) throws IOException {
        if (args.length > 1 && args[1].equals("http")) {
            try (ModernServer server = overHttp(Path.of(args[0]), args.length > 2 ? args[2] : "")) {
                System.out.println(server.url());
                while (System.in.read() >= 0) {}
            }
            return;
        }
        ModernServer server = new ModernServer(Path.of(args[0]), args.length > 1 ? args[1] : "");
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            server.keep(line);
            JsonNode message = JSON.readTree(line);
            server.threads.execute(() -> server.take(message, text -> {
                synchronized (out) {
                    out.println(text);
                }
            }));
        }
        System.exit(0);
    }

    /** Returns one over HTTP, in this process. */
    static ModernServer overHttp(Path received, String special) throws IOException {
        ModernServer server = new ModernServer(received, special);
        server.http.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.http.setExecutor(server.threads);
        server.http.createContext("/mcp", server::post);
        server.http.start();
        return server;
    }

    String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/mcp";
    }

    private synchronized void keep(String line) throws IOException {
        Files.writeString(received, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void post(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            StringBuilder head = new StringBuilder(exchange.getRequestMethod());
            exchange.getRequestHeaders().forEach((name, values) -> {
                if (name.toLowerCase(Locale.ROOT).startsWith("mcp-")) {
                    head.append(' ')
                            .append(name.toLowerCase(Locale.ROOT))
                            .append('=')
                            .append(values.get(0));
                }
            });
            keep(head.toString());
            keep(body);
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            JsonNode message = JSON.readTree(body);
            JsonNode params = message.path("params");
            String id = message.path("id").toString();
            String fault = refusal(message);
            boolean legacy = special.equals("dual") && !params.path("_meta").has(META + "protocolVersion");
            if (fault.isEmpty() && message.has("id") && !legacy) {
                fault = headerFault(exchange, message, params);
            }
            if (!fault.isEmpty()) {
                whole(exchange, 400, "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + fault + "}");
                return;
            }
            if (!message.has("id")) {
                exchange.sendResponseHeaders(202, -1);
                return;
            }
            stream(exchange, message);
        }
    }

    private static String headerFault(HttpExchange exchange, JsonNode message, JsonNode params) {
        String method = message.path("method").asString("");
        boolean named = Set.of("tools/call", "resources/read", "prompts/get").contains(method);
        String name =
                params.path(method.equals("resources/read") ? "uri" : "name").asString("");
        boolean mirrors = name.equals("mirror");
        boolean right = REVISION.equals(exchange.getRequestHeaders().getFirst("MCP-Protocol-Version"))
                && method.equals(exchange.getRequestHeaders().getFirst("Mcp-Method"))
                && (!named || name.equals(exchange.getRequestHeaders().getFirst("Mcp-Name")))
                && (!mirrors
                        || params.path("arguments")
                                .path("region")
                                .asString("")
                                .equals(decoded(exchange.getRequestHeaders().getFirst("Mcp-Param-Region"))));
        return right ? "" : "{\"code\":-32020,\"message\":\"headers and body differ\"}";
    }

    private static String decoded(@Nullable String header) {
        if (header == null || !header.startsWith("=?base64?") || !header.endsWith("?=")) {
            return String.valueOf(header);
        }
        return new String(Base64.getDecoder().decode(header.substring(9, header.length() - 2)), StandardCharsets.UTF_8);
    }

    private static void whole(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    /** Writes events until the answer came, or the stream can't be written to any more: then the request is taken back. */
    private void stream(HttpExchange exchange, JsonNode message) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.write(": begun\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        CountDownLatch over = new CountDownLatch(1);
        String id = message.path("id").toString();
        threads.execute(() -> {
            take(message, text -> {
                try {
                    synchronized (out) {
                        out.write(("data: " + text + "\n\n").getBytes(StandardCharsets.UTF_8));
                        out.flush();
                    }
                } catch (IOException e) {
                    cancelled(id);
                    over.countDown();
                }
            });
            if (!listening.containsKey(id)) {
                over.countDown();
            }
        });
        try {
            while (!over.await(50, TimeUnit.MILLISECONDS)) {
                synchronized (out) {
                    out.write(": there?\n\n".getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
            }
        } catch (IOException e) {
            cancelled(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void cancelled(String id) {
        try {
            keep("cancelled " + id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        listening.remove(id);
        filters.remove(id);
        CountDownLatch waiting = slow.get(id);
        if (waiting != null) {
            waiting.countDown();
        }
    }

    /** Returns the error with which a message is refused that does not say what it must; empty text where it does. */
    private String refusal(JsonNode message) {
        JsonNode meta = message.path("params").path("_meta");
        String method = message.path("method").asString("");
        if (!message.has("id") || (special.equals("dual") && method.equals("initialize"))) {
            return "";
        }
        if (method.equals("initialize")) {
            return unsupported();
        }
        if (!meta.path(META + "protocolVersion").isString()
                || !meta.path(META + "clientCapabilities").isObject()) {
            return special.equals("dual") ? "" : "{\"code\":-32602,\"message\":\"no revision or capabilities\"}";
        }
        return meta.path(META + "protocolVersion").asString("").equals(supported()) ? "" : unsupported();
    }

    private String supported() {
        return special.equals("other-revision") ? "2027-01-01" : REVISION;
    }

    private String unsupported() {
        return "{\"code\":-32022,\"message\":\"unsupported revision\",\"data\":{\"supported\":[\"" + supported()
                + "\"],\"requested\":\"?\"}}";
    }

    private void take(JsonNode message, Out out) {
        String method = message.path("method").asString("");
        JsonNode params = message.path("params");
        if (!message.has("id")) {
            if (method.equals("notifications/cancelled")) {
                cancelled(params.path("requestId").toString());
            }
            return;
        }
        String id = message.path("id").toString();
        String fault = refusal(message);
        if (!fault.isEmpty()) {
            out.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + fault + "}");
            return;
        }
        switch (method) {
            case "initialize" ->
                out.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"protocolVersion\":\"2025-11-25\","
                        + "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"dual\",\"version\":\"1\"}}}");
            case "server/discover" ->
                result(
                        out,
                        id,
                        "\"supportedVersions\":[\"" + REVISION
                                + "\"],\"capabilities\":{\"tools\":{\"listChanged\":true},"
                                + "\"resources\":{\"subscribe\":true},\"prompts\":{},\"logging\":{}},"
                                + "\"instructions\":\"Be kind.\",\"ttlMs\":0,\"cacheScope\":\"private\","
                                + "\"_meta\":{\"" + META + "serverInfo\":{\"name\":\"modern\",\"version\":\"1\"}}");
            case "tools/list" ->
                result(out, id, "\"tools\":[" + tools() + "],\"ttlMs\":60000,\"cacheScope\":\"private\"");
            case "prompts/list" -> result(out, id, "\"prompts\":[],\"ttlMs\":0,\"cacheScope\":\"private\"");
            case "resources/list" ->
                result(
                        out,
                        id,
                        "\"resources\":[{\"uri\":\"note:1\",\"name\":\"note\"}],\"ttlMs\":0,\"cacheScope\":\"private\"");
            case "resources/templates/list" ->
                result(out, id, "\"resourceTemplates\":[],\"ttlMs\":0,\"cacheScope\":\"private\"");
            case "resources/read" ->
                result(
                        out,
                        id,
                        "\"contents\":[{\"uri\":\"note:1\",\"text\":\"a note\"}],"
                                + (special.equals("cached")
                                        ? "\"ttlMs\":60000,\"cacheScope\":\"public\""
                                        : "\"ttlMs\":0,\"cacheScope\":\"private\""));
            case "subscriptions/listen" -> listen(id, params.path("notifications"), out);
            case "tools/call" -> call(id, params, out);
            default ->
                out.say("{\"jsonrpc\":\"2.0\",\"id\":" + id
                        + ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
        }
    }

    private static void result(Out out, String id, String members) {
        out.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"resultType\":\"complete\"," + members + "}}");
    }

    private static void text(Out out, String id, String text) {
        result(out, id, "\"content\":[{\"type\":\"text\",\"text\":" + JsonNodeFactory.instance.stringNode(text) + "}]");
    }

    private String tools() {
        StringBuilder tools = new StringBuilder();
        for (String name : new String[] {
            "read", "echo", "ask", "sample", "roots", "twice", "endless", "later", "slow", "say", "grow", "touch"
        }) {
            tools.append("{\"name\":\"")
                    .append(name)
                    .append(
                            "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}},");
        }
        grown.forEach(
                name -> tools.append("{\"name\":\"").append(name).append("\",\"inputSchema\":{\"type\":\"object\"}},"));
        return tools + "{\"name\":\"mirror\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                + "{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}}";
    }

    private void listen(String id, JsonNode filter, Out out) {
        listening.put(id, out);
        filters.put(id, filter);
        out.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":"
                + "{\"notifications\":" + filter + "," + subscription(id) + "}}");
    }

    private static String subscription(String id) {
        return "\"_meta\":{\"" + META + "subscriptionId\":" + id + "}";
    }

    private void call(String id, JsonNode params, Out out) {
        JsonNode given = params.path("inputResponses");
        String state = params.path("requestState").asString("");
        JsonNode meta = params.path("_meta");
        switch (params.path("name").asString("")) {
            case "read" -> text(out, id, "the secret number is 4711");
            case "echo" -> text(out, id, params.path("arguments").path("text").asString(""));
            case "mirror" ->
                text(out, id, params.path("arguments").path("region").asString(""));
            case "ask" -> {
                if (state.equals("asked")) {
                    text(out, id, "hello " + given.at("/name/content/name").asString("nobody"));
                } else {
                    inputs(out, id, "\"name\":" + form("Your name?"), "asked");
                }
            }
            case "sample" -> {
                if (given.has("s")) {
                    text(out, id, "sampled " + given.at("/s/content/text").asString(""));
                } else {
                    inputs(
                            out,
                            id,
                            "\"s\":{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":9,\"messages\":"
                                    + "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Say.\"}}]}}",
                            "");
                }
            }
            case "roots" -> {
                if (given.has("r")) {
                    text(out, id, "roots " + given.at("/r/roots/0/uri").asString(""));
                } else {
                    inputs(out, id, "\"r\":{\"method\":\"roots/list\"}", "");
                }
            }
            case "twice" -> {
                switch (state) {
                    case "" -> inputs(out, id, "\"a\":" + form("One?") + ",\"b\":" + form("Two?"), "1");
                    case "1" -> inputs(out, id, "\"c\":" + form("Three?"), "2");
                    default -> text(out, id, "done with " + given);
                }
            }
            case "endless" -> inputs(out, id, "\"a\":" + form("Again?"), state + "x");
            case "later" -> {
                if (state.isEmpty()) {
                    inputs(out, id, "", "wait");
                } else {
                    text(out, id, "now");
                }
            }
            case "slow" -> slow(id, meta, out);
            case "say" -> {
                String level = meta.path(META + "logLevel").asString("");
                if (!level.isEmpty()) {
                    out.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"" + level
                            + "\",\"data\":\"working\"}}");
                }
                text(out, id, "said at " + level);
            }
            case "grow" -> {
                grown.add("more" + grown.size());
                tell("toolsListChanged", "notifications/tools/list_changed", "");
                text(out, id, "grown");
            }
            case "touch" -> {
                tell("resourceSubscriptions", "notifications/resources/updated", "\"uri\":\"note:1\",");
                text(out, id, "touched");
            }
            default -> text(out, id, "no such tool");
        }
    }

    private void tell(String wanted, String method, String members) {
        listening.forEach((id, out) -> {
            if (filters.getOrDefault(id, JSON.createObjectNode()).has(wanted)) {
                out.say("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":{" + members + subscription(id)
                        + "}}");
            }
        });
    }

    private void slow(String id, JsonNode meta, Out out) {
        CountDownLatch over = slow.computeIfAbsent(id, key -> new CountDownLatch(1));
        JsonNode token = meta.path("progressToken");
        if (!token.isMissingNode()) {
            out.say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" + token
                    + ",\"progress\":1}}");
        }
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String form(String message) {
        return "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"" + message
                + "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}}}}";
    }

    private static void inputs(Out out, String id, String requests, String state) {
        out.say("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"resultType\":\"input_required\""
                + (requests.isEmpty() ? "" : ",\"inputRequests\":{" + requests + "}")
                + (state.isEmpty() ? "" : ",\"requestState\":\"" + state + "\"") + "}}");
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
