package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the client of one process says first, and a legacy server behind it. */
class ModernStdioTest {

    private static final String SAID = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}";

    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
                    + "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

    private static final String HELLO =
            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true}},"
                    + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}";

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private StdioEnds line;

    @BeforeEach
    void open() throws Exception {
        State state = State.open(folder.resolve("state"));
        opened.add(state);
        line = new StdioEnds(
                StdioEnds.guard(state, "{version: 1, servers: {a: {command: a, tools: {echo: {effects: [reads]}}}}}"),
                folder,
                1 << 20,
                false);
        opened.add(line);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private void ask(int id, String method, String params) {
        line.client("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + params
                + (params.isEmpty() ? "" : ",") + SAID + "}}");
    }

    private void call(int id, String more) {
        ask(id, "tools/call", "\"name\":\"echo\",\"arguments\":{}" + more);
    }

    private JsonNode atClient() throws InterruptedException {
        return JsonMapper.shared().readTree(line.atClient());
    }

    /** Shakes hands as the server, however it is asked to, and returns what comes then. */
    private JsonNode atServer() throws InterruptedException {
        while (true) {
            JsonNode got = JsonMapper.shared().readTree(line.atServer());
            switch (got.path("method").asString("")) {
                case "server/discover" ->
                    line.server("{\"jsonrpc\":\"2.0\",\"id\":" + got.path("id")
                            + ",\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");
                case "initialize" -> answer(got, HELLO);
                case "notifications/initialized" -> {}
                default -> {
                    return got;
                }
            }
        }
    }

    private void answer(JsonNode request, String result) {
        line.server("{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}");
    }

    @Test
    void modernClient_isServed_andAskedInAnswers() throws Exception {
        call(1, "");
        JsonNode call = atServer();
        line.server(
                "{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"?\"}}");
        JsonNode asked = atClient();
        assertEquals(
                "?", asked.at("/result/inputRequests/input-1/params/message").asString(), asked.toString());
        call(
                2,
                ",\"inputResponses\":{\"input-1\":{\"action\":\"accept\"}},\"requestState\":"
                        + asked.at("/result/requestState"));
        assertEquals("accept", atServer().at("/result/action").asString());
        answer(call, "{\"content\":[]}");
        JsonNode answer = atClient();
        assertEquals(2, answer.path("id").asInt());
        assertEquals("complete", answer.at("/result/resultType").asString());
        assertEquals(0, line.endOfClient());
    }

    @Test
    void requestThatIsRefused_decidesNothing() throws Exception {
        line.client("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{}}");
        assertTrue(atClient().at("/error/message").asString().contains("must say"), "what is missing is named");
        line.client("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{"
                + SAID.replace("2026-07-28", "2099-01-01") + "}}");
        JsonNode unknown = atClient();
        assertEquals(-32022, unknown.at("/error/code").asInt());
        assertEquals("2026-07-28", unknown.at("/error/data/supported/0").asString());
        line.client(INITIALIZE);
        JsonNode hello = JsonMapper.shared().readTree(line.atServer());
        assertEquals(1, hello.path("id").asInt(), "the client's own handshake");
        answer(hello, HELLO);
        assertEquals("s", atClient().at("/result/serverInfo/name").asString());
        call(2, "");
        JsonNode refused = atClient();
        assertEquals(-32600, refused.at("/error/code").asInt());
        assertTrue(refused.at("/error/message").asString().contains("begins with `initialize`"), refused.toString());
    }

    @Test
    void whatIsNoRequest_decidesNothing() throws Exception {
        line.client("no json");
        assertEquals(-32700, atClient().at("/error/code").asInt());
        line.client("[]");
        assertEquals(-32600, atClient().at("/error/code").asInt());
        line.client("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
        line.client(
                "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"x\",\"params\":{\"p\":\"" + "x".repeat(1 << 20) + "\"}}");
        JsonNode tooLong = atClient();
        assertEquals(9, tooLong.path("id").asInt());
        assertTrue(tooLong.at("/error/message").asString().contains("more than the limit"), tooLong.toString());
        call(1, "");
        answer(atServer(), "{\"content\":[]}");
        assertEquals("complete", atClient().at("/result/resultType").asString());
    }

    @Test
    void clientWithAHandshake_maySayItsRevisionAgain() throws Exception {
        String again = SAID.replace("2026-07-28", "2025-11-25");
        line.client(INITIALIZE.replace("\"capabilities\"", again + ",\"capabilities\""));
        answer(JsonMapper.shared().readTree(line.atServer()), HELLO);
        assertEquals("s", atClient().at("/result/serverInfo/name").asString());
        line.client("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
                + "\"arguments\":{}," + again + "}}");
        answer(atServer(), "{\"content\":[]}");
        JsonNode answer = atClient();
        assertEquals(2, answer.path("id").asInt());
        assertTrue(answer.at("/result/resultType").isMissingNode(), answer.toString());
    }

    @Test
    void revisionWithAHandshake_withoutOne_isRefused() throws Exception {
        line.client("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"
                + SAID.replace("2026-07-28", "2025-11-25") + "}}");
        assertEquals(-32022, atClient().at("/error/code").asInt());
    }

    @Test
    void clientWhoseQuestionTookTooLong_mayShakeHands() throws Exception {
        ask(0, "server/discover", "");
        line.client(INITIALIZE);
        line.client("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        line.client(
                "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{}}}");
        JsonNode call = atServer();
        assertEquals("2026-07-28", atClient().at("/result/supportedVersions/0").asString());
        assertEquals("2025-11-25", atClient().at("/result/protocolVersion").asString());
        answer(call, "{\"content\":[],\"n\":1.50}");
        String answer = line.atClient();
        assertTrue(answer.contains("\"n\":1.50") && !answer.contains("resultType"), answer);
        call(3, "");
        answer(atServer(), "{\"content\":[]}");
        assertEquals("complete", atClient().at("/result/resultType").asString());
    }

    @Test
    void streamThatListens_endsWithTheClient() throws Exception {
        ask(5, "subscriptions/listen", "\"notifications\":{\"toolsListChanged\":true}");
        Thread server = Thread.ofVirtual().start(this::shakeHands);
        assertEquals(
                "notifications/subscriptions/acknowledged",
                atClient().path("method").asString());
        line.server("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        assertEquals(
                5,
                atClient()
                        .at("/params/_meta")
                        .path("io.modelcontextprotocol/subscriptionId")
                        .asInt());
        assertEquals(0, line.endOfClient());
        assertEquals("complete", atClient().at("/result/resultType").asString());
        server.interrupt();
    }

    private void shakeHands() {
        try {
            var _ = atServer();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serverThatEnds_endsTheProcess_andTheCallIsAnswered() throws Exception {
        call(1, "");
        var _ = atServer();
        assertEquals(1, line.endOfServer());
        JsonNode lost = atClient();
        assertTrue(lost.at("/result/isError").asBoolean(), lost.toString());
        assertEquals("complete", lost.at("/result/resultType").asString());
    }

    @Test
    void serverThatEndsBeforeTheClientSaysAnything_endsTheProcess() throws Exception {
        assertEquals(1, line.endOfServer());
        assertTrue(line.logged.toString().contains("is gone"), line.logged.toString());
    }
}
