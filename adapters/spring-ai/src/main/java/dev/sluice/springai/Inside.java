package dev.sluice.springai;

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.mcp.AsyncMcpToolCallback;
import org.springframework.ai.mcp.SyncMcpToolCallback;
import org.springframework.ai.model.tool.DefaultToolCallingManager;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;

/**
 * Looks into what libraries have made of guarded parts, since they don't show it. What can't be looked into counts as not
 * guarded.
 */
final class Inside {

    private Inside() {}

    /** Tells whether an MCP client, of either kind, stands on a guarded transport. */
    static boolean isGuardedClient(@Nullable Object client) {
        Object asynchronous = client instanceof McpSyncClient ? field(client, McpAsyncClient.class) : client;
        return asynchronous instanceof McpAsyncClient
                && field(asynchronous, McpClientTransport.class) instanceof GuardedTransport;
    }

    /** Tells whether a tool is one of an MCP server, guarded or not. */
    static boolean isOfServer(ToolCallback tool) {
        return tool instanceof SyncMcpToolCallback || tool instanceof AsyncMcpToolCallback;
    }

    /** Tells whether a tool is one of an MCP server to which a guarded transport leads. */
    static boolean isOfGuardedServer(ToolCallback tool) {
        return tool instanceof SyncMcpToolCallback
                ? isGuardedClient(field(tool, McpSyncClient.class))
                : tool instanceof AsyncMcpToolCallback && isGuardedClient(field(tool, McpAsyncClient.class));
    }

    /** Tells whether {@code calls} finds no tool by its name that is not guarded. */
    static boolean findsGuarded(ToolCallingManager calls) {
        return calls instanceof DefaultToolCallingManager
                && field(calls, ToolCallbackResolver.class) instanceof GuardedResolver;
    }

    private static @Nullable Object field(Object holder, Class<?> type) {
        try {
            for (Class<?> each = holder.getClass(); each != null; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    if (field.getType() == type && !Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        return field.get(holder);
                    }
                }
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Then nobody knows.
        }
        return null;
    }
}
