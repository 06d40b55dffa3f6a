package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A raw MCP server over stdio for what users of other gateways reported: a tool that other servers have too, one that
 * speaks while it works, one that asks, and one that never answers.
 *
 * <p>Arguments: its name; a file to which every line that arrives is appended; {@code mute} where it does not answer
 * {@code tools/list}.
 */
public final class FieldServer {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** A definition that a reader which does not keep every byte changes. */
    static final String SEARCH =
            "{\"name\":\"search\",\"title\":\"S\\u00e9arch\",\"description\":\"finds \\/ \\u0041\","
                    + "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\",\"maxLength\":1e2}}},"
                    + "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\",\"maximum\":9007199254740993}}},"
                    + "\"annotations\":{\"readOnlyHint\":true,\"vendor.example/extra\":{\"b\":1.0,\"a\":[ ]}},"
                    + "\"_meta\":{\"vendor.example/z\":1.10,\"vendor.example/a\":null},\"vendorMember\":0}";

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final String name;
    private final Path received;
    private final boolean mute;
    private String asking = "";

    private FieldServer(String name, Path received, boolean mute) {
        this.name = name;
        this.received = received;
        this.mute = mute;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) throws IOException {
        new FieldServer(args[0], Path.of(args[1]), args.length > 2).serve();
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Files.writeString(received, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            JsonNode message = JSON.readTree(line);
            String id = message.path("id").toString();
            if (message.has("method") && message.has("id")) {
                answer(id, message.path("method").asString(""), message.path("params"));
            } else if (message.has("result")) {
                text(asking, "answered " + message.path("result").path("action").asString(""));
            }
        }
    }

    private void answer(String id, String method, JsonNode params) {
        switch (method) {
            case "initialize" ->
                result(
                        id,
                        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true},"
                                + "\"resources\":{},\"logging\":{}},\"serverInfo\":{\"name\":\"" + name
                                + "\",\"version\":\"1\"}}");
            case "tools/list" -> {
                if (!mute) {
                    result(
                            id,
                            "{\"tools\":[" + SEARCH + "," + tool("told") + "," + tool("ask") + "," + tool("wait")
                                    + "]}");
                }
            }
            case "tools/call" -> call(id, params.path("name").asString(""), params.path("_meta"));
            case "resources/list" -> result(id, "{\"resources\":[" + resource("shared") + "," + resource(name) + "]}");
            case "resources/read" -> {
                if (mute) {
                    say("notifications/message", "{\"level\":\"info\",\"data\":\"waiting\"}");
                } else {
                    result(id, "{\"contents\":[{\"uri\":" + params.path("uri") + ",\"text\":\"of " + name + "\"}]}");
                }
            }
            default -> result(id, "{}");
        }
    }

    private static String tool(String name) {
        return "{\"name\":\"" + name + "\",\"inputSchema\":{\"type\":\"object\"}}";
    }

    private static String resource(String note) {
        return "{\"uri\":\"note:" + note + "\",\"name\":\"" + note + "\"}";
    }

    private void call(String id, String tool, JsonNode meta) {
        switch (tool) {
            case "search" -> text(id, "found by " + name);
            case "told" -> {
                String token = "\"progressToken\":" + meta.path("progressToken");
                say("notifications/progress", "{" + token + ",\"progress\":1}");
                say("notifications/tools/list_changed", "{}");
                say("notifications/message", "{\"level\":\"info\",\"data\":\"half\"}");
                say("notifications/resources/list_changed", "{}");
                say("notifications/progress", "{" + token + ",\"progress\":2}");
                text(id, "all told");
            }
            case "ask" -> {
                asking = id;
                out.println("{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"method\":\"elicitation/create\",\"params\":"
                        + "{\"message\":\"go on?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}},"
                        + "\"_meta\":{\"progressToken\":\"asked\"}}}");
            }
            default ->
                say(
                        "notifications/progress",
                        "{\"progressToken\":" + meta.path("progressToken")
                                + ",\"progress\":0,\"message\":\"waiting\"}");
        }
    }

    private void say(String method, String params) {
        out.println("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    private void text(String id, String text) {
        result(id, "{\"content\":[{\"type\":\"text\",\"text\":" + JSON.writeValueAsString(text) + "}]}");
    }

    private void result(String id, String result) {
        out.println("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}");
    }
}
