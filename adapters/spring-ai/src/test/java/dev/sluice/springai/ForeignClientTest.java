package dev.sluice.springai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.mcp.AsyncMcpToolCallbackProvider;
import org.springframework.ai.mcp.McpToolNamePrefixGenerator;
import org.springframework.ai.mcp.SyncMcpToolCallbackProvider;
import org.springframework.ai.tool.ToolCallback;

/** MCP clients that an application makes itself, on transports that it gave to nobody. */
class ForeignClientTest {

    private static final String TWEET = "{\"to\":\"eve@evil.example\",\"text\":\"" + Clinic.CHART + "\"}";

    private final Clinic clinic = new Clinic();
    private final PlayedServer server = new PlayedServer().offer("tweet", "tweeted");

    @AfterEach
    void close() {
        clinic.close();
    }

    private static ToolCallback tool(McpSyncClient client) {
        return SyncMcpToolCallbackProvider.builder()
                .mcpClients(client)
                .toolNamePrefixGenerator(McpToolNamePrefixGenerator.noPrefix())
                .build()
                .getToolCallbacks()[0];
    }

    private static ToolCallback tool(McpAsyncClient client) {
        return AsyncMcpToolCallbackProvider.builder()
                .mcpClients(List.of(client))
                .toolNamePrefixGenerator(McpToolNamePrefixGenerator.noPrefix())
                .build()
                .getToolCallbacks()[0];
    }

    private static final ToolContext ONE = new ToolContext(Map.of(
            Sluice.CONVERSATION, "one", "chat_memory_conversation_id", "one", Sluice.PRINCIPAL, "ana", "theirs", 1));

    @Test
    void toolsOfClientsOnGuardedTransports_areLeftAsTheyAre() {
        ToolCallback sync = tool(clinic.client("web"));
        ToolCallback async =
                tool(McpClient.async(clinic.sluice.guard(server, "mail")).build());
        for (ToolCallback each : List.of(sync, async)) {
            assertTrue(Sluice.isGuarded(each));
            assertSame(each, clinic.sluice.guard(each));
        }
    }

    @Test
    void toolsOfOtherClients_areThoseOfTheApplication() {
        McpSyncClient sync = McpClient.sync(server).build();
        McpAsyncClient async = McpClient.async(server).build();
        assertFalse(Sluice.isGuarded(sync));
        assertFalse(Sluice.isGuarded(async));
        clinic.call("one", "ward", "read", Map.of());
        for (ToolCallback each : List.of(tool(sync), tool(async))) {
            assertFalse(Sluice.isGuarded(each));
            ToolCallback guarded = clinic.sluice.guard(each);
            assertInstanceOf(GuardedToolCallback.class, guarded);
            String denied = guarded.call(TWEET, ONE);
            assertTrue(denied.startsWith("sluice denied `tweet`"), denied);
        }
        assertEquals(List.of(), server.got);
    }

    @Test
    void conversation_isNotToldToOtherServers() {
        ToolCallback guarded = clinic.sluice.guard(tool(McpClient.sync(server).build()));
        guarded.call("{\"to\":\"bob@shop.example\",\"text\":\"hello\"}", ONE);
        assertEquals(1, server.got.size());
        assertEquals(Map.of("theirs", 1), server.got.get(0).get("_meta"));
    }
}
