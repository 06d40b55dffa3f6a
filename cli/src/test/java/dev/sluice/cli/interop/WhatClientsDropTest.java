package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.cli.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where labels are left that one server sends to the clients of five makers, each a process of its own: {@code
 * docs/labels.md} has the table that comes of it.
 */
@Tag("interop")
final class WhatClientsDropTest {

    private static final Path PAGE = Path.of("../docs/labels.md");
    private static final String HEADING = "## What clients drop";

    /** A row: in words, at which step it is sent, and the word that it holds. */
    private record Carrier(String words, String step, String word) {}

    private static final List<Carrier> CARRIERS = List.of(
            new Carrier("server: its extensions, in `capabilities`", "open", "word-extensions"),
            new Carrier("tool: action-metadata in `annotations`", "tools", "word-annotations"),
            new Carrier("tool: action-metadata in `_meta`", "tools", "word-tool"),
            new Carrier("tool: a member of somebody else's", "tools", "word-member-of-tool"),
            new Carrier("list of tools: `_meta`", "tools", "word-list"),
            new Carrier("tool result: trust-annotations in `_meta`", "report", "word-result"),
            new Carrier("tool result: the integer 12345678901234567890 in `_meta`", "report", "12345678901234567890"),
            new Carrier("tool result: a member of somebody else's", "report", "word-member-of-result"),
            new Carrier("tool result: `structuredContent`", "report", "word-structured"),
            new Carrier("tool result: text beside `structuredContent`", "report", "word-text"),
            new Carrier("block of it: trust-annotations in `_meta`", "report", "word-block"),
            new Carrier("text beside a block of a kind yet to come", "odd", "word-text"),
            new Carrier("error: `data`", "error", "word-data"),
            new Carrier("resource: trust-annotations in `_meta` of the result", "resource", "word-resource"),
            new Carrier("resource: trust-annotations in `_meta` of its contents", "resource", "word-contents"),
            new Carrier("prompt: trust-annotations in `_meta` of the result", "prompt", "word-prompt"),
            new Carrier("prompt: trust-annotations in `_meta` of a message's content", "prompt", "word-message"));

    /** A column: the answers of a client at each step. */
    private record Client(String name, Map<String, JsonNode> lines) {

        String verdict(Carrier carrier) {
            JsonNode line = lines.get(carrier.step);
            assertTrue(line != null, name + " has no step " + carrier.step);
            if (line.path("model").toString().contains(carrier.word)) {
                return "read by the model";
            }
            if (line.path("api").toString().contains(carrier.word)) {
                return "kept";
            }
            if (line.path("hooks").toString().contains(carrier.word)) {
                return "hooks only";
            }
            if (carrier.step.equals("report")
                    && carrier.words.contains("integer")
                    && line.toString().contains("label.example/number")) {
                return "**rounded**";
            }
            return carrier.step.equals("odd") && line.path("failed").asBoolean(false)
                    ? "**the call fails**"
                    : "**dropped**";
        }
    }

    @TempDir
    private static Path temp;

    private static List<Client> clients = List.of();

    @BeforeAll
    static void ask() throws IOException {
        Interop.demand();
        clients = List.of(
                new Client("MCP Java SDK 2.2.0, to 2025-11-25", java("JavaSdkClient", "newer-java-sdk")),
                new Client("MCP Java SDK 2.2.0, 2026-07-28", java("JavaSdkModernClient", "newer-java-sdk")),
                new Client("Spring AI 2.0.1", java("SpringAiClient", "spring-ai")),
                new Client("LangChain4j 1.18.1", java("LangChain4jClient", "")),
                new Client("TypeScript SDK 1.32.2", typeScript()));
    }

    private static List<String> server() {
        return Children.java(LabelledServer.class);
    }

    /** A program of one file, with the jars of a folder before those of the tests. */
    private static Map<String, JsonNode> java(String program, String folder) throws IOException {
        List<String> jars = new ArrayList<>();
        if (!folder.isEmpty()) {
            try (Stream<Path> files = Files.list(Path.of("target", folder))) {
                files.map(file -> file.toAbsolutePath().toString()).forEach(jars::add);
            }
        }
        jars.add(Children.usualClassPath());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                String.join(System.getProperty("path.separator"), jars),
                Path.of("../interop/java", program + ".java").toString()));
        command.addAll(server());
        Interop.Ended ended = Interop.run(command, Interop.environment(temp), temp);
        assertEquals(0, ended.exitCode(), ended.err());
        Map<String, JsonNode> lines = new LinkedHashMap<>();
        ended.json().forEach(line -> lines.put(line.path("step").asString(""), line));
        return lines;
    }

    private static Map<String, JsonNode> typeScript() throws IOException {
        Map<String, String> steps = new LinkedHashMap<>();
        steps.put("open", "[\"initialize\",{}]");
        steps.put("tools", "[\"tools/list\",{}]");
        for (String tool : List.of("report", "odd", "error")) {
            steps.put(tool, "[\"tools/call\",{\"name\":\"" + tool + "\",\"arguments\":{}}]");
        }
        steps.put("resource", "[\"resources/read\",{\"uri\":\"report:1\"}]");
        steps.put("prompt", "[\"prompts/get\",{\"name\":\"ask\",\"arguments\":{}}]");
        List<String> command = new ArrayList<>(Interop.typeScriptClient("[" + String.join(",", steps.values()) + "]"));
        command.addAll(server());
        Interop.Ended ended = Interop.run(command, Interop.environment(temp), temp);
        assertEquals(0, ended.exitCode(), ended.err());
        Map<String, JsonNode> lines = new LinkedHashMap<>();
        List<JsonNode> printed = ended.json();
        int i = 0;
        for (String step : steps.keySet()) {
            JsonNode handed = printed.get(i++);
            lines.put(
                    step,
                    JsonMapper.shared()
                            .createObjectNode()
                            .put("failed", handed.has("failed"))
                            .set("api", handed));
        }
        return lines;
    }

    @Test
    void whatArrives_isWhatThePageSays() throws IOException {
        StringBuilder table = new StringBuilder("| label |");
        clients.forEach(client -> table.append(' ').append(client.name).append(" |"));
        table.append("\n|---|").append("---|".repeat(clients.size())).append('\n');
        for (Carrier carrier : CARRIERS) {
            table.append("| ").append(carrier.words).append(" |");
            clients.forEach(
                    client -> table.append(' ').append(client.verdict(carrier)).append(" |"));
            table.append('\n');
        }
        String page = Files.readString(PAGE);
        int from = page.indexOf(HEADING);
        assertTrue(from >= 0, "docs/labels.md has the heading");
        int end = page.indexOf("\n## ", from + 1);
        List<String> stated = page.substring(from, end < 0 ? page.length() : end)
                .lines()
                .filter(line -> line.startsWith("|"))
                .toList();
        assertEquals(table.toString().strip(), String.join("\n", stated), "write this table into docs/labels.md");
    }

    /** The versions in the heading are those that were asked. */
    @Test
    void versions_areThoseOfTheBuild() throws IOException {
        String build = Files.readString(Path.of("../pom.xml"));
        for (Map.Entry<String, String> version : Map.of(
                        "newer-java-sdk.version", "MCP Java SDK ",
                        "spring-ai.version", "Spring AI ",
                        "langchain4j.version", "LangChain4j ")
                .entrySet()) {
            String start = "<" + version.getKey() + ">";
            int at = build.indexOf(start) + start.length();
            String name = version.getValue() + build.substring(at, build.indexOf('<', at));
            assertTrue(clients.stream().anyMatch(client -> client.name.startsWith(name)), name);
        }
        String typeScript = JsonMapper.shared()
                .readTree(Interop.typeScriptSdk().resolve("package.json").toFile())
                .path("version")
                .asString("");
        assertTrue(clients.stream().anyMatch(client -> client.name.equals("TypeScript SDK " + typeScript)), typeScript);
    }
}
