package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A modern client that is asked in the answer to its call, over a real wrapper. */
class ModernAskingTest {

    private static final String APPROVE = "{\"action\":\"accept\",\"content\":{\"answer\":\"approve\"}}";

    @TempDir
    private Path folder;

    private StdioHost host() throws Exception {
        StdioHost host = StdioHost.under(AskingTest.policy("{wait: 0s, approvers: [{client: desk}]}"), folder);
        call(host, "read", "{}", "");
        return host;
    }

    private static JsonNode call(StdioHost host, String tool, String arguments, String more) throws Exception {
        return host.ask(
                "tools/call",
                "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + more
                        + ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                        + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"desk\",\"version\":\"1\"},"
                        + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}}");
    }

    private static JsonNode post(StdioHost host, String more) throws Exception {
        return call(host, "post", "{\"text\":\"my words\"}", more);
    }

    /** Returns what brings the question in {@code asked} back. */
    private static String back(JsonNode asked, String answer) {
        JsonNode result = asked.path("result");
        assertEquals("input_required", result.path("resultType").asString(""), asked.toString());
        String key = result.path("inputRequests").propertyNames().iterator().next();
        return ",\"requestState\":" + result.path("requestState") + ",\"inputResponses\":{\"" + key + "\":" + answer
                + "}";
    }

    private boolean posted() throws Exception {
        return Files.readString(folder.resolve("received")).contains("my words");
    }

    @Test
    void approvedInTheAnswer_goesThroughOnce() throws Exception {
        try (StdioHost host = host()) {
            String back = back(post(host, ""), APPROVE);
            assertFalse(posted());
            assertEquals("posted", StdioHost.text(post(host, back).path("result")));
            assertTrue(posted());
            JsonNode again = post(host, back);
            assertEquals(-32602, again.at("/error/code").asInt(0), again.toString());
        }
        assertFalse(
                Files.readString(folder.resolve("received")).contains("sluice-ask"), "nothing of it is the server's");
    }

    @Test
    void closedForm_endsInADenial() throws Exception {
        try (StdioHost host = host()) {
            JsonNode denied =
                    post(host, back(post(host, ""), "{\"action\":\"cancel\"}")).path("result");
            assertTrue(StdioHost.isDenied(denied), denied.toString());
            assertTrue(StdioHost.text(denied).contains("sluice approvals show"), denied.toString());
            assertFalse(posted());
        }
    }

    @Test
    void stateOutlivesTheProcess_andSoDoesAnAnswerGivenElsewhere() throws Exception {
        Path state = folder.resolve("state");
        String closed;
        String approved;
        try (StdioHost host = host()) {
            JsonNode asked = post(host, "");
            closed = back(asked, "{\"action\":\"cancel\"}");
            approved = back(asked, APPROVE);
        }
        Told listed = Told.by(Map.of(), "approvals", "list", "--state", state.toString());
        Told told = Told.by(
                Map.of(StateOption.SECRET_VARIABLE, Files.readString(state.resolve("approver-secret"))),
                "approvals",
                "approve",
                listed.out().substring(0, 10),
                "--state",
                state.toString());
        assertEquals(0, told.exit(), listed.out() + told.err());
        try (StdioHost host = host()) {
            JsonNode done = post(host, closed);
            assertEquals("posted", StdioHost.text(done.path("result")), done.toString());
            JsonNode again = post(host, approved);
            assertTrue(again.at("/error/message").asString("").contains("was given back before"), again.toString());
        }
    }
}
