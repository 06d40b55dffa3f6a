package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Revision 2026-07-28 over HTTP: what is served, with which status what is not, and what a client that leaves ends. */
class ModernHttpTest {

    private static final String VERSION = "MCP-Protocol-Version";
    private static final String BODY_VERSION = "io.modelcontextprotocol/protocolVersion";

    /** A server that keeps what it gets in the file {@code $1}, and whose tool {@code slow} never answers. */
    private static final String SERVER = """
            while IFS= read -r line; do
              printf '%s\\n' "$line" >> "$1"
              id=${line#*\\"id\\":}
              id=${id%%[,\\}]*}
              case $line in
              *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"sh","version":"1"}}}' ;;
              *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"quick","inputSchema":{"type":"object"}},{"name":"slow","inputSchema":{"type":"object"}}]}}' ;;
              *'"slow"'*) ;;
              *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
              *'"resources/read"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"contents":[{"uri":"note:1","text":"a note"}]}}' ;;
              *'"method":"notifications/'*) ;;
              *'"method"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"not here"}}' ;;
              esac
            done
            """;

    @TempDir
    private static Path folder;

    private static Path received = Path.of("");
    private static @Nullable HttpClientSide running;

    private HttpClientSide gateway;
    private ModernClient client;

    @BeforeAll
    static void start() throws Exception {
        received = folder.resolve("received");
        Path server = Files.writeString(folder.resolve("server.sh"), SERVER);
        Path policy = Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                servers:
                  one:
                    command: %s
                    tools:
                      quick: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                      slow: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(
                        JsonMapper.shared().writeValueAsString(List.of("sh", server.toString(), received.toString()))));
        running = HttpClientSide.within(policy, folder.resolve("state"));
    }

    @BeforeEach
    void connect() {
        gateway = Objects.requireNonNull(running);
        client = new ModernClient(gateway.address);
    }

    @AfterEach
    void close() {
        client.close();
    }

    @AfterAll
    static void stop() {
        if (running != null) {
            running.close();
        }
    }

    private ModernClient.Asked quick() {
        return client.call("quick", "{}");
    }

    private static void assertFails(int status, int code, HttpResponse<String> answer) {
        assertEquals(status, answer.statusCode(), answer.body());
        assertEquals(
                code,
                JsonMapper.shared()
                        .readTree(answer.body())
                        .path("error")
                        .path("code")
                        .asInt(0),
                answer.body());
    }

    @Test
    void call_isAnsweredUnderItsOwnId_andNoSessionIsMade() throws Exception {
        ModernClient.Asked asked = quick();
        asked.message.put("id", "my own");
        HttpResponse<String> answer = asked.header("Mcp-Session-Id", "of another era")
                .header("Last-Event-ID", "a-1-2")
                .send();

        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(
                "application/json", answer.headers().firstValue("Content-Type").orElseThrow());
        assertTrue(answer.headers().firstValue("Mcp-Session-Id").isEmpty());
        JsonNode message = JsonMapper.shared().readTree(answer.body());
        assertEquals("my own", message.path("id").asString(""));
        assertEquals("complete", message.path("result").path("resultType").asString(""));
        assertEquals("done", StdioHost.text(message.path("result")));
    }

    @Test
    void discover_namesTheRevision() throws Exception {
        HttpResponse<String> answer = client.ask("server/discover", "{}").send();

        assertEquals(200, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("\"" + ModernClient.REVISION + "\""), answer.body());
    }

    @Test
    void legacyClientOfTheSameEndpoint_hasItsSession() throws Exception {
        gateway.initialize();
        assertEquals("done", StdioHost.text(gateway.call("quick", "{}")));
        assertEquals("done", StdioHost.text(quick().answer().path("result")));
        assertEquals("done", StdioHost.text(gateway.call("quick", "{}")));
        gateway.endSessions();
    }

    @Test
    void idsOfTwoClients_mayBeTheSame() throws Exception {
        ModernClient.Asked slow = client.call("slow", "{}");
        slow.message.put("id", 7);
        CompletableFuture<HttpResponse<InputStream>> waiting = slow.start();
        awaitReceived("\"slow\"");
        ModernClient.Asked asked = quick();
        asked.message.put("id", 7);

        assertEquals("done", StdioHost.text(asked.answer().path("result")));
        waiting.join().body().close();
    }

    @ParameterizedTest
    @CsvSource({"GET", "DELETE"})
    void otherMethodsOfTheRevision_areNotAllowed(String method) throws Exception {
        HttpResponse<String> answer = client.send(HttpRequest.newBuilder(gateway.address)
                .header(VERSION, ModernClient.REVISION)
                .header("Accept", "text/event-stream")
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build());

        assertEquals(405, answer.statusCode(), answer.body());
        assertEquals("POST", answer.headers().firstValue("Allow").orElseThrow());
    }

    @Test
    void otherContentType_orAccept_isRefusedFirst() throws Exception {
        assertEquals(
                415,
                quick().header("Content-Type", "text/plain")
                        .header(VERSION)
                        .send()
                        .statusCode());
        assertEquals(
                406,
                quick().header("Accept", "text/html").header(VERSION).send().statusCode());
    }

    @Test
    void bodyThatIsNoMessage_isRefused() throws Exception {
        ModernClient.Asked asked = quick();
        asked.message.put("jsonrpc", "1.0");
        assertFails(400, -32600, asked.send());
    }

    @ParameterizedTest
    @ValueSource(strings = {BODY_VERSION, "io.modelcontextprotocol/clientCapabilities"})
    void requestThatSaysTooLittle_isInvalid(String key) throws Exception {
        ModernClient.Asked asked = quick();
        asked.meta().remove(key);
        assertFails(400, -32602, asked.send());
    }

    @Test
    void requestWithoutMeta_underTheHeader_isInvalid() throws Exception {
        ModernClient.Asked asked = quick();
        ((ObjectNode) asked.message.get("params")).remove("_meta");
        assertFails(400, -32602, asked.header("Mcp-Method").send());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2027-01-01", "1900-01-01", "garbage", "2025-11-25"})
    void unknownVersion_isRefusedWithThoseThatAreServed(String version) throws Exception {
        HttpResponse<String> answer =
                quick().says(BODY_VERSION, version).header(VERSION, version).send();

        assertFails(400, -32022, answer);
        JsonNode data =
                JsonMapper.shared().readTree(answer.body()).path("error").path("data");
        assertEquals(version, data.path("requested").asString(""));
        assertEquals(ModernClient.REVISION, data.path("supported").path(0).asString(""));
    }

    @Test
    void versionOfTheHeader_mustBeThatOfTheBody() throws Exception {
        assertFails(400, -32020, quick().header(VERSION).send());
        assertFails(400, -32020, quick().header(VERSION, "2025-11-25").send());
        assertFails(400, -32020, quick().says(BODY_VERSION, "2027-01-01").send());
        assertFails(
                400,
                -32020,
                quick().header(VERSION, ModernClient.REVISION, ModernClient.REVISION)
                        .send());
    }

    @Test
    void versionOfALegacyRevision_inTheHeaderAlone_isOfALegacyClient() throws Exception {
        ModernClient.Asked asked = quick();
        ((ObjectNode) asked.message.get("params")).remove("_meta");
        HttpResponse<String> answer = asked.header(VERSION, "2025-11-25").send();

        assertFails(400, -32600, answer);
        assertTrue(answer.body().contains("Mcp-Session-Id"), answer.body());
    }

    @Test
    void methodAndName_mustBeThoseOfTheBody() throws Exception {
        assertFails(400, -32020, quick().header("Mcp-Method").send());
        assertFails(400, -32020, quick().header("Mcp-Method", "tools/list").send());
        assertFails(400, -32020, quick().header("Mcp-Method", "TOOLS/CALL").send());
        assertFails(
                400,
                -32020,
                quick().header("Mcp-Method", "tools/call", "tools/call").send());
        assertFails(400, -32020, quick().header("Mcp-Name").send());
        assertFails(400, -32020, quick().header("Mcp-Name", "slow").send());
        assertFails(400, -32020, quick().header("Mcp-Name", "quick", "quick").send());
        assertFails(
                400, -32020, quick().header("Mcp-Name", "=?base64?cXVpY2s?=").send());
        assertEquals(
                200, quick().header("Mcp-Name", "=?base64?cXVpY2s=?=").send().statusCode());
        ModernClient.Asked read = client.ask("resources/read", "{\"uri\":\"note:1\"}");
        assertEquals(200, read.send().statusCode());
        assertFails(400, -32020, read.header("Mcp-Name", "note:2").send());
        assertFails(
                400,
                -32020,
                client.ask("tasks/get", "{\"taskId\":\"t\"}")
                        .header("Mcp-Name", "u")
                        .send());
    }

    @Test
    void methodThatIsNotThere_is404() throws Exception {
        assertFails(404, -32601, client.ask("ping", "{}").send());
        assertFails(404, -32601, client.ask("initialize", "{}").send());
    }

    @Test
    void answersOfClients_areNotTaken() throws Exception {
        ModernClient.Asked asked = quick();
        asked.message.removeAll();
        asked.message.put("jsonrpc", "2.0").put("id", 1).putObject("result");
        assertFails(400, -32600, asked.send());
    }

    @Test
    void notification_isTaken_whereItsHeadersAreRight() throws Exception {
        ModernClient.Asked told = client.ask("notifications/cancelled", "{\"requestId\":1}");
        told.message.remove("id");
        HttpResponse<String> answer = told.send();
        assertEquals(202, answer.statusCode(), answer.body());
        assertEquals("", answer.body());
        assertFails(
                400, -32020, told.header("Mcp-Method", "notifications/other").send());
        assertFails(
                400,
                -32022,
                told.header("Mcp-Method", "notifications/cancelled")
                        .header(VERSION, "2027-01-01")
                        .says(BODY_VERSION, "2027-01-01")
                        .send());
    }

    private static void awaitReceived(String words) throws Exception {
        long hangs = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!Files.exists(received) || !Files.readString(received).contains(words)) {
            assertTrue(System.nanoTime() < hangs, "never came: " + words);
            Thread.sleep(50);
        }
    }

    @Test
    void streamOfALongCall_hasNoIds_andWhoLeavesItTakesTheCallBack() throws Exception {
        Files.deleteIfExists(received);
        ModernClient.Asked slow = client.call("slow", "{}");
        String body = slow.message.toString();
        try (Socket socket = new Socket(gateway.address.getHost(), gateway.address.getPort())) {
            OutputStream out = socket.getOutputStream();
            StringBuilder head = new StringBuilder("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
            slow.headers.forEach((name, values) -> values.forEach(
                    value -> head.append(name).append(": ").append(value).append("\r\n")));
            out.write((head + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII));
            awaitReceived("\"slow\"");
            InputStream in = socket.getInputStream();
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            assertEquals("HTTP/1.1 200 OK", lines.readLine());
            String line = lines.readLine();
            while (!line.equals(":")) { // a sign of life
                assertFalse(line.startsWith("id:"), line);
                line = lines.readLine();
            }
        }
        awaitReceived("notifications/cancelled");
        String cancelled = Files.readString(received)
                .lines()
                .filter(each -> each.contains("notifications/cancelled"))
                .findFirst()
                .orElseThrow();
        String asked = Files.readString(received)
                .lines()
                .filter(each -> each.contains("\"slow\""))
                .findFirst()
                .orElseThrow();
        assertEquals(
                JsonMapper.shared().readTree(asked).path("id"),
                JsonMapper.shared().readTree(cancelled).path("params").path("requestId"));
    }

    @Test
    void listen_thatIsLong_isRefused_sinceItIsKeptAsLongAsItsStream() throws Exception {
        HttpResponse<String> answer = client.ask(
                        "subscriptions/listen", "{\"notifications\":{},\"padding\":\"" + "x".repeat(256 << 10) + "\"}")
                .send();
        assertEquals(413, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("listen for less on one stream"), answer.body());
    }

    @Test
    void listen_isAcknowledgedAtOnce_onItsStream() throws Exception {
        ModernClient.Asked asked =
                client.ask("subscriptions/listen", "{\"notifications\":{\"toolsListChanged\":true}}");
        asked.message.put("id", "mine");
        HttpResponse<InputStream> answer = asked.start().join();
        try (InputStream in = answer.body()) {
            assertEquals(
                    "text/event-stream",
                    answer.headers().firstValue("Content-Type").orElseThrow());
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (!line.startsWith("data: ")) {
                line = lines.readLine();
            }
            JsonNode message = JsonMapper.shared().readTree(line.substring(6));
            assertEquals(
                    "notifications/subscriptions/acknowledged",
                    message.path("method").asString(""));
            assertEquals(
                    "mine",
                    message.path("params")
                            .path("_meta")
                            .path("io.modelcontextprotocol/subscriptionId")
                            .asString(""));
        }
    }
}
