package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Integrity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The request side of SEP-1913: what a server is told of the session, and what a client says of its own context. */
class InformedTest {

    @TempDir
    private Path folder;

    private StdioHost host(boolean informed) throws IOException {
        return StdioHost.under("version: 1\nmode: audit\nservers:\n  fixture: {informed: " + informed + "}\n", folder)
                .initialize();
    }

    /** Returns the calls that reached the server, as their lines. */
    private List<String> received() throws IOException {
        return Files.readAllLines(folder.resolve("received")).stream()
                .filter(line -> line.contains("\"tools/call\""))
                .toList();
    }

    private static JsonNode annotations(String line) {
        return JsonMapper.shared().readTree(line).path("params").path("_meta").path("annotations");
    }

    @Test
    void informedServer_isToldWhatTheSessionHasSeen_andNothingBefore() throws Exception {
        try (StdioHost host = host(true)) {
            host.call("read", "{}");
            host.call("echo", "{\"text\":\"a\"}");
            host.ask(
                    "tools/call",
                    "{\"name\":\"echo\",\"_meta\":{\"a\":1.0,\"annotations\":{\"openWorldHint\":false,\"n\":1.50}},"
                            + "\"arguments\":{}}");
        }

        List<String> calls = received();
        assertTrue(annotations(calls.get(0)).isMissingNode(), calls.get(0));
        assertEquals(
                "{\"openWorldHint\":true,\"privateHint\":true}",
                annotations(calls.get(1)).toString());
        assertTrue(
                calls.get(2)
                        .contains(
                                "\"_meta\":{\"a\":1.0,\"annotations\":{\"openWorldHint\":true,\"n\":1.50,\"privateHint\":true}}"),
                calls.get(2));
    }

    @Test
    void otherServer_isToldNothing_byteForByte() throws Exception {
        String call =
                "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"_meta\":"
                        + "{\"annotations\":{\"attribution\":[\"urn:x\"]}},\"arguments\":{\"text\":\"b\"}}}";
        try (StdioHost host = host(false)) {
            host.call("read", "{}");
            host.send(call);
            host.await(77);
        }

        assertEquals(call, received().get(1));
    }

    @Test
    void clientsWordOnItsContext_raisesTheSession_once() throws Exception {
        Path state = folder.resolve("state");
        try (StdioHost host = host(false)) {
            for (int i = 0; i < 2; i++) {
                host.ask(
                        "tools/call",
                        "{\"name\":\"none\",\"_meta\":{\"annotations\":{\"openWorldHint\":true,\"privateHint\":false}},"
                                + "\"arguments\":{}}");
            }
        }

        List<JsonNode> told = Kept.audit(state).stream()
                .filter(event -> event.path("kind").asString("").equals("told"))
                .toList();
        assertEquals(1, told.size());
        assertEquals("untrusted", told.get(0).path("label").path("integrity").asString(""));
        JsonNode decision = Kept.decisions(state).get(0);
        assertEquals("untrusted", decision.path("label").path("integrity").asString(""), "before the call is decided");
        assertEquals(
                Integrity.UNTRUSTED, Kept.sessions(state).get(0).label().label().integrity());
    }
}
