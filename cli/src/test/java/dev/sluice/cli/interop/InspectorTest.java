package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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

    /** Asks both, and compares what they print; only our own members of {@code _meta} may differ. */
    private void same(String server, boolean labelled, String... arguments)
            throws IOException, InterruptedException, ExecutionException {
        FutureTask<Interop.Ended> other = new FutureTask<>(() -> inspector.ask(server, arguments));
        Thread.ofPlatform().daemon().start(other);
        Interop.Ended wrapped = inspector.ask(server + "-wrapped", arguments);
        Interop.Ended direct = other.get();
        String what = String.join(" ", arguments) + " on " + server;
        assertEquals(0, direct.exitCode(), what + " without sluice: " + direct.err());
        assertEquals(0, wrapped.exitCode(), what + ": " + wrapped.err());
        JsonNode expected = direct.json().get(0).path("result");
        ObjectNode actual = (ObjectNode) wrapped.json().get(0).path("result");
        assertEquals(labelled, actual.path("_meta").has(LABEL), what + " is labelled: " + actual);
        if (actual.get("_meta") instanceof ObjectNode meta) {
            meta.remove(LABEL);
            if (meta.isEmpty() && !expected.has("_meta")) {
                actual.remove("_meta");
            }
        }
        assertEquals(expected, actual, what);
        assertTrue(!expected.isEmpty() || arguments[0].equals("logging/setLevel"), what + " has an answer");
    }

    @Test
    void filesystem_printsTheSame() throws Exception {
        same("filesystem", false, "tools/list");
        same(
                "filesystem",
                true,
                "tools/call",
                "--tool-name",
                "read_text_file",
                "--tool-arg",
                "path=" + files.resolve("a.txt"));
    }

    @Test
    void memory_printsTheSame() throws Exception {
        same("memory", false, "resources/list");
        same("memory", true, "resources/read", "--uri", "memory://knowledge-graph");
    }

    @Test
    void everything_printsTheSame() throws Exception {
        same("everything", true, "tools/call", "--tool-name", "get-sum", "--tool-args-json", "{\"a\":2,\"b\":3}");
        same("everything", false, "prompts/list");
        same("everything", true, "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Paris");
        same("everything", false, "logging/setLevel", "--log-level", "debug");
    }
}
