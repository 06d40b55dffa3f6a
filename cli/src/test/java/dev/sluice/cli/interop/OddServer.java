package dev.sluice.cli.interop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A raw MCP server of 2026-07-28 that answers with {@link OddMessages}, over stdio or HTTP. Argument of the program: a file to
 * which every line is appended as it came.
 */
public final class OddServer implements AutoCloseable {

    private static final Pattern NUMBER = Pattern.compile("\"x\\.example/n\"\\s*:\\s*(\\d+)");
    private static final Pattern REQUEST =
            Pattern.compile("\"method\"\\s*:\\s*\"(server\\\\?/discover|tools\\\\?/list)\"");

    private final HttpServer http;
    private final Path received;

    private OddServer(Path received) throws IOException {
        this.received = received;
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    /** Runs over stdio until standard input ends. */
    public static void main(String[] args) throws IOException {
        Path received = Path.of(args[0]);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            keep(received, line);
            messages(line).forEach(out::println);
        }
    }

    /** Starts one over HTTP, in this process. */
    static OddServer start(Path received) throws IOException {
        OddServer server = new OddServer(received);
        server.http.createContext("/mcp", server::post);
        server.http.start();
        return server;
    }

    String url() {
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/mcp";
    }

    private static synchronized void keep(Path received, String line) throws IOException {
        Files.writeString(received, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void post(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            keep(received, body);
            List<String> messages = messages(body);
            boolean whole = messages.size() == 1;
            StringBuilder answer = new StringBuilder();
            messages.forEach(each -> answer.append(whole ? each : "data: " + each + "\n\n"));
            byte[] bytes = answer.toString().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", whole ? "application/json" : "text/event-stream");
            exchange.sendResponseHeaders(bytes.length == 0 ? 202 : 200, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static List<String> messages(String line) {
        RawJson json = new RawJson(line);
        Optional<String> id = json.value("id");
        if (id.isEmpty()) {
            return List.of();
        }
        Matcher known = REQUEST.matcher(line);
        Matcher number = NUMBER.matcher(line);
        List<String> messages = new ArrayList<>();
        if (number.find() && !known.find()) {
            int n = Integer.parseInt(number.group(1));
            json.value("params", "_meta", "progressToken")
                    .ifPresent(token -> messages.add(OddMessages.progress(n, token)));
            messages.add(OddMessages.answer(n, id.get()));
        } else if (line.contains("discover")) {
            messages.add(
                    result(
                            id.get(),
                            "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{}}"));
        } else if (line.contains("tools/list")) {
            messages.add(result(id.get(), "\"tools\":[{\"name\":\"odd\",\"inputSchema\":{\"type\":\"object\"}}]"));
        } else {
            messages.add("{\"jsonrpc\":\"2.0\",\"id\":" + id.get()
                    + ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
        }
        return messages;
    }

    private static String result(String id, String members) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"resultType\":\"complete\"," + members
                + ",\"ttlMs\":0,\"cacheScope\":\"private\"}}";
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
