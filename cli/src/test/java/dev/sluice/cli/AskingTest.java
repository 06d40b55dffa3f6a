package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A call that waits for a person, over a real wrapper: asked through its client, or answered elsewhere. */
class AskingTest {

    private static final String FORMS = "{\"elicitation\":{}}";
    private static final String CALL =
            "{\"name\":\"post\",\"arguments\":{\"text\":\"my ```words\"}" + ",\"_meta\":{\"progressToken\":\"p\"}}";

    @TempDir
    private Path folder;

    /** A policy that asks about a post of whoever has read untrusted text. */
    static String policy(String ask) {
        return """
                version: 1
                gateway:
                  ask: %s
                servers:
                  fixture:
                    tools:
                      read: {effects: [reads], returns: {integrity: untrusted, confidentiality: public}}
                      post:
                        effects: [sends]
                        audience: public
                        payload: [text]
                        derives: false
                        returns: {integrity: trusted, confidentiality: public}
                """.formatted(ask);
    }

    /** A client that has read untrusted text. */
    private StdioHost host(String ask, String capabilities) throws Exception {
        StdioHost host = StdioHost.under(policy(ask), folder).initialize(capabilities);
        host.call("read", "{}");
        return host;
    }

    private static void post(StdioHost host, int id) throws Exception {
        host.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":" + CALL + "}");
    }

    private static JsonNode next(StdioHost host, String method) throws Exception {
        JsonNode message = host.next();
        while (!message.path("method").asString("").equals(method)) {
            assertTrue(message.has("method"), "not answered yet: " + message);
            message = host.next();
        }
        return message;
    }

    private static void answer(StdioHost host, JsonNode asked, String result) throws Exception {
        host.send("{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id") + "," + result + "}");
    }

    private boolean posted() throws Exception {
        return Files.readString(folder.resolve("received")).contains("my ```words");
    }

    @Test
    void approver_isShownTheCall_andItGoesThroughOnce() throws Exception {
        try (StdioHost host = host("{wait: 5m, approvers: [{client: t}]}", FORMS)) {
            post(host, 70);
            JsonNode asked = next(host, "elicitation/create");
            String shown = asked.path("params").path("message").asString("");
            assertTrue(shown.contains("If you approve, `post` of `fixture` runs once"), shown);
            assertTrue(shown.contains("  | \"text\": \"my ```words\""), shown);
            assertEquals(2, shown.lines().filter(line -> line.startsWith("```")).count(), "nothing ends the block");
            assertFalse(shown.contains("--flow"), shown);
            assertFalse(posted());
            answer(host, asked, "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"approve\"}}");
            assertEquals("posted", StdioHost.text(host.await(70).path("result")));
            post(host, 71);
            JsonNode again = next(host, "elicitation/create");
            answer(host, again, "\"result\":{\"action\":\"decline\"}");
            JsonNode denied = host.await(71).path("result");
            assertTrue(StdioHost.text(denied).contains("and said no"), denied.toString());
        }
        assertTrue(Kept.audit(folder.resolve("state")).stream()
                .anyMatch(event -> event.path("event").asString("").equals("approved")
                        && event.path("by").asString("").equals("client")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"deny\"}}           | denied",
                "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"Approve\"}}        | denied",
                "\"result\":{\"action\":\"accept\"}                                             | denied",
                "\"result\":{\"action\":\"cancel\"}                                             | pending",
                "\"result\":{\"action\":\"allow\",\"content\":{\"answer\":\"approve\"}}         | pending",
                "\"result\":\"approve\"                                                         | pending",
                "\"error\":{\"code\":-1,\"message\":\"approve\"}                                | pending"
            })
    void anythingButApprove_letsNothingThrough(String answer, String state) throws Exception {
        try (StdioHost host = host("{wait: 2s, approvers: [{client: t}]}", FORMS)) {
            post(host, 70);
            answer(host, next(host, "elicitation/create"), answer);
            JsonNode result = host.await(70).path("result");
            assertTrue(StdioHost.isDenied(result), result.toString());
            assertEquals(
                    state,
                    result.path("_meta")
                            .path("dev.sluice/decision")
                            .path("approval")
                            .path("state")
                            .asString(""),
                    result.toString());
            assertFalse(posted());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{wait: 1s}                                       | {\"elicitation\":{}}",
                "{wait: 1s, approvers: [{client: other}]}         | {\"elicitation\":{}}",
                "{wait: 1s, approvers: [{principal: somebody}]}   | {\"elicitation\":{}}",
                "{wait: 1s, approvers: [{client: t}]}             | {}",
                "{wait: 1s, approvers: [{client: t}]}             | {\"elicitation\":{\"url\":{}}}"
            })
    void clientThatIsNoApproverOrCannotAsk_isNotAsked_andHearsThatItWaits(String ask, String capabilities)
            throws Exception {
        try (StdioHost host = host(ask, capabilities)) {
            post(host, 70);
            JsonNode result = host.await(70).path("result");
            assertTrue(
                    StdioHost.text(result).contains("call again with exactly the same arguments"), result.toString());
            for (JsonNode before = host.next(); ; before = host.next()) {
                assertFalse(before.path("method").asString("").startsWith("elicitation"), before.toString());
                if (before.path("method").asString("").equals("notifications/progress")) {
                    assertEquals(
                            "p", before.path("params").path("progressToken").asString(""));
                    assertTrue(before.path("params").path("progress").asDouble(1) < 0.001, before.toString());
                    break;
                }
            }
            assertFalse(posted());
        }
    }

    @Test
    void approvedElsewhereWhileItWaits_goesThrough() throws Exception {
        Path state = folder.resolve("state");
        try (StdioHost host = host("{wait: 5m}", "{}")) {
            post(host, 70);
            next(host, "notifications/progress");
            Told listed = Told.by(Map.of(), "approvals", "list", "--state", state.toString());
            Told approved = Told.by(
                    Map.of(StateOption.SECRET_VARIABLE, Files.readString(state.resolve("approver-secret"))),
                    "approvals",
                    "approve",
                    listed.out().substring(0, 10),
                    "--state",
                    state.toString());
            assertEquals(0, approved.exit(), listed.out() + approved.err());
            assertEquals("posted", StdioHost.text(host.await(70).path("result")));
        }
    }

    @Test
    void callTakenBack_takesItsQuestionBackToo_andALateAnswerSendsNothing() throws Exception {
        try (StdioHost host = host("{wait: 5m, approvers: [{client: t}]}", FORMS)) {
            post(host, 70);
            JsonNode asked = next(host, "elicitation/create");
            host.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":70}}");
            JsonNode taken = next(host, "notifications/cancelled");
            assertEquals(asked.path("id"), taken.path("params").path("requestId"));
            answer(host, asked, "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"approve\"}}");
            // Another request takes the id over: the call that was taken back must not run in its name.
            host.send("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}");
            assertEquals(
                    "the secret number is 4711", StdioHost.text(host.await(70).path("result")));
            assertFalse(posted());
        }
    }

    @Test
    void lateAnswer_countsForTheSameCallAgain() throws Exception {
        try (StdioHost host = host("{wait: 1s, approvers: [{client: t}]}", FORMS)) {
            post(host, 70);
            JsonNode asked = next(host, "elicitation/create");
            assertTrue(StdioHost.isDenied(host.await(70).path("result")));
            answer(host, asked, "\"result\":{\"action\":\"accept\",\"content\":{\"answer\":\"approve\"}}");
            post(host, 71);
            assertEquals("posted", StdioHost.text(host.await(71).path("result")));
        }
    }

    @Test
    void otherCalls_goOnWhileOneWaits() throws Exception {
        try (StdioHost host = host("{wait: 5m}", "{}")) {
            post(host, 70);
            next(host, "notifications/progress");
            assertEquals("the secret number is 4711", StdioHost.text(host.call("read", "{}")));
            // Whoever leaves while a call is out is waited for a while.
            host.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":70}}");
        }
    }
}
