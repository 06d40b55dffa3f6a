package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What is too much for a gateway, and what clients are told. */
class GatewayLimitsTest {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}";
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":"
            + "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

    @TempDir
    private Path folder;

    private HttpClientSide client;

    @BeforeEach
    void start() throws Exception {
        Path policy = Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                servers:
                  files:
                    command: %s
                gateway:
                  limits:
                    message_bytes: 4096
                    depth: 8
                    header_bytes: 2048
                    body_time: 2s
                    sessions: 3
                    sessions_per_principal: 2
                    in_flight_per_principal: 1
                """.formatted(
                        JsonMapper.shared().writeValueAsString(Children.fixture(folder.resolve("files"), ""))));
        client = HttpClientSide.within(policy, folder.resolve("state")).initialize();
    }

    @AfterEach
    void stop() {
        client.close();
    }

    private static String error(String id, int code, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + code + ",\"message\":\"" + message
                + "\"}}";
    }

    @Test
    void messageOverTheLimit_is413() throws Exception {
        HttpResponse<String> answer = client.post(PING + " ".repeat(4096));
        assertEquals(413, answer.statusCode());
        assertEquals(error("null", -32600, "the message has more than 4096 bytes"), answer.body());
    }

    @Test
    void messageTooDeep_isAParseError() throws Exception {
        String params = "[".repeat(8) + "]".repeat(8);
        HttpResponse<String> answer =
                client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":" + params + "}}");
        assertEquals(400, answer.statusCode());
        assertTrue(answer.body().contains("\"code\":-32700"), answer.body());
        assertEquals(200, client.post(PING).statusCode(), "the session goes on");
    }

    @Test
    void headersOverTheLimit_are431() throws Exception {
        String answer = raw("GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(4096) + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 431 "), answer);
        assertTrue(answer.endsWith(error("null", -32600, "the headers of a request may have 2048 bytes")), answer);
    }

    @Test
    void noHttpAtAll_is400() throws Exception {
        String answer = raw("hello\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        assertTrue(answer.endsWith(error("null", -32600, "this is no HTTP request that can be read here")), answer);
    }

    @Test
    void bodyThatStops_is408_andTheConnectionEnds() throws Exception {
        String answer = raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 100\r\n\r\n{");
        assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
        assertTrue(answer.endsWith(error("null", -32600, "the message did not arrive within 2000 ms")), answer);
    }

    @Test
    void bodyThatTrickles_is408Too() throws Exception {
        try (Socket socket = socket()) {
            socket.getOutputStream()
                    .write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: 4000\r\n\r\n{")
                            .getBytes(StandardCharsets.US_ASCII));
            Thread trickle = Thread.ofVirtual().start(() -> trickle(socket));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            trickle.join();
            assertTrue(answer.startsWith("HTTP/1.1 408 "), answer);
        }
    }

    private static void trickle(Socket socket) {
        try {
            for (int i = 0; i < 3_000; i++) {
                Thread.sleep(200);
                socket.getOutputStream().write(' ');
                socket.getOutputStream().flush();
            }
        } catch (IOException | InterruptedException e) {
            // the gateway had enough
        }
    }

    @Test
    void headersThatNeverEnd_costTheConnection() throws Exception {
        try (Socket socket = socket()) {
            socket.getOutputStream().write("GET /mcp HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void silentStream_isLeftAlone() throws Exception {
        try (Socket socket = socket()) {
            socket.getOutputStream()
                    .write(("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: "
                                    + client.session + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            assertTrue(new String(in.readNBytes(12), StandardCharsets.US_ASCII).endsWith(" 200"));
            while (in.available() > 0) {
                in.skipNBytes(in.available());
            }
            socket.setSoTimeout(5_000); // longer than a quiet connection lives
            byte[] rest = new byte[1024];
            try {
                for (int n = in.read(rest); n >= 0; n = in.read(rest)) {
                    // what was still on its way
                }
                throw new AssertionError("the stream ended");
            } catch (java.net.SocketTimeoutException e) {
                assertEquals(200, client.post(PING).statusCode());
            }
        }
    }

    @Test
    void sessionsOfOnePrincipal_areSoMany() throws Exception {
        String first = client.session;
        client.initialize();
        client.session = "";
        HttpResponse<String> full = client.post(INITIALIZE);
        assertEquals(429, full.statusCode());
        assertEquals(
                error("7", -32600, "you have 2 open sessions, which is the most; end one, or try again later"),
                full.body());
        client.session = first;
        assertEquals(204, client.send(client.request().DELETE().build()).statusCode());
        client.initialize();
    }

    @Test
    void requestsThatWait_areSoMany() throws Exception {
        HttpResponse<InputStream> waiting = client.open("{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"method\":\"tools/call\","
                + "\"params\":{\"name\":\"sample\",\"arguments\":{}}}");
        assertEquals(200, waiting.statusCode(), "the server asks the client, and waits");
        HttpResponse<String> full = client.post(PING);
        assertEquals(429, full.statusCode());
        assertEquals("1", full.headers().firstValue("Retry-After").orElse(""));
        assertEquals(
                error("9", -32600, "1 of your requests wait for their answer; send more when they have it"),
                full.body());
        assertEquals(
                202,
                client.post(
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"w\"}}")
                        .statusCode(),
                "what is no request is not counted");
        waiting.body().readAllBytes();
        assertEquals(200, client.post(PING).statusCode());
    }

    private Socket socket() throws IOException {
        return new Socket(client.address.getHost(), client.address.getPort());
    }

    /** Returns all that comes until the gateway closes the connection. */
    private String raw(String request) throws IOException {
        try (Socket socket = socket()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
