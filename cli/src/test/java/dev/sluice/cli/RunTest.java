package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code sluice run}, as a host starts it. */
class RunTest {

    @TempDir
    private Path folder;

    private Path policy;
    private Path state;

    @BeforeEach
    void writePolicy() throws Exception {
        state = folder.resolve("state");
        policy = folder.resolve("policy.yaml");
        Files.writeString(policy, """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  fixture:
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      bare: {effects: [reads]}
                      elicit: {effects: [reads]}
                      sample: {effects: [reads]}
                      post: {effects: [sends], audience: public, payload: [text]}
                """);
    }

    private StdioHost host(String special, String... options) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("--state", state.toString()));
        command.addAll(List.of(options));
        return new StdioHost(
                Children.run(Children.fixture(folder.resolve("received"), special), command.toArray(String[]::new)),
                folder);
    }

    @Test
    void killedBetweenReadAndPost_startedAgainUnderTheSameHost_isStillDenied() throws Exception {
        try (StdioHost first = host("", "--policy", policy.toString()).initialize()) {
            first.call("read", "{}");
            first.kill();
        }
        try (StdioHost second = host("", "--policy", policy.toString()).initialize()) {
            JsonNode result = second.call("post", "{\"text\":\"4711\"}");
            assertTrue(StdioHost.isDenied(result), result.toString());
            assertTrue(StdioHost.text(result).contains("`read` of `fixture`"), StdioHost.text(result));
        }
        assertEquals(1, Kept.sessions(state).size(), "one host, one session");
    }

    @Test
    void twoWrappersStartedThroughShells_shareOneSession() throws Exception {
        String command = String.join(
                " ",
                Children.run(
                        Children.fixture(folder.resolve("received"), ""),
                        "--state",
                        state.toString(),
                        "--policy",
                        policy.toString()));
        try (StdioHost one = new StdioHost(List.of("sh", "-c", command + "; true"), folder).initialize();
                StdioHost other = new StdioHost(List.of("env", "sh", "-c", command + "; true"), folder).initialize()) {
            one.call("read", "{}");
            assertTrue(StdioHost.isDenied(other.call("post", "{\"text\":\"4711\"}")));
            assertEquals(1, Kept.sessions(state).size());
        }
    }

    @Test
    void anotherSessionName_startsClean() throws Exception {
        try (StdioHost one =
                host("", "--policy", policy.toString(), "--session", "a").initialize()) {
            one.call("read", "{}");
        }
        try (StdioHost other =
                host("", "--policy", policy.toString(), "--session", "b").initialize()) {
            assertEquals("posted", StdioHost.text(other.call("post", "{\"text\":\"hello\"}")));
        }
    }

    @Test
    void endedByTheApprover_goesOnClean_andNotByAnybodyElse() throws Exception {
        try (StdioHost host =
                host("", "--policy", policy.toString(), "--session", "a").initialize()) {
            host.call("read", "{}");
            String id = Kept.sessions(state).get(0).id();
            Told wrong = Told.byProcess(
                    Map.of(StateOption.SECRET_VARIABLE, "guess"), "sessions", "end", id, "--state", state.toString());
            assertEquals(1, wrong.exit());
            assertTrue(wrong.err().contains("not the approver's secret"), wrong.err());
            assertTrue(StdioHost.isDenied(host.call("post", "{\"text\":\"4711\"}")));
            String secret = Files.readString(state.resolve("approver-secret")).strip();
            Told right = Told.byProcess(
                    Map.of(StateOption.SECRET_VARIABLE, secret), "sessions", "end", id, "--state", state.toString());
            assertEquals(0, right.exit(), right.err());
            assertEquals("posted", StdioHost.text(host.call("post", "{\"text\":\"hello\"}")));
        }
    }

    @Test
    void modelsAnswer_withPrivateData_doesNotReachAnotherServer() throws Exception {
        Path second = folder.resolve("second.yaml");
        Files.writeString(
                second,
                Files.readString(policy)
                        .replace(
                                "  fixture:",
                                "  stranger:\n    defaults: {integrity: trusted, confidentiality: public}"));
        try (StdioHost host =
                host("", "--policy", second.toString(), "--session", "b").initialize("{\"sampling\":{}}")) {
            host.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"sample\"}}");
            assertEquals("sampling/createMessage", host.next().path("method").asString(""));
            // Meanwhile the same session reads private data through the other server's wrapper.
            try (StdioHost other =
                    host("", "--policy", policy.toString(), "--session", "b").initialize()) {
                assertFalse(StdioHost.isDenied(other.call("read", "{}")));
            }
            host.send("{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"result\":{\"role\":\"assistant\",\"model\":\"m\","
                    + "\"content\":{\"type\":\"text\",\"text\":\"it is 4711\"}}}");
            host.await(9);
        }
        String received = Files.readString(folder.resolve("received"));
        assertFalse(received.contains("it is 4711"), received);
        assertTrue(received.contains("does not let this answer out"), received);
    }

    @Test
    void personsFormAnswer_isReleasedAndRecorded_whateverTheSessionSaw() throws Exception {
        try (StdioHost other =
                host("", "--policy", policy.toString(), "--session", "a").initialize("{\"elicitation\":{}}")) {
            other.send("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"elicit\"}}");
            assertEquals("elicitation/create", other.next().path("method").asString(""));
            other.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":\"ask-2\",\"result\":{\"action\":\"accept\",\"content\":{\"n\":\"Ana\"}}}");
            assertEquals("answered", StdioHost.text(other.await(9).path("result")));
        }
        assertTrue(Files.readString(folder.resolve("received")).contains("Ana"));
        assertTrue(Kept.decisions(state).stream()
                .anyMatch(event -> event.path("method").asString("").equals("elicitation/create")
                        && event.path("decision").asString("").equals("allow")));
        assertFalse(Kept.audit(state).toString().contains("Ana"), "records hold no content");
    }

    @Test
    void changedDefinition_isHeldBack_denied_andAcceptedByTheApprover() throws Exception {
        try (StdioHost first =
                host("", "--policy", policy.toString(), "--session", "a").initialize()) {
            first.ask("tools/list", "{}");
        }
        try (StdioHost second = host("other-words", "--policy", policy.toString(), "--session", "a")) {
            JsonNode hello = second.ask(
                    "initialize",
                    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                            + "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
            assertFalse(hello.path("result").has("instructions"), hello.toString());
            JsonNode tools = second.ask("tools/list", "{}").path("result").path("tools");
            assertFalse(tools.toString().contains("tell everybody"), tools.toString());
            assertEquals(14, tools.size());
            JsonNode result = second.call("read", "{}");
            assertTrue(StdioHost.text(result).contains("definition changed"), StdioHost.text(result));
        }
        String secret = Files.readString(state.resolve("approver-secret")).strip();
        Told accepted = Told.byProcess(
                Map.of(StateOption.SECRET_VARIABLE, secret), "pins", "accept", "fixture", "--state", state.toString());
        assertEquals(0, accepted.exit(), accepted.err());
        try (StdioHost third = host("other-words", "--policy", policy.toString(), "--session", "a")
                .initialize()) {
            assertEquals("the secret number is 4711", StdioHost.text(third.call("read", "{}")));
        }
    }

    @Test
    void denialWithoutAPolicy_namesTheCommandThatClassifies_andItWorks() throws Exception {
        String text;
        try (StdioHost host = host("", "--session", "a").initialize()) {
            host.call("bare", "{}");
            JsonNode result = host.call("echo", "{}");
            assertTrue(StdioHost.isDenied(result), result.toString());
            text = StdioHost.text(result);
        }
        String shown = text.replaceFirst("(?s).*`sluice (classify [^`]*)`.*", "$1");
        List<String> arguments = new java.util.ArrayList<>(List.of(shown.split(" ")));
        arguments.addAll(List.of("--state", state.toString()));
        assertEquals("echo", arguments.get(2));
        assertEquals("<effects>", arguments.set(4, "reads"), "what it does is for the user to say");
        Told refused = Told.byProcess(arguments.toArray(String[]::new));
        assertEquals(1, refused.exit(), "an agent that runs it has no secret");
        String secret = Files.readString(state.resolve("approver-secret")).strip();
        Told done = Told.byProcess(Map.of(StateOption.SECRET_VARIABLE, secret), arguments.toArray(String[]::new));
        assertEquals(0, done.exit(), done.err());
        try (StdioHost host = host("", "--session", "a").initialize()) {
            assertFalse(StdioHost.isDenied(host.call("echo", "{\"text\":\"hello\"}")));
        }
    }

    @Test
    void stateInAFolderThatTheServerIsGiven_isRefused() throws Exception {
        Told told =
                Told.byProcess("run", "--state", folder.resolve("in/state").toString(), "--", "cat", folder.toString());
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("`--state`"), told.err());
        assertFalse(Files.exists(folder.resolve("in")), "nothing was made");
    }

    @Test
    void addressThatIsNotEncrypted_isToldWithItsOption() throws Exception {
        Told told = Told.byProcess("run", "--state", state.toString(), "--url", "http://notes.example/mcp");
        assertEquals(1, told.exit());
        assertEquals(
                "sluice: `--url`: `http://notes.example/mcp` is not encrypted; write https, or, where everybody on the"
                        + " way may read and change what is said, `--insecure`\n",
                told.err());
    }

    @Test
    void commandThatIsNoProgram_isSaidInOneLine() throws Exception {
        Told told = Told.byProcess("run", "--state", state.toString(), "--", "no-such-program-here");
        assertEquals(1, told.exit());
        assertTrue(told.err().contains("`no-such-program-here` is not a program"), told.err());
        assertEquals("", told.out());
    }
}
