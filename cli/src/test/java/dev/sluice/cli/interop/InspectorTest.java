package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import tools.jackson.databind.node.ObjectNode;

/** The command line of the MCP Inspector: what it prints through {@code sluice run} is what it prints without. */
@Tag("interop")
final class InspectorTest {

    private static final String LABEL = "dev.sluice/label";

    @TempDir
    private Path temp;

    private Path files;
    private Inspector inspector;

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    @BeforeEach
    void configure() throws IOException {
        files = temp.resolve("files");
        Interop.fill(files);
        Files.writeString(
                temp.resolve("memory.jsonl"),
                "{\"type\":\"entity\",\"name\":\"A\",\"entityType\":\"t\",\"observations\":[\"seen\"]}");
        inspector = new Inspector(temp);
        server("filesystem", Interop.filesystem(files));
        server("memory", Interop.memory());
        server("everything", Interop.everything());
    }

    /** Two entries: the server itself, and the server through Sluice, each in a session of its own. */
    private void server(String name, List<String> command) {
        inspector.add(name, command);
        inspector.add(
                name + "-wrapped",
                Interop.wrapped(command, "--state", temp.resolve("state").toString(), "--session", name));
    }

    /**
     * A question to a server itself and through Sluice.
     *
     * @param labelled whether Sluice writes a label into the answer
     */
    private record Compared(String server, boolean labelled, List<String> arguments) {

        static Compared of(String server, boolean labelled, String... arguments) {
            return new Compared(server, labelled, List.of(arguments));
        }
    }

    /** Asks both, and compares what they print; only our own members of {@code _meta} may differ. */
    private void same(Compared... all) throws IOException {
        List<Inspector.Question> questions = new ArrayList<>();
        for (Compared each : all) {
            questions.add(new Inspector.Question(each.server, each.arguments));
            questions.add(new Inspector.Question(each.server + "-wrapped", each.arguments));
        }
        List<JsonNode> results = inspector.results(questions);
        for (int i = 0; i < all.length; i++) {
            String what = questions.get(2 * i).toString();
            JsonNode expected = results.get(2 * i);
            ObjectNode actual = (ObjectNode) results.get(2 * i + 1);
            assertEquals(all[i].labelled, actual.path("_meta").has(LABEL), what + " is labelled: " + actual);
            if (actual.get("_meta") instanceof ObjectNode meta) {
                meta.remove(LABEL);
                if (meta.isEmpty() && !expected.has("_meta")) {
                    actual.remove("_meta");
                }
            }
            assertEquals(expected, actual, what);
            assertTrue(
                    !expected.isEmpty() || all[i].arguments.get(0).equals("logging/setLevel"), what + " has an answer");
        }
    }

    @Test
    void filesystem_printsTheSame() throws IOException {
        same(
                Compared.of("filesystem", false, "tools/list"),
                Compared.of(
                        "filesystem",
                        true,
                        "tools/call",
                        "--tool-name",
                        "read_text_file",
                        "--tool-arg",
                        "path=" + files.resolve("a.txt")));
    }

    @Test
    void memory_printsTheSame() throws IOException {
        same(
                Compared.of("memory", false, "resources/list"),
                Compared.of("memory", true, "resources/read", "--uri", "memory://knowledge-graph"));
    }

    @Test
    void everything_printsTheSame() throws IOException {
        same(
                Compared.of(
                        "everything",
                        true,
                        "tools/call",
                        "--tool-name",
                        "get-sum",
                        "--tool-args-json",
                        "{\"a\":2,\"b\":3}"),
                Compared.of("everything", false, "prompts/list"),
                Compared.of(
                        "everything",
                        true,
                        "prompts/get",
                        "--prompt-name",
                        "args-prompt",
                        "--prompt-args",
                        "city=Paris"),
                Compared.of("everything", false, "logging/setLevel", "--log-level", "debug"));
    }
}
