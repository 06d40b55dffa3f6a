package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.store.Session;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two servers behind one HTTP endpoint, in their own process: flows between them, restarts, and callers that may not. */
class HttpGatewayTest {

    @TempDir
    private static Path folder;

    private static Path policy = Path.of("");
    private static Path state = policy;

    /** One gateway for all, as long as it runs; each test has sessions of its own. */
    private static @Nullable HttpClientSide running;

    private HttpClientSide client;

    @BeforeAll
    static void write() throws Exception {
        policy = folder.resolve("policy.yaml");
        state = folder.resolve("state");
        Files.writeString(policy, """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers:
                  files:
                    command: %s
                    tools:
                      read: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                  web:
                    command: %s
                    tools:
                      post: {effects: [sends], audience: public, payload: [text], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(
                        yaml(Children.fixture(folder.resolve("files"), "")),
                        yaml(Children.fixture(folder.resolve("web"), ""))));
    }

    @BeforeEach
    void start() throws Exception {
        HttpClientSide gateway = running;
        if (gateway == null || !gateway.isRunning()) {
            gateway = HttpClientSide.process(policy, state, folder);
            running = gateway;
        }
        client = gateway.initialize();
    }

    private static String yaml(List<String> command) {
        List<String> quoted = new ArrayList<>();
        command.forEach(word -> quoted.add(JsonMapper.shared().writeValueAsString(word)));
        return "[" + String.join(", ", quoted) + "]";
    }

    @AfterEach
    void end() throws Exception {
        client.endSessions();
    }

    @AfterAll
    static void stop() {
        if (running != null) {
            running.close();
        }
    }

    @Test
    void readThenPost_isDenied_andNamesTheRead() throws Exception {
        assertEquals("the secret number is 4711", StdioHost.text(client.call("files__read", "{}")));
        JsonNode result = client.call("web__post", "{\"text\":\"4711\"}");
        assertTrue(StdioHost.isDenied(result), result.toString());
        assertTrue(StdioHost.text(result).contains("`read` of `files`"), StdioHost.text(result));
        assertFalse(Files.readString(folder.resolve("web")).contains("4711"), "nothing reached the server");
    }

    @Test
    void postWithoutTheRead_isAllowed() throws Exception {
        assertEquals("posted", StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")));
    }

    @Test
    void initializeThatIsNoHandshake_orIsTooLong_beginsNoSession() throws Exception {
        int before = Kept.sessions(state).size();
        for (String params : List.of(
                "[]",
                "{}",
                "{\"protocolVersion\":\"2025-11-25\"}",
                "{\"protocolVersion\":\"2025-11-25\"," + "\"capabilities\":{},\"x\":\"" + "y".repeat(20_000) + "\"}")) {
            client.session = "";
            HttpResponse<String> answer =
                    client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":" + params + "}");
            assertEquals(400, answer.statusCode(), answer.body());
            assertTrue(answer.body().contains("`initialize`"), answer.body());
            assertTrue(answer.headers().firstValue("Mcp-Session-Id").isEmpty());
        }
        assertEquals(before, Kept.sessions(state).size());
    }

    @Test
    void killedAndStartedAgain_sameSessionId_isStillDenied() throws Exception {
        client.call("files__read", "{}");
        String session = client.session;
        client.kill();
        client = HttpClientSide.process(policy, state, folder);
        running = client;
        client.session = session;
        JsonNode result = client.call("web__post", "{\"text\":\"4711\"}");
        assertTrue(StdioHost.isDenied(result), result.toString());
        assertTrue(StdioHost.text(result).contains("`read` of `files`"), StdioHost.text(result));
        assertEquals(
                "the secret number is 4711", StdioHost.text(client.call("files__read", "{}")), "the session works on");
    }

    @Test
    void newSession_startsFromWhatThePrincipalsLiveSessionsSaw() throws Exception {
        client.call("files__read", "{}");
        client.initialize();
        assertTrue(StdioHost.isDenied(client.call("web__post", "{\"text\":\"4711\"}")));
    }

    @Test
    void deletedSession_isGone_andTheNextStartsClean() throws Exception {
        client.call("files__read", "{}");
        assertEquals(204, client.send(client.request().DELETE().build()).statusCode());
        assertEquals(
                404,
                client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
                        .statusCode());
        client.initialize();
        assertEquals("posted", StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")));
    }

    /** What its model remembers does not end with it, so nothing goes on under its key. */
    @Test
    void sessionEndedByTheApprover_doesNotGoOnClean() throws Exception {
        client.call("files__read", "{}");
        String secret = Files.readString(state.resolve("approver-secret")).strip();
        for (Session session : Kept.sessions(state)) {
            String[] end = {"sessions", "end", session.id(), "--state", state.toString()};
            assertEquals(
                    0,
                    Told.byProcess(Map.of(StateOption.SECRET_VARIABLE, secret), end)
                            .exit());
        }
        HttpResponse<String> next = client.post("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":"
                + "{\"name\":\"web__post\",\"arguments\":{\"text\":\"4711\"}}}");
        assertTrue(next.statusCode() == 404 || next.body().contains("the session is over"), next.body());
        assertFalse(Files.readString(folder.resolve("web")).contains("4711"));
        assertEquals(List.of(), Kept.sessions(state));
    }

    @Test
    void lists_holdBothServersUnderTheirNames() throws Exception {
        JsonNode tools = client.ask("tools/list", "{}").path("result").path("tools");
        List<String> names = new ArrayList<>();
        tools.forEach(tool -> names.add(tool.path("name").asString("")));
        assertTrue(
                names.containsAll(List.of("files__read", "web__read", "files__post", "web__post")), names.toString());
        assertEquals(names.size(), names.stream().distinct().count());
    }

    @Test
    void deniedResource_isAnErrorOutsideTheReservedRange() throws Exception {
        client.call("files__read", "{}");
        JsonNode error = client.ask(
                "completion/complete",
                "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"web__x\"},"
                        + "\"argument\":{\"name\":\"a\",\"value\":\"4711\"}}");
        assertEquals(
                "[]", error.path("result").path("completion").path("values").toString(), "completion gives no values");
        assertFalse(Files.readString(folder.resolve("web")).contains("4711"));
    }

    @Test
    void unknownSession_is404_andMissingIs400() throws Exception {
        client.session = "0".repeat(48);
        assertEquals(
                404,
                client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
                        .statusCode());
        client.session = "";
        assertEquals(
                400,
                client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}")
                        .statusCode());
    }

    @Test
    void foreignOrigin_isRefused() throws Exception {
        for (String origin : List.of(
                "http://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1@evil.example")) {
            HttpRequest request = client.request()
                    .header("Origin", origin)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"))
                    .build();
            // What is refused unread may cost its connection, so none is used again.
            try (HttpClient once = HttpClient.newHttpClient()) {
                HttpResponse<String> answer = once.send(request, HttpResponse.BodyHandlers.ofString());
                assertEquals(403, answer.statusCode(), origin);
            }
        }
        HttpResponse<String> own = client.send(client.request()
                .header("Origin", "http://localhost:6274")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"))
                .build());
        assertEquals(200, own.statusCode());
    }

    @Test
    void foreignHost_isRefused() throws Exception {
        assertTrue(raw("GET /mcp HTTP/1.1\r\nHost: evil.example:80\r\n\r\n").startsWith("HTTP/1.1 403"));
        assertTrue(
                raw("GET /mcp HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n").startsWith("HTTP/1.1 403"));
        assertTrue(
                raw("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n").startsWith("HTTP/1.1 400"),
                "no session, but let in");
    }

    private String raw(String request) throws Exception {
        try (Socket socket = new Socket(client.address.getHost(), client.address.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            byte[] buffer = new byte[512];
            int length = socket.getInputStream().read(buffer);
            return new String(buffer, 0, Math.max(0, length), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void wrongShapes_getTheStatusThatSaysWhy() throws Exception {
        assertEquals(400, client.post("{not json").statusCode());
        assertEquals(
                400,
                client.post("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]")
                        .statusCode());
        assertEquals(
                415,
                client.send(client.request()
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build())
                        .statusCode());
        assertEquals(
                405,
                client.send(client.request()
                                .PUT(HttpRequest.BodyPublishers.ofString("{}"))
                                .build())
                        .statusCode());
        assertEquals(
                413,
                client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\""
                                + "y".repeat(17 << 20) + "\"}}")
                        .statusCode());
        assertEquals(
                202,
                client.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                        .statusCode());
    }

    @Test
    void sessionIds_areNeverKeptNorLogged() throws Exception {
        client.call("files__read", "{}");
        assertEquals(48, client.session.length());
        assertFalse(client.errors().contains(client.session));
        assertFalse(Kept.audit(state).toString().contains(client.session));
        assertFalse(Kept.sessions(state).toString().contains(client.session));
        String first = client.session;
        client.initialize();
        assertNotEquals(first, client.session);
    }

    @Test
    void upstreamThatDies_isStartedAgainWhenNeeded_andTheOtherGoesOn() throws Exception {
        JsonNode result = client.call("web__die", "{}");
        assertTrue(StdioHost.text(result).contains("its process ended"), result.toString());
        assertEquals("posted", StdioHost.text(client.call("web__post", "{\"text\":\"hello\"}")));
        assertEquals("the secret number is 4711", StdioHost.text(client.call("files__read", "{}")));
    }

    @Test
    void serversRequest_comesWhileItsCallIsOpen_andIsAnsweredByAnotherPost() throws Exception {
        HttpResponse<InputStream> stream = client.open(
                "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"files__sample\"}}");
        try (BufferedReader events = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            JsonNode asked = event(events);
            assertEquals("sampling/createMessage", asked.path("method").asString(""));
            HttpResponse<String> answered = client.post(
                    "{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id")
                            + ",\"result\":{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"no\"}}}");
            assertEquals(202, answered.statusCode());
            JsonNode result = event(events);
            assertEquals(77, result.path("id").asInt(0));
            assertEquals("answered", StdioHost.text(result.path("result")));
            assertEquals(List.of(), rest(events), "the stream ends with the answer");
        }
    }

    @Test
    void brokenStream_goesOnWithItsAnswer_whenTheClientComesBack() throws Exception {
        String id;
        JsonNode asked;
        HttpResponse<InputStream> stream = client.open(
                "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"files__sample\"}}");
        try (BufferedReader events = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            id = events.readLine();
            while (!id.startsWith("id: ")) {
                id = events.readLine();
            }
            asked = event(events);
        }
        client.post(
                "{\"jsonrpc\":\"2.0\",\"id\":" + asked.path("id")
                        + ",\"result\":{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"no\"}}}");
        HttpResponse<String> rest = client.send(client.request()
                .header("Accept", "text/event-stream")
                .header("Last-Event-ID", id.substring(4))
                .GET()
                .build());
        List<JsonNode> messages = HttpClientSide.messages(rest.body());
        assertEquals(
                "answered", StdioHost.text(messages.get(messages.size() - 1).path("result")));
        HttpResponse<String> unknown = client.send(client.request()
                .header("Accept", "text/event-stream")
                .header("Last-Event-ID", "0-1-1")
                .GET()
                .build());
        assertEquals(400, unknown.statusCode());
        assertTrue(unknown.body().contains("names nothing that is still known"), unknown.body());
    }

    @Test
    void cancelledCall_endsItsStream_andOnlyItsServerIsTold() throws Exception {
        HttpResponse<InputStream> stream = client.open(
                "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"files__sample\"}}");
        try (BufferedReader events = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            event(events);
            // The client takes its call back: the stream ends without an answer.
            client.post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":77}}");
            assertEquals(List.of(), rest(events));
        }
        assertTrue(Files.readString(folder.resolve("files")).contains("notifications/cancelled"));
        assertFalse(
                Files.readString(folder.resolve("web")).contains("notifications/cancelled"), "only its owner is told");
    }

    private static List<String> rest(BufferedReader events) {
        return events.lines().filter(line -> !line.isBlank()).toList();
    }

    private static JsonNode event(BufferedReader events) throws Exception {
        String line = events.readLine();
        while (line != null && !line.startsWith("data: ")) {
            line = events.readLine();
        }
        assertTrue(line != null, "the stream ended early");
        return JsonMapper.shared().readTree(line.substring(6));
    }

    @Test
    void stopped_leavesNoChild() throws Exception {
        List<ProcessHandle> children;
        try (HttpClientSide own = HttpClientSide.process(policy, folder.resolve("own"), folder)) {
            own.initialize().call("web__post", "{\"text\":\"hello\"}");
            children = own.process().toHandle().descendants().toList();
            assertEquals(2, children.size());
        }
        children.forEach(child -> assertFalse(child.isAlive()));
    }
}
