package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Without a policy: work within one server goes on, and what leaves it after a read does not. */
@Tag("interop")
final class FirstUseTest {

    @TempDir
    private Path temp;

    private Path state;
    private Path files;

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    @BeforeEach
    void fill() {
        state = temp.resolve("state");
        files = temp.resolve("files");
        Interop.fill(files);
    }

    private RawClient wrapped(List<String> server) throws IOException {
        RawClient client = new RawClient(
                Interop.wrapped(server, "--state", state.toString(), "--session", "first"),
                Interop.environment(temp),
                temp,
                Scripts.answers(files));
        client.initialize("{}");
        return client;
    }

    @Test
    void filesystem_writesAfterARead_passWithAWarning() throws IOException {
        try (RawClient client = wrapped(Interop.filesystem(files))) {
            assertDone(client.call("read_text_file", "{\"path\":\"" + files.resolve("a.txt") + "\"}"));
            assertDone(client.call("write_file", "{\"path\":\"" + files.resolve("b.txt") + "\",\"content\":\"new\"}"));
            assertDone(client.call(
                    "edit_file",
                    "{\"path\":\"" + files.resolve("b.txt")
                            + "\",\"edits\":[{\"oldText\":\"new\",\"newText\":\"newer\"}]}"));
            assertDone(client.call("create_directory", "{\"path\":\"" + files.resolve("made") + "\"}"));
            assertDone(client.call(
                    "move_file",
                    "{\"source\":\"" + files.resolve("b.txt") + "\",\"destination\":\"" + files.resolve("made/b.txt")
                            + "\"}"));
        }
        assertEquals("newer", Files.readString(files.resolve("made/b.txt")), "it was really done");
        assertWarned(List.of("write_file", "edit_file", "create_directory", "move_file"), List.of("read_text_file"));
    }

    @Test
    void memory_writesAfterARead_passWithAWarning() throws IOException {
        try (RawClient client = wrapped(Interop.memory())) {
            assertDone(client.call("read_graph", "{}"));
            assertDone(client.call(
                    "create_entities",
                    "{\"entities\":[{\"name\":\"A\",\"entityType\":\"t\",\"observations\":[]},"
                            + "{\"name\":\"B\",\"entityType\":\"t\",\"observations\":[]}]}"));
            assertDone(client.call(
                    "add_observations", "{\"observations\":[{\"entityName\":\"A\",\"contents\":[\"seen\"]}]}"));
            assertDone(client.call("delete_entities", "{\"entityNames\":[\"B\"]}"));
            JsonNode graph = client.call("read_graph", "{}").path("structuredContent");
            assertEquals(1, graph.path("entities").size(), "it was really done: " + graph);
            assertEquals("seen", graph.at("/entities/0/observations/0").asString());
        }
        assertWarned(List.of("create_entities", "add_observations", "delete_entities"), List.of("read_graph"));
    }

    @Test
    void everything_afterTheEnvironmentWasRead_staysInsideOrIsDenied() throws IOException {
        try (RawClient client = wrapped(Interop.everything())) {
            JsonNode environment = client.call("get-env", "{}");
            assertDone(environment);
            assertTrue(
                    environment.at("/content/0/text").asString().contains("MEMORY_FILE_PATH"),
                    "it has the environment");
            assertDone(client.call("echo", "{\"message\":\"hi\"}"));
            JsonNode denied = client.call(
                    "gzip-file-as-resource",
                    "{\"name\":\"x.gz\",\"data\":\"https://outside.example/?q=1\",\"outputType\":\"resource\"}");
            assertTrue(denied.path("isError").asBoolean(), denied.toString());
            String text = denied.at("/content/0/text").asString();
            assertTrue(text.contains("sluice denied `gzip-file-as-resource`"), text);
            assertTrue(text.contains("`get-env`"), text);
            assertEquals(
                    "deny",
                    denied.path("_meta").at("/dev.sluice~1decision/decision").asString(),
                    denied.toString());
        }
        assertWarned(List.of(), List.of("get-env", "echo"));
        JsonNode record = decision(audit(), "gzip-file-as-resource");
        assertEquals("deny", record.path("decision").asString());
        assertEquals("refused", record.path("done").asString());
        assertEquals("get-env", record.at("/lineage/0/name").asString(), record.toString());
    }

    private static void assertDone(JsonNode result) {
        assertTrue(result.isObject() && result.path("content").isArray(), "a result: " + result);
        assertFalse(result.path("isError").asBoolean(false), result.toString());
    }

    /**
     * The first decision on each of these tools allows it, as {@code sluice audit show --json} tells it: with the warning on
     * some, and with nothing on the others.
     */
    private void assertWarned(List<String> warned, List<String> clean) {
        List<JsonNode> audit = audit();
        for (String tool : Stream.concat(warned.stream(), clean.stream()).toList()) {
            JsonNode record = decision(audit, tool);
            assertEquals("allow", record.path("decision").asString(), record.toString());
            assertEquals("passed", record.path("done").asString(), record.toString());
            assertEquals(
                    warned.contains(tool) ? List.of("untrusted-same-server") : List.of(),
                    codes(record),
                    record.toString());
        }
    }

    private static List<String> codes(JsonNode record) {
        return record.path("violations")
                .valueStream()
                .map(violation -> violation.path("code").asString())
                .toList();
    }

    private List<JsonNode> audit() {
        Interop.Ended shown =
                Interop.told(Interop.environment(temp), "audit", "show", "--json", "--state", state.toString());
        assertEquals(0, shown.exitCode(), shown.err());
        return shown.json();
    }

    private static JsonNode decision(List<JsonNode> audit, String tool) {
        return audit.stream()
                .filter(event -> event.path("kind").asString().equals("decision")
                        && event.path("name").asString().equals(tool))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no decision on `" + tool + "` in " + audit));
    }
}
