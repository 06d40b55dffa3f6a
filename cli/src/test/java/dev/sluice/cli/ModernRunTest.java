package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A modern client over real stdio, in front of a legacy server that {@code sluice run} wraps. */
class ModernRunTest {

    private static final String POLICY = """
            version: 1
            gateway: {ask: {wait: 0s}}
            servers:
              fixture:
                tools:
                  read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                  elicit: {effects: [reads]}
                  post: {effects: [sends], audience: public, payload: [text]}
            """;

    private static final String SAID = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}";

    @TempDir
    private Path folder;

    private static JsonNode ask(StdioHost host, String method, String params) throws IOException {
        return host.ask(method, "{" + params + (params.isEmpty() ? "" : ",") + SAID + "}");
    }

    private static JsonNode call(StdioHost host, String tool, String more) throws IOException {
        return ask(host, "tools/call", "\"name\":\"" + tool + "\",\"arguments\":{\"text\":\"4711\"}" + more)
                .path("result");
    }

    @Test
    void legacyServer_isDiscovered_listedAndCalled_andWhatItReadsIsNotPosted() throws IOException {
        try (StdioHost host = StdioHost.under(POLICY, folder)) {
            JsonNode found = ask(host, "server/discover", "").path("result");
            assertEquals("2026-07-28", found.at("/supportedVersions/0").asString(), found.toString());
            assertEquals("Be kind.", found.path("instructions").asString());
            JsonNode tools = ask(host, "tools/list", "").path("result");
            assertEquals("complete", tools.path("resultType").asString(), tools.toString());
            assertEquals("private", tools.path("cacheScope").asString(), tools.toString());
            assertFalse(StdioHost.isDenied(call(host, "post", "")));
            JsonNode read = call(host, "read", "");
            assertEquals("the secret number is 4711", StdioHost.text(read));
            assertEquals("complete", read.path("resultType").asString(), read.toString());
            JsonNode denied = call(host, "post", "");
            assertTrue(StdioHost.isDenied(denied), denied.toString());
            assertEquals("complete", denied.path("resultType").asString(), denied.toString());
        }
    }

    @Test
    void whatAServerAsks_isAnsweredWithTheCallMadeAgain() throws IOException {
        try (StdioHost host = StdioHost.under(POLICY, folder)) {
            JsonNode asked = call(host, "elicit", "");
            assertEquals("input_required", asked.path("resultType").asString(), asked.toString());
            assertEquals(
                    "your name?",
                    asked.at("/inputRequests/input-1/params/message").asString());
            JsonNode answer = call(
                    host,
                    "elicit",
                    ",\"inputResponses\":{\"input-1\":{\"action\":\"accept\",\"content\":{\"name\":\"Ana\"}}},"
                            + "\"requestState\":" + asked.path("requestState"));
            assertEquals("answered", StdioHost.text(answer), answer.toString());
            String received = Files.readString(folder.resolve("received"));
            assertTrue(received.contains("\"id\":\"ask-2\",\"result\":{\"action\":\"accept\""), received);
            assertFalse(received.contains("requestState"), received);
        }
    }
}
