package dev.sluice.guard.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RequestMetaTest {

    private static final String VERSION = "'io.modelcontextprotocol/protocolVersion':'2026-07-28'";
    private static final String CAN = "'io.modelcontextprotocol/clientCapabilities':{}";
    private static final String LEVEL = "'io.modelcontextprotocol/logLevel':";
    private static final List<String> SERVED = List.of("2026-07-28", "2025-11-25");

    private static RpcMessage.Request request(String params) {
        String text = "{'jsonrpc':'2.0','id':'q','method':'tools/list'" + params + "}";
        return (RpcMessage.Request) RpcMessage.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static JsonNode refusal(String params) {
        return JsonMapper.shared()
                .readTree(RequestMeta.refusal(request(params), SERVED).orElseThrow());
    }

    @Test
    void requestOfNoModernRevision_saysNothingOfItsClient() {
        for (String other : List.of("2025-11-25", "2024-11-05", "2026-07-27", "garbage", "9999", "2026-07-28x", "")) {
            RpcMessage.Request request =
                    request(",'params':{'_meta':{" + VERSION.replace("2026-07-28", other) + "," + CAN + "}}");
            assertEquals(Optional.empty(), RequestMeta.of(request), other);
            assertEquals(other, RequestMeta.said(request).orElseThrow().version());
        }
        for (String modern : List.of("2026-07-28", "2031-01-01")) {
            RpcMessage.Request request = request(",'params':{'_meta':{" + VERSION.replace("2026-07-28", modern) + "}}");
            assertEquals(modern, RequestMeta.of(request).orElseThrow().version());
        }
        assertEquals(Optional.empty(), RequestMeta.said(request(",'params':{'_meta':{}}")));
    }

    @Test
    void requestThatSaysAll_isNotRefused() {
        for (String more : List.of("", "," + LEVEL + "'notice'", ",'io.modelcontextprotocol/clientInfo':1")) {
            assertEquals(
                    Optional.empty(),
                    RequestMeta.refusal(request(",'params':{'_meta':{" + VERSION + "," + CAN + more + "}}"), SERVED));
        }
    }

    @Test
    void requestThatLacksSomething_isRefused() {
        String can = "'io.modelcontextprotocol/clientCapabilities'";
        assertRefused("", "`_meta` must say `io.modelcontextprotocol/protocolVersion`");
        assertRefused(",'params':{}", "`_meta` must say `io.modelcontextprotocol/protocolVersion`");
        assertRefused(",'params':{'_meta':[]}", "`_meta` must say `io.modelcontextprotocol/protocolVersion`");
        assertRefused(
                ",'params':{'_meta':{'io.modelcontextprotocol/protocolVersion':20260728}}",
                "`io.modelcontextprotocol/protocolVersion` must be a text");
        assertRefused(
                ",'params':{'_meta':{" + VERSION + "}}",
                "`_meta` must have `io.modelcontextprotocol/clientCapabilities`, an object");
        assertRefused(
                ",'params':{'_meta':{" + VERSION + "," + can + ":[]}}",
                "`_meta` must have `io.modelcontextprotocol/clientCapabilities`, an object");
        for (String level : List.of("'loud'", "7")) {
            assertRefused(
                    ",'params':{'_meta':{" + VERSION + "," + CAN + "," + LEVEL + level + "}}",
                    "`io.modelcontextprotocol/logLevel` must be one of debug, info");
        }
    }

    private static void assertRefused(String params, String why) {
        JsonNode refused = refusal(params);
        assertEquals("q", refused.path("id").asString());
        assertEquals(-32602, refused.at("/error/code").asInt());
        assertTrue(refused.at("/error/message").asString().startsWith(why), refused.toString());
    }

    @Test
    void revisionThatIsNotServed_isRefused_withThoseThatAre() {
        for (String other : List.of("2099-01-01", "2025-11-25")) {
            JsonNode refused = refusal(",'params':{'_meta':{" + VERSION.replace("2026-07-28", other) + "}}");
            assertEquals(-32022, refused.at("/error/code").asInt());
            assertEquals(other, refused.at("/error/data/requested").asString());
            assertEquals(
                    SERVED,
                    refused.at("/error/data/supported").values().stream()
                            .map(JsonNode::asString)
                            .toList());
        }
    }
}
