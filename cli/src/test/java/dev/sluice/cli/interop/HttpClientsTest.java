package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The TypeScript SDK and the Inspector over HTTP, with server-everything, server-filesystem and server-memory behind one
 * endpoint. The Java SDK's turn is {@link JavaSdkHttpTest}.
 */
@Tag("interop")
final class HttpClientsTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    @TempDir
    private static Path temp;

    private static @Nullable HttpServer gateway;
    private static @Nullable Inspector inspector;

    @BeforeAll
    static void start() throws IOException {
        Interop.demand();
        Interop.fill(temp.resolve("files"));
        Files.writeString(
                temp.resolve("memory.jsonl"),
                "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"t\",\"observations\":[\"seen\"]}");
        Map<String, List<String>> servers = Interop.three(temp.resolve("files"));
        HttpServer started = HttpServer.gateway(HttpServer.freely(servers), temp);
        gateway = started;
        Inspector asking = new Inspector(temp);
        servers.forEach(asking::add);
        asking.add("gateway", started);
        inspector = asking;
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    @Test
    void typeScriptSdk_hasEverythingThatTheServersHave() throws IOException {
        Path file = temp.resolve("files/b.txt");
        Interop.Ended ended = Interop.run(
                Interop.typeScriptSession(Objects.requireNonNull(gateway).address(), file),
                Interop.environment(temp),
                temp);
        assertEquals(0, ended.exitCode(), ended.err());
        JsonNode seen = ended.json().get(0);

        Set<String> servers = new TreeSet<>();
        seen.path("tools").forEach(tool -> servers.add(tool.asString("").replaceFirst("__.*", "")));
        assertEquals(Set.of("everything", "files", "memory"), servers);
        assertEquals("Echo: hi", text(seen, "echo"));
        assertTrue(text(seen, "read").contains("to be written over"), seen.toString());
        assertTrue(text(seen, "graph").contains("Ada"), seen.toString());

        assertTrue(texts(seen, "resources").contains("memory://knowledge-graph"), seen.toString());
        assertEquals(8, texts(seen, "resources").size(), "of two servers");
        assertTrue(texts(seen, "templates").contains("demo://resource/dynamic/text/{resourceId}"), seen.toString());
        assertTrue(text(seen, "templated").startsWith("Resource 1"), seen.toString());
        assertEquals("memory://knowledge-graph", text(seen, "memory"));

        assertTrue(text(seen, "prompt").contains("Paris"), seen.toString());
        assertEquals(List.of("Engineering"), texts(seen, "completed"));
        assertEquals("info", text(seen, "logged"));
        assertTrue(text(seen, "sampled").contains("a sampled answer"), seen.toString());
        assertTrue(text(seen, "elicited").contains("Ada"), seen.toString());
        assertEquals(List.of("sampling", "form"), kinds(texts(seen, "asked")));
        assertTrue(text(seen, "roots").contains(temp.resolve("files").toString()), seen.toString());
        assertEquals("[1,2]", seen.path("progress").toString());
        assertTrue(text(seen, "aborted").contains("no longer wanted"), seen.toString());
        assertEquals("Echo: still there", text(seen, "after"));
        assertTrue(seen.at("/capabilities/resources/subscribe").asBoolean(false), seen.toString());
        assertTrue(seen.at("/capabilities/tools/listChanged").asBoolean(false), seen.toString());
    }

    private static String text(JsonNode seen, String member) {
        return seen.path(member).asString("");
    }

    private static List<String> texts(JsonNode seen, String member) {
        List<String> texts = new ArrayList<>();
        seen.path(member).forEach(each -> texts.add(each.asString("")));
        return texts;
    }

    private static List<String> kinds(List<String> asked) {
        return asked.stream().map(each -> each.replaceFirst(":.*", "")).toList();
    }

    @Test
    void inspector_listsTheToolsOfAll_eachAsItsServerDefinesIt() throws IOException {
        List<String> servers = List.of("everything", "files", "memory");
        List<Inspector.Question> questions = new ArrayList<>();
        servers.forEach(server -> questions.add(Inspector.Question.of(server, "tools/list")));
        questions.add(Inspector.Question.of("gateway", "tools/list"));
        List<JsonNode> results = Objects.requireNonNull(inspector).results(questions);
        ArrayNode expected = JSON.createArrayNode();
        for (int i = 0; i < servers.size(); i++) {
            for (JsonNode tool : results.get(i).path("tools")) {
                ((ObjectNode) tool)
                        .put("name", servers.get(i) + "__" + tool.path("name").asString(""));
                expected.add(tool);
            }
        }
        assertEquals(expected, results.get(servers.size()).path("tools"));
    }

    @Test
    void inspector_callsReadsAndGetsAsFromTheServerItself() throws IOException {
        String[] read = {"resources/read", "--uri", "memory://knowledge-graph"};
        List<Inspector.Question> questions = List.of(
                Inspector.Question.of("memory", "tools/call", "--tool-name", "read_graph"),
                Inspector.Question.of("gateway", "tools/call", "--tool-name", "memory__read_graph"),
                Inspector.Question.of("everything", prompt("args-prompt")),
                Inspector.Question.of("gateway", prompt("everything__args-prompt")),
                Inspector.Question.of("memory", read),
                Inspector.Question.of("gateway", read));
        List<JsonNode> results = Objects.requireNonNull(inspector).results(questions);
        for (int i = 0; i < questions.size(); i += 2) {
            assertEquals(
                    results.get(i),
                    withoutLabel(results.get(i + 1)),
                    questions.get(i).toString());
        }
    }

    private static String[] prompt(String name) {
        return new String[] {"prompts/get", "--prompt-args", "city=Paris", "--prompt-name", name};
    }

    private static JsonNode withoutLabel(JsonNode result) {
        if (result.path("_meta") instanceof ObjectNode meta && meta.size() == 1 && meta.has("dev.sluice/label")) {
            ((ObjectNode) result).remove("_meta");
        }
        return result;
    }
}
