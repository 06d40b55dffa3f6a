package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two wrappers that one host starts through a shell: this process is the host, and no session is named. */
@Tag("interop")
final class TwoWrappersTest {

    @TempDir
    private Path temp;

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    /** A wrapper that a shell starts and waits for, as hosts do that take a command line. */
    private RawClient throughShell(List<String> server) throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "\"$@\"; exit $?", "sh"));
        command.addAll(Interop.wrapped(server, "--state", state()));
        RawClient client = new RawClient(command, Interop.environment(temp), temp, Map.of());
        client.initialize("{}");
        return client;
    }

    private String state() {
        return temp.resolve("state").toString();
    }

    @Test
    void wrappersOfOneHost_shareWhatWasSeen_untilTheApproverEndsTheSession() throws IOException {
        Path files = temp.resolve("files");
        Interop.fill(files);
        String entity = "{\"entities\":[{\"name\":\"B\",\"entityType\":\"t\",\"observations\":[]}]}";
        try (RawClient filesystem = throughShell(Interop.filesystem(files));
                RawClient memory = throughShell(Interop.memory())) {
            JsonNode read = filesystem.call("read_text_file", "{\"path\":\"" + files.resolve("a.txt") + "\"}");
            assertTrue(read.at("/content/0/text").asString().startsWith("first line"), read.toString());

            List<JsonNode> sessions = sessions();
            assertEquals(1, sessions.size(), "one session for both: " + sessions);
            JsonNode refused = memory.call("create_entities", entity);
            assertTrue(refused.path("isError").asBoolean(false), refused.toString());
            assertTrue(refused.at("/content/0/text").asString().contains("`read_text_file`"), refused.toString());

            String id = sessions.get(0).path("id").asString();
            Interop.Ended wrong = end(id, "0123456789012345678901234567890123456789");
            assertEquals(1, wrong.exitCode(), wrong.err());
            assertTrue(wrong.err().contains("not the approver's secret"), wrong.err());
            assertEquals(
                    List.of(id),
                    sessions().stream().map(each -> each.path("id").asString()).toList());
            assertTrue(
                    memory.call("create_entities", entity.replace("\"B\"", "\"C\""))
                            .path("isError")
                            .asBoolean(false),
                    "a wrong secret loosens nothing");

            Interop.Ended right = end(
                    id, Files.readString(temp.resolve("state/approver-secret")).strip());
            assertEquals(0, right.exitCode(), right.err());
            JsonNode allowed = memory.call("create_entities", entity.replace("\"B\"", "\"D\""));
            assertFalse(allowed.path("isError").asBoolean(false), "the session is a clean one: " + allowed);
            assertFalse(
                    sessions().stream()
                            .anyMatch(each -> each.path("id").asString().equals(id)),
                    "the ended session is not live any more");
            assertEquals(1, sessions().size(), "and both wrappers are in the new one");
            JsonNode graph = memory.call("read_graph", "{}").path("structuredContent");
            assertEquals(
                    List.of("D"),
                    graph.path("entities")
                            .valueStream()
                            .map(each -> each.path("name").asString())
                            .toList(),
                    "what was denied never reached the server");
        }
    }

    private List<JsonNode> sessions() {
        Interop.Ended listed =
                Interop.told(Interop.environment(temp), "sessions", "list", "--json", "--state", state());
        assertEquals(0, listed.exitCode(), listed.err());
        return listed.json();
    }

    private Interop.Ended end(String id, String secret) {
        Map<String, String> environment = Interop.environment(temp);
        environment.put("SLUICE_APPROVER_SECRET", secret);
        return Interop.told(environment, "sessions", "end", id, "--state", state());
    }
}
