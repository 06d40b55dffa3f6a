package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * An MCP server over stdio that lists what a file says: the member {@code tools}, two a page, and {@code instructions}
 * where there are any. It answers each call with the word {@code done}.
 */
public final class ListingServer {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ListingServer() {}

    /** The command of a server that lists what {@code file} says. */
    static List<String> command(Path file) {
        List<String> command = Children.java(ListingServer.class);
        command.add(file.toString());
        return command;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) throws IOException {
        JsonNode has = JsonMapper.shared().readTree(Files.readString(Path.of(args[0])));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode message = JsonMapper.shared().readTree(line);
            if (message.has("id") && message.has("method")) {
                ObjectNode answer = JSON.objectNode().put("jsonrpc", "2.0");
                answer.set("id", message.path("id"));
                answer.set("result", result(has, message));
                out.println(answer);
            }
        }
    }

    private static ObjectNode result(JsonNode has, JsonNode message) {
        ObjectNode result = JSON.objectNode();
        switch (message.path("method").asString("")) {
            case "initialize" -> {
                result.put("protocolVersion", "2025-11-25");
                result.putObject("capabilities").putObject("tools");
                result.putObject("serverInfo").put("name", "listing").put("version", "1");
                if (has.has("instructions")) {
                    result.set("instructions", has.path("instructions"));
                }
            }
            case "tools/list" -> {
                int from = message.path("params").path("cursor").asInt(0);
                ArrayNode page = result.putArray("tools");
                for (int i = from; i < Math.min(from + 2, has.path("tools").size()); i++) {
                    page.add(has.path("tools").get(i));
                }
                if (from + 2 < has.path("tools").size()) {
                    result.put("nextCursor", String.valueOf(from + 2));
                }
            }
            default ->
                result.putArray("content").addObject().put("type", "text").put("text", "done");
        }
        return result;
    }
}
