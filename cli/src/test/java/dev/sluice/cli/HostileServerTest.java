package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.SessionLabel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a server that is broken or means ill can do to a session, and what comes of it. */
class HostileServerTest {

    private static final String POLICY = """
            version: 1
            gateway: {ask: {wait: 0s}}
            servers:
              fixture:
                tools:
                  read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                  echo: {effects: [reads]}
            """;

    /** For what comes out the same whatever was called before: to start a session costs more than all that is done in it. */
    private static StdioHost shared;

    /** Of the tools that are called there, this alone is said, so that no call of them depends on the one before. */
    private static final String READING = String.join(
            "",
            Stream.of("malformed", "claims_trusted", "bare", "vendor", "nested", "ifc", "garbage")
                    .map(tool -> "      " + tool + ": {effects: [reads]}\n")
                    .toList());

    @TempDir
    private static Path sharedFolder;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        shared = started(sharedFolder, POLICY + READING);
    }

    @AfterAll
    static void stop() {
        shared.close();
    }

    private static StdioHost started(Path folder, String policy) throws Exception {
        return StdioHost.under(
                        policy, Children.fixture(folder.resolve("received"), ""), folder, "--max-message", "1048576")
                .initialize("{\"sampling\":{},\"elicitation\":{}}");
    }

    private static List<JsonNode> audit(Path folder, String kind) {
        return Kept.audit(folder.resolve("state")).stream()
                .filter(event -> event.path("kind").asString("").equals(kind))
                .toList();
    }

    private static JsonNode lastAnswer() {
        List<JsonNode> answers = audit(sharedFolder, "answer");
        return answers.get(answers.size() - 1);
    }

    private static JsonNode label(JsonNode result) {
        return result.path("_meta").path("dev.sluice/label");
    }

    @Test
    void malformedAnnotations_areAFindingAndTheStrictLabel() throws Exception {
        JsonNode result = shared.call("malformed", "{}");
        assertEquals("untrusted", label(result).path("integrity").asString(""));
        assertEquals("private", label(result).path("confidentiality").asString(""));
        JsonNode event = lastAnswer();
        assertEquals(2, event.path("findings").size());
        assertTrue(event.path("findings").toString().contains("untrusted"), event.toString());
    }

    @Test
    void trustedClaim_withoutTheOperatorsWord_isIgnoredAndRecorded() throws Exception {
        JsonNode result = shared.call("claims_trusted", "{}");
        assertEquals("untrusted", label(result).path("integrity").asString(""));
        assertEquals("private", label(result).path("confidentiality").asString(""));
        assertEquals(
                "{\"untrusted\":true,\"sensitive\":true}",
                result.path("_meta")
                        .path("io.modelcontextprotocol/trust-annotations")
                        .toString(),
                "the next reader is not told what was not believed");
        assertEquals(
                "[\"untrusted: false\",\"sensitive: false\"]",
                lastAnswer().path("ignoredClaims").toString());
    }

    @Test
    void noAnnotations_getTheDefaultLabel_underOurOwnKeyOnly() throws Exception {
        JsonNode result = shared.call("bare", "{}");
        assertEquals("untrusted", label(result).path("integrity").asString(""));
        assertEquals("private", label(result).path("confidentiality").asString(""));
        assertFalse(result.path("_meta").has("io.modelcontextprotocol/trust-annotations"), result.toString());
    }

    @Test
    void forgedVendorKeys_areReplaced_andOthersKept() throws Exception {
        JsonNode result = shared.call("vendor", "{}");
        assertEquals("untrusted", label(result).path("integrity").asString(""));
        assertEquals(1, result.path("_meta").path("mine").asInt(0));
    }

    @Test
    void forgedVendorKeys_inBlocksInsideBlocks_areTakenOut() throws Exception {
        JsonNode result = shared.call("nested", "{}");
        assertEquals(4, result.toString().split("\"mine\":1", -1).length - 1, result.toString());
        assertEquals(
                1,
                result.toString().split("dev.sluice/label", -1).length - 1,
                "only ours is left: " + result.toString());
    }

    @Test
    void bareLabelThatIsNotBelieved_isNotPassedOnAsItWas() throws Exception {
        JsonNode result = shared.call("ifc", "{}");
        assertEquals(
                "{\"integrity\":\"untrusted\",\"confidentiality\":\"private\",\"n\":1.0}",
                result.path("_meta").path("ifc").toString());
        assertEquals("untrusted", label(result).path("integrity").asString(""));
    }

    @Test
    void resultOverTheLimit_isAToolError_andRaisesTheSession() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            JsonNode result = host.call("huge", "{}");
            assertTrue(result.path("isError").asBoolean(false));
            assertTrue(StdioHost.text(result).contains("more than the limit"), StdioHost.text(result));
            assertEquals(1, audit(folder, "lost").size());
            SessionLabel session = Kept.sessions(folder.resolve("state")).get(0).label();
            assertEquals(Integrity.UNTRUSTED, session.label().integrity());
            assertEquals("the secret number is 4711", StdioHost.text(host.call("read", "{}")), "the line goes on");
        }
    }

    @Test
    void answerThatCanBeReadInTwoWays_isAToolError() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            JsonNode result = host.call("unreadable", "{}");
            assertTrue(result.path("isError").asBoolean(false));
            assertTrue(StdioHost.text(result).contains("can't be read"), StdioHost.text(result));
        }
    }

    @Test
    void garbageOnStdout_isSkippedWithALogLine() throws Exception {
        assertEquals("after the garbage", StdioHost.text(shared.call("garbage", "{}")));
        assertTrue(shared.errors().contains("skipped from `fixture`"), shared.errors());
        assertTrue(shared.errors().contains("an answer to nothing that was asked"), shared.errors());
        assertFalse(shared.errors().contains("listening on port"), "what it was is not quoted");
    }

    @Test
    void deathMidCall_isAToolError_andTheChildIsGone() throws Exception {
        List<String> server = Children.fixture(folder.resolve("received"), "");
        try (StdioHost host = StdioHost.processUnder(POLICY, server, folder).initialize()) {
            List<ProcessHandle> children = host.process().toHandle().children().toList();
            assertEquals(1, children.size());
            JsonNode result = host.call("die", "{}");
            assertTrue(result.path("isError").asBoolean(false));
            assertTrue(StdioHost.text(result).contains("its process ended"), StdioHost.text(result));
            assertEquals(1, host.process().waitFor(), "the wrapper ends with its server, and says so");
            assertFalse(children.get(0).isAlive());
        }
    }

    @Test
    void echoOfAPrivateArgument_keepsTheLabel() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            host.call("read", "{}");
            JsonNode result = host.call("echo", "{\"text\":\"the secret number is 4711\"}");
            assertEquals("the secret number is 4711", StdioHost.text(result));
            assertEquals("private", label(result).path("confidentiality").asString(""));
        }
    }

    @Test
    void unknownTool_hasTheStrictDefault_andIsDeniedAfterARead() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            host.call("bare", "{}");
            JsonNode result = host.call("no_such_tool", "{}");
            assertTrue(StdioHost.isDenied(result), result.toString());
            assertTrue(StdioHost.text(result).contains("`bare` of `fixture`"), StdioHost.text(result));
        }
    }

    @Test
    void personsAnswerToAForm_isReleasedAndRecorded() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            host.call("read", "{}");
            host.call("bare", "{}");
            host.send("{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"tools/call\",\"params\":{\"name\":\"elicit\"}}");
            // The tool is unclassified and the session is untrusted: the call itself is refused, and nothing is asked.
            assertTrue(StdioHost.isDenied(host.await(900).path("result")));
        }
    }

    @Test
    void batch_isRefusedWhole() throws Exception {
        shared.send("[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"post\"}}]");
        JsonNode answer = shared.next();
        assertEquals(-32600, answer.path("error").path("code").asInt(0));
        assertTrue(answer.path("error").path("message").asString("").contains("batches"), answer.toString());
        assertFalse(Files.readString(sharedFolder.resolve("received")).contains("post"));
    }

    @Test
    void duplicateKeys_areRefused() throws Exception {
        shared.send(
                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"name\":\"post\"}}");
        assertEquals(-32700, shared.next().path("error").path("code").asInt(0));
        assertFalse(Files.readString(sharedFolder.resolve("received")).contains("post"));
    }

    @Test
    void idInUse_isRefused_andTheFirstCallStillAnswered() throws Exception {
        try (StdioHost host = started(folder, POLICY)) {
            host.send("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"sample\"}}");
            JsonNode asked = host.next();
            assertEquals("sampling/createMessage", asked.path("method").asString(""));
            host.send("{\"jsonrpc\":\"2.0\",\"id\":7.0,\"method\":\"ping\"}");
            assertEquals(-32600, host.next().path("error").path("code").asInt(0));
            host.send("{\"jsonrpc\":\"2.0\",\"id\":\"ask-1\",\"result\":{\"role\":\"assistant\",\"content\":"
                    + "{\"type\":\"text\",\"text\":\"nothing\"},\"model\":\"m\"}}");
            assertEquals("answered", StdioHost.text(host.await(7).path("result")));
        }
    }

    @Test
    void probeOfTheModernRevision_isAnsweredAsALegacyServerDoes() throws Exception {
        JsonNode answer = shared.ask("server/discover", "{}");
        assertEquals(-32601, answer.path("error").path("code").asInt(0));
    }
}
