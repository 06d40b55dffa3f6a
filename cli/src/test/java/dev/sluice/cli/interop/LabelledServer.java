package dev.sluice.cli.interop;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.TrustAnnotations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server over stdio of every revision, written without any SDK: wherever a label can stand there is one with a word of its
 * own, so that the word is found wherever a client puts it.
 */
public final class LabelledServer {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final String INFO = "\"serverInfo\":{\"name\":\"labelled\",\"version\":\"1\"}";

    private LabelledServer() {}

    /** Runs until standard input ends. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode message = JSON.readTree(line);
            if (message.has("method") && message.has("id")) {
                boolean modern = message.at("/params/_meta/io.modelcontextprotocol~1protocolVersion")
                        .isString();
                out.println("{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + ","
                        + answer(message.path("method").asString(""), message.path("params"), modern) + "}");
            }
        }
    }

    /** A label with a word of its own. */
    private static String label(String word) {
        return "\"" + TrustAnnotations.KEY + "\":{\"sensitive\":true,\"untrusted\":true,\"label.example/word\":\""
                + word + "\"}";
    }

    private static String action(String word) {
        return "\"" + ActionMetadata.KEY + "\":{\"outcome\":\"irreversible\",\"label.example/word\":\"" + word + "\"}";
    }

    private static String answer(String method, JsonNode params, boolean modern) {
        UnaryOperator<String> result = body -> "\"result\":{"
                + (modern ? "\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\"," : "")
                + body + "}";
        String capabilities = "\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{},\"extensions\":{\""
                + TrustAnnotations.KEY + "\":{\"word\":\"word-extensions\"}}}";
        return switch (method) {
            case "initialize" -> result.apply("\"protocolVersion\":\"2025-11-25\"," + capabilities + "," + INFO);
            case "server/discover" ->
                result.apply("\"supportedVersions\":[\"2026-07-28\"]," + capabilities + ",\"_meta\":{"
                        + INFO.replace("serverInfo", "io.modelcontextprotocol/serverInfo") + "}");
            case "tools/list" ->
                result.apply("\"tools\":[" + tool("report") + "," + tool("odd") + "," + tool("error") + "],\"_meta\":{"
                        + label("word-list") + "}");
            case "tools/call" -> called(params.path("name").asString(""), result);
            case "resources/read" ->
                result.apply("\"contents\":[{\"uri\":\"report:1\",\"text\":\"a report\",\"_meta\":{"
                        + label("word-contents") + "}}],\"_meta\":{" + label("word-resource") + "}");
            case "prompts/get" ->
                result.apply(
                        "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"hi\",\"_meta\":{"
                                + label("word-message") + "}}}],\"_meta\":{" + label("word-prompt") + "}");
            case "ping" -> result.apply("");
            default -> "\"error\":{\"code\":-32601,\"message\":\"method not found\"}";
        };
    }

    private static String tool(String name) {
        return "{\"name\":\"" + name + "\",\"description\":\"" + name
                + "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}},\"annotations\":{\"readOnlyHint\":false,"
                + action("word-annotations") + "},\"_meta\":{" + action("word-tool")
                + "},\"label.example/member\":\"word-member-of-tool\"}";
    }

    private static String called(String tool, UnaryOperator<String> result) {
        String text = "{\"type\":\"text\",\"text\":\"word-text\",\"_meta\":{" + label("word-block") + "}}";
        return switch (tool) {
            case "report" ->
                result.apply("\"content\":[" + text + "],\"structuredContent\":{\"report\":\"word-structured\"},"
                        + "\"label.example/member\":\"word-member-of-result\",\"_meta\":{" + label("word-result")
                        + ",\"label.example/number\":12345678901234567890}");
            case "odd" -> result.apply("\"content\":[{\"type\":\"hologram\",\"data\":\"AAAA\"}," + text + "]");
            default ->
                "\"error\":{\"code\":-31403,\"message\":\"denied\",\"data\":{\"label.example/word\":\"word-data\"}}";
        };
    }
}
