package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.gateway.State;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that runs within the tests says, of every verb, what it says as a process: else no test could rely on that. */
class ToldTest {

    private static final String EXPLAIN = "src/test/resources/explain/";
    private static final String TRUSTED_PUBLIC = "{\"integrity\":\"trusted\",\"confidentiality\":\"public\"}";

    @TempDir
    private Path folder;

    private static void assertSame(int exit, String input, Map<String, String> environment, String... words)
            throws Exception {
        byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
        Told expected = Told.readingByProcess(bytes, environment, words);
        assertEquals(exit, expected.exit(), () -> String.join(" ", words) + ": " + expected.err());
        assertEquals(expected, Told.reading(bytes, environment, words), () -> String.join(" ", words));
    }

    private static void assertSame(int exit, String... words) throws Exception {
        assertSame(exit, "", Map.of(), words);
    }

    private String file(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void wordsThatAreNoCommand_andHelp() throws Exception {
        assertSame(0, "--help");
        assertSame(2, "approvals", "aprove");
    }

    @Test
    void commandsThatReadFiles() throws Exception {
        String policy = file("p.yaml", "version: 1\nservers: {mail: {tools: {read: {}}}}\n");
        String broken = file("b.yaml", "version: 1\nserver: {}\n");
        assertSame(0, "check", policy);
        assertSame(1, "check", "--json", broken);
        assertSame(
                3,
                "explain",
                "--policy",
                EXPLAIN + "denied-answer-stays-out/policy.yaml",
                EXPLAIN + "denied-answer-stays-out/trace.jsonl");
        assertSame(
                4,
                "explain",
                "--json",
                "--policy",
                EXPLAIN + "asked-answer-stays-out/policy.yaml",
                EXPLAIN + "asked-answer-stays-out/trace.jsonl");
        assertSame(
                0,
                "replay",
                "--json",
                "--policy",
                "src/test/resources/replay/desk.policy.yaml",
                "--agentdojo",
                "src/test/resources/replay/desk.json");
    }

    @Test
    void commandsThatReadStandardInput() throws Exception {
        assertSame(0, TRUSTED_PUBLIC, Map.of(), "evidence", "digest", "--canonicalization", "cbor/rfc8949", "-");
        assertSame(
                1,
                TRUSTED_PUBLIC,
                Map.of(),
                "evidence",
                "verify",
                "--digest",
                "sha256:" + "0".repeat(64),
                "--canonicalization",
                "jcs/rfc8785",
                "-");
        assertSame(
                1,
                "{\"tools\":[{\"name\":\"a\",\"annotations\":{\"io.modelcontextprotocol/action-metadata\":7}}]}",
                Map.of(),
                "annotations",
                "check",
                "-");
    }

    @Test
    void commandsOfAState() throws Exception {
        String state = folder.resolve("state").toString();
        State.open(Path.of(state)).close();
        String secret =
                Files.readString(folder.resolve("state/approver-secret")).strip();
        Map<String, String> approver = Map.of(StateOption.SECRET_VARIABLE, secret);
        String token = Files.readString(folder.resolve("state/host-token")).strip();
        assertSame(0, "audit", "verify", "--state", state);
        assertSame(1, "guess\n", Map.of(), "sessions", "end", "x", "--state", state);
        assertSame(1, "", approver, "approvals", "approve", "0000000000", "--state", state);
        assertSame(1, secret + "\n", Map.of(), "approvals", "approve", "0000000000", "--state", state);
        assertSame(0, "pins", "list", "--state", state);
        assertSame(0, "", approver, "classify", "mail", "read", "--effects", "reads", "--state", state);
        String policy = file("p.yaml", "version: 1\n");
        assertSame(0, "", approver, "policy", "accept", policy, "--state", state);
        Map<String, String> host = Map.of(TypedCommand.TOKEN_VARIABLE, token);
        assertSame(0, "{\"prompt\":\"hello\"}", host, "typed", "--json", "--session", "a", "--state", state);
        assertSame(1, "{\"prompt\":\"hello\"}", approver, "typed", "--session", "a", "--state", state);
    }

    @Test
    void commandThatStartsAServer() throws Exception {
        List<String> words = new ArrayList<>(List.of("init", "--name", "mail", "--"));
        words.addAll(ListingServer.command(Path.of(file("tools.json", "{\"tools\": [{\"name\": \"read\"}]}"))));
        assertSame(0, words.toArray(String[]::new));
    }

    @Test
    void commandThatNeedsAProcess_isNotRunWithinThisOne() {
        for (String verb : List.of("run", "gateway", "demo")) {
            assertThrows(IllegalArgumentException.class, () -> Told.by(verb));
        }
    }
}
