package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The command line of the MCP Inspector: what it prints through {@code sluice run} is what it prints without. */
@Tag("interop")
final class InspectorTest {

    private static final String LABEL = "dev.sluice/label";

    @TempDir
    private Path temp;

    private Path files;
    private Path config;

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
        ObjectNode root = JsonMapper.shared().createObjectNode();
        ObjectNode servers = root.putObject("mcpServers");
        server(servers, "filesystem", Interop.filesystem(files));
        server(servers, "memory", Interop.memory());
        server(servers, "everything", Interop.everything());
        config = temp.resolve("servers.json");
        Files.writeString(config, root.toString());
    }

    /** Two entries: the server itself, and the server through Sluice, each in a session of its own. */
    private void server(ObjectNode servers, String name, List<String> command) {
        entry(servers, name, command);
        entry(
                servers,
                name + "-wrapped",
                Interop.wrapped(command, "--state", temp.resolve("state").toString(), "--session", name));
    }

    private void entry(ObjectNode servers, String name, List<String> command) {
        ObjectNode entry = servers.putObject(name).put("command", command.get(0));
        command.stream().skip(1).forEach(entry.putArray("args")::add);
        ObjectNode environment = entry.putObject("env");
        Interop.environment(temp).forEach(environment::put);
    }

    private Interop.Ended inspect(String server, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Interop.node().toString(),
                Interop.inspector().toString(),
                "--cli",
                "--quiet",
                "--format",
                "json",
                "--config",
                config.toString(),
                "--server",
                server,
                "--method"));
        command.addAll(List.of(arguments));
        return Interop.run(command, Interop.environment(temp), temp);
    }

    /** Asks both, and compares what they print; only our own members of {@code _meta} may differ. */
    private void same(String server, boolean labelled, String... arguments)
            throws IOException, InterruptedException, ExecutionException {
        FutureTask<Interop.Ended> other = new FutureTask<>(() -> inspect(server, arguments));
        Thread.ofPlatform().daemon().start(other);
        Interop.Ended wrapped = inspect(server + "-wrapped", arguments);
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
        same("memory", false, "tools/list");
        same("memory", true, "tools/call", "--tool-name", "read_graph");
        same("memory", false, "resources/list");
        same("memory", true, "resources/read", "--uri", "memory://knowledge-graph");
    }

    @Test
    void everything_printsTheSame() throws Exception {
        same("everything", false, "tools/list");
        same("everything", true, "tools/call", "--tool-name", "get-sum", "--tool-args-json", "{\"a\":2,\"b\":3}");
        same("everything", false, "resources/list");
        same("everything", true, "resources/read", "--uri", "demo://resource/static/document/features.md");
        same("everything", false, "prompts/list");
        same("everything", true, "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Paris");
        same("everything", false, "logging/setLevel", "--log-level", "debug");
    }
}
