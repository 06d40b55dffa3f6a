package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Servers of other makers get a drafted policy that loads, fits them, and lets a call through. */
@Tag("interop")
final class InitTest {

    @TempDir
    private Path temp;

    private Path files;

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    @BeforeEach
    void fill() {
        files = temp.resolve("files");
        Interop.fill(files);
    }

    @Test
    void filesystem_draftHolds() throws IOException {
        String draft = drafted(
                Interop.filesystem(files), 14, "read_text_file", "{\"path\":\"" + files.resolve("a.txt") + "\"}");
        assertTrue(draft.contains("    known: server-filesystem\n"), draft);
    }

    @Test
    void everything_draftHolds() throws IOException {
        drafted(Interop.everything(), 13, "echo", "{\"message\":\"hi\"}");
    }

    @Test
    void memory_draftHolds() throws IOException {
        drafted(Interop.memory(), 9, "read_graph", "{}");
    }

    /** Returns the draft, after all that must hold of it. */
    private String drafted(List<String> server, int tools, String tool, String arguments) throws IOException {
        Path policy = Files.createDirectories(temp.resolve("policy")).resolve("p.yaml");
        List<String> init = new ArrayList<>(List.of("init", "--output", policy.toString(), "--"));
        init.addAll(server);

        Interop.Ended drafted = Interop.runSluice(temp, init.toArray(String[]::new));

        assertEquals(0, drafted.exitCode(), drafted.err());
        Interop.Ended checked = Interop.told(Interop.environment(temp), "check", policy.toString());
        assertEquals(0, checked.exitCode(), checked.out());
        Interop.Ended held = Interop.runSluice(temp, "check", "--inventory", "--json", policy.toString());
        assertEquals(0, held.exitCode(), held.out());
        int listed = held.json()
                .get(0)
                .path("inventory")
                .valueStream()
                .mapToInt(JsonNode::intValue)
                .sum();
        assertTrue(listed >= tools, "tools: " + listed);
        try (RawClient client = new RawClient(
                Interop.wrapped(
                        server,
                        "--policy",
                        policy.toString(),
                        "--state",
                        temp.resolve("state").toString(),
                        "--session",
                        "init"),
                Interop.environment(temp),
                temp,
                Scripts.answers(files))) {
            client.initialize("{}");
            JsonNode result = client.call(tool, arguments);
            assertFalse(result.path("isError").asBoolean(false), result.toString());
            assertTrue(result.path("content").isArray(), result.toString());
        }
        return Files.readString(policy);
    }
}
