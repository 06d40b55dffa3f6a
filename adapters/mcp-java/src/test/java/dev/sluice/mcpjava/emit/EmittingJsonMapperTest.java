package dev.sluice.mcpjava.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.ActionMetadata;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.ListToolsResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The mapper changes lists of tools and nothing else. */
class EmittingJsonMapperTest {

    private static final McpJsonMapper PLAIN = McpJsonDefaults.getMapper();
    private static final McpJsonMapper EMITTING = EmittingJsonMapper.usual();
    private static final Map<String, Object> METADATA = Map.of(ActionMetadata.KEY, Map.of("outcome", "benign"));

    @Test
    void listOfTools_hasTheMetadataInAnnotationsToo_andIsElseTheSame() throws Exception {
        Tool declared = Tool.builder("a", Map.of("type", "object", "maximum", new BigInteger("12345678901234567890")))
                .description("quoted \"text\", é, \uD83D\uDE00")
                .meta(METADATA)
                .build();
        Tool other = Tool.builder("b", Map.of("type", "object")).build();
        JSONRPCResponse message = JSONRPCResponse.result(
                1,
                ListToolsResult.builder(List.of(declared, other))
                        .nextCursor("next")
                        .build());

        String plain = PLAIN.writeValueAsString(message);
        String written = EMITTING.writeValueAsString(message);

        String own = "{\"" + ActionMetadata.KEY + "\":{\"outcome\":\"benign\"}}";
        assertEquals(
                plain.replace("\"_meta\":" + own + "}", "\"_meta\":" + own + ",\"annotations\":" + own + "}"), written);
        assertTrue(written.length() > plain.length(), written);
        assertArrayEquals(written.getBytes(StandardCharsets.UTF_8), EMITTING.writeValueAsBytes(message));
    }

    @Test
    void everythingElse_isWrittenAsBefore() throws Exception {
        Map<String, Object> looksLikeATool = Map.of("tools", List.of(Map.of("name", "x", "_meta", METADATA)));
        List<Object> messages = List.of(
                JSONRPCResponse.result(1, Map.of("structuredContent", looksLikeATool)),
                JSONRPCResponse.result(1, List.of(ActionMetadata.KEY)),
                JSONRPCResponse.result(1, Map.of("tools", ActionMetadata.KEY)),
                JSONRPCResponse.result(1, Map.of("tools", List.of(ActionMetadata.KEY, 1))),
                JSONRPCResponse.result(1, Map.of("tools", List.of(Map.of("name", "x", "_meta", ActionMetadata.KEY)))),
                JSONRPCResponse.error(1, new JSONRPCResponse.JSONRPCError(-1, "no", looksLikeATool)),
                new McpSchema.JSONRPCNotification("n", looksLikeATool),
                Map.of("jsonrpc", "2.0", "id", 1, "result", looksLikeATool),
                "text",
                List.of(1, 2));
        for (Object message : messages) {
            assertEquals(PLAIN.writeValueAsString(message), EMITTING.writeValueAsString(message));
            assertArrayEquals(PLAIN.writeValueAsBytes(message), EMITTING.writeValueAsBytes(message));
        }
    }

    @Test
    void textThatIsNoStrictJson_isSentAsTheSdkWritesIt() throws Exception {
        Tool half = Tool.builder("a", Map.of("type", "object"))
                .description("half a pair: \uD83D")
                .meta(METADATA)
                .build();
        JSONRPCResponse message =
                JSONRPCResponse.result(1, ListToolsResult.builder(List.of(half)).build());

        String written = EMITTING.writeValueAsString(message);

        assertTrue(written.contains("\"_meta\":{\"" + ActionMetadata.KEY + "\""), written);
    }

    @Test
    void reading_isTheSdks() throws Exception {
        String json = "{\"a\":[1]}";
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        TypeRef<Map<String, Object>> map = new TypeRef<>() {};

        assertEquals(Map.of("a", List.of(1)), EMITTING.readValue(json, map));
        assertEquals(Map.of("a", List.of(1)), EMITTING.readValue(bytes, map));
        assertEquals(Map.of("a", List.of(1)), EMITTING.readValue(json, Map.class));
        assertEquals(Map.of("a", List.of(1)), EMITTING.readValue(bytes, Map.class));
        assertEquals(Map.of("a", 1), EMITTING.convertValue(Map.of("a", 1), map));
        assertEquals("1", EMITTING.convertValue(1, String.class));
    }
}
