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

/** Parts of answers that do not reach the client, over real stdio. */
class RedactionTest {

    @TempDir
    private Path folder;

    private StdioHost host(String mode, String on) throws IOException {
        return host("version: 1\nmode: " + mode
                + "\nservers:\n  fixture:\n    tools: {read: {}, vendor: {}, nested: {}}\n"
                + "redact:\n  - {id: quiet, " + on + "when: label.integrity == 'untrusted', because: it is late}\n");
    }

    private StdioHost host(String policy) throws IOException {
        return StdioHost.under(policy, folder).initialize();
    }

    @Test
    void answer_losesItsText_inEveryModeWithCalls() throws Exception {
        try (StdioHost host = host("warn", "on: {tools: [read, vendor]}, ")) {
            JsonNode read = host.call("read", "{}");
            JsonNode vendor = host.call("vendor", "{}");
            JsonNode bare = host.call("bare", "{}");

            assertEquals("[redacted: quiet]", StdioHost.text(read));
            assertFalse(read.toString().contains("4711"));
            assertEquals(
                    "trusted",
                    read.path("_meta")
                            .path("dev.sluice/label")
                            .path("integrity")
                            .asString(""));
            assertEquals(
                    1,
                    read.path("_meta").path("dev.sluice/redacted").path("count").asInt(0));
            assertFalse(vendor.path("_meta").has("mine"), "what a server adds is its text too");
            assertEquals("nothing said", StdioHost.text(bare), "the rule is not about it");
        }
        JsonNode record = Kept.audit(folder.resolve("state")).stream()
                .filter(event -> event.path("kind").asString("").equals("answer"))
                .findFirst()
                .orElseThrow();
        assertEquals("{\"quiet\":1}", record.path("redacted").toString());
    }

    @Test
    void spanOfAText_goesAlone_inAnswersAndResources() throws Exception {
        String policy = """
                version: 1
                servers:
                  fixture:
                    defaults:
                      integrity: trusted
                      spans: {match: '\\d{4}|priv[a-z]+', classes: [number]}
                redact: {id: quiet, when: "label.classes.exists(c, c.name == 'number')"}
                """;
        try (StdioHost host = host(policy)) {
            JsonNode read = host.call("read", "{}");
            JsonNode note = host.ask("resources/read", "{\"uri\":\"note:1\"}");

            assertEquals("the secret number is [redacted: quiet]", StdioHost.text(read));
            assertEquals(
                    "{\"quiet\":1}",
                    read.path("_meta").path("dev.sluice/redacted").path("rules").toString());
            assertEquals(
                    "a [redacted: quiet] note",
                    note.path("result").path("contents").path(0).path("text").asString(""));
        }
    }

    @Test
    void errorsResourcesAndMessages_loseTheirTextToo() throws Exception {
        try (StdioHost host = host("enforce", "")) {
            JsonNode note = host.ask("resources/read", "{\"uri\":\"note:1\"}");
            JsonNode error = host.ask("prompts/get", "{\"name\":\"none\"}");
            JsonNode completion = host.ask("completion/complete", "{}");
            JsonNode sampled = host.call("sample", "{}");

            assertFalse(note.toString().contains("private note"), note.toString());
            assertEquals(
                    "[redacted: quiet]", error.path("error").path("message").asString(""));
            assertEquals(-31403, error.path("error").path("code").asInt(0));
            assertTrue(
                    completion.path("result").path("completion").path("values").isEmpty());
            assertEquals("[redacted: quiet]", StdioHost.text(sampled), "the server was told that nobody is asked");
        }
        assertTrue(
                Files.readAllLines(folder.resolve("received")).stream()
                        .anyMatch(line -> line.contains("keeps this request back")),
                "the request did not reach the client");
    }
}
