package dev.sluice.examples.mail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the process does with its streams, its arguments and its exit code. */
class MailServerStreamsTest {

    private static final String INITIALIZE = """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            """;

    @TempDir
    private Path folder;

    @Test
    void input_thatEndsAtOnce_isAnsweredInOrderBeforeTheEnd() throws Exception {
        StringBuilder input = new StringBuilder(INITIALIZE.formatted("2025-11-25"));
        for (int id = 2; id <= 60; id++) {
            input.append("{\"jsonrpc\":\"2.0\",\"id\":")
                    .append(id)
                    .append(",\"method\":\"tools/call\",\"params\":{\"name\":\"list_inbox\"}}\n");
        }

        ServerProcess ended = ServerProcess.run(input.toString());

        assertEquals(0, ended.exitCode(), ended.err());
        assertEquals("", ended.err());
        List<JsonNode> messages = messages(ended);
        assertEquals(60, messages.size());
        for (int i = 0; i < messages.size(); i++) {
            assertEquals(i + 1, messages.get(i).path("id").intValue());
            assertTrue(messages.get(i).path("result").isObject());
        }
    }

    @Test
    void line_thatIsNoMessage_isLeftOutAndTheNextAnswered() throws Exception {
        ServerProcess ended = ServerProcess.run(INITIALIZE.formatted("2025-06-18")
                + "not json\n[1]\n\n{\"a\":1}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");

        assertEquals(0, ended.exitCode(), ended.err());
        List<JsonNode> messages = messages(ended);
        assertEquals(2, messages.size(), ended.out());
        assertEquals("2025-06-18", messages.get(0).at("/result/protocolVersion").stringValue());
        assertEquals(2, messages.get(1).path("id").intValue());
        assertEquals("mail-server: a line that is no JSON-RPC message is left out\n".repeat(3), ended.err());
    }

    @Test
    void toolsList_isTheSameAtEachStart() throws Exception {
        String input =
                INITIALIZE.formatted("2025-11-25") + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";

        String first = ServerProcess.run(input).out();

        // A client may pin a digest of the bytes, so no member may change its place.
        assertEquals(first, ServerProcess.run(input).out());
        assertEquals(4, messages(first).get(1).at("/result/tools").size());
    }

    @Test
    void outbox_thatCannotBeWritten_endsTheServerWithTheMend() throws Exception {
        Path missing = folder.resolve("none").resolve("outbox.jsonl");

        ServerProcess ended = ServerProcess.run("", "--outbox", missing.toString());

        assertEquals(1, ended.exitCode());
        assertEquals("", ended.out());
        assertEquals(
                "mail-server: cannot write the outbox `" + missing
                        + "`: make its folder, or give a file that can be written\n",
                ended.err());
    }

    @Test
    void arguments_thatAreNotKnown_endTheServerWithTheUsage() throws Exception {
        ServerProcess ended = ServerProcess.run("", "--outbox");

        assertEquals(2, ended.exitCode());
        assertEquals("", ended.out());
        assertTrue(ended.err().startsWith("mail-server: cannot read the arguments `--outbox`\nusage: "), ended.err());
    }

    @Test
    void client_thatDoesNotReadOn_endsTheServer() throws Exception {
        Process process = new ProcessBuilder(ServerProcess.command())
                .redirectError(folder.resolve("err").toFile())
                .start();
        try {
            process.getInputStream().close();
            OutputStream in = process.getOutputStream();
            in.write(INITIALIZE.formatted("2025-11-25").getBytes(StandardCharsets.UTF_8));
            in.flush();

            // The input stays open, so only the failing output can end the server.
            assertTrue(process.waitFor(2, TimeUnit.MINUTES), "the server goes on");
            assertEquals(1, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
        assertEquals(
                "mail-server: the client is gone without closing the server's input: nothing is left to answer\n",
                Files.readString(folder.resolve("err")));
    }

    private static List<JsonNode> messages(ServerProcess ended) {
        return messages(ended.out());
    }

    private static List<JsonNode> messages(String out) {
        return out.lines().map(JsonMapper.shared()::readTree).toList();
    }
}
