package dev.sluice.examples.forge;

import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.mcpjava.enforce.GuardedTransport;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** An agent without a model, in one conversation, with an enforced client of the forge. */
final class Agent implements AutoCloseable {

    private final Conversation conversation;
    private final McpSyncClient client;

    Agent(Enforcement enforcement, String id, ForgeTools forge) {
        conversation = enforcement.conversation("bo", id);
        client = McpClient.sync(GuardedTransport.of(Loopback.to("code-forge", forge.all()), conversation, "forge"))
                .requestTimeout(Duration.ofSeconds(60))
                .build();
        client.initialize();
    }

    /** Reads the issue of a repository of acme. */
    CallToolResult reads(String repository) {
        return call("issue_read", Map.of("owner", "acme", "repo", repository));
    }

    /** Comments on the issue of a repository of acme. */
    CallToolResult comments(String repository, String text) {
        return call("add_issue_comment", Map.of("owner", "acme", "repo", repository, "issue_number", 7, "body", text));
    }

    /** Sends a note to an account. */
    CallToolResult notes(String to, String text) {
        return call("send_note", Map.of("to", to, "text", text));
    }

    CallToolResult call(String tool, Map<String, Object> arguments) {
        return client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build());
    }

    static String text(CallToolResult result) {
        return result.content().stream()
                .map(block -> block instanceof TextContent text ? text.text() : "")
                .collect(Collectors.joining("\n"));
    }

    Conversation conversation() {
        return conversation;
    }

    @Override
    public void close() {
        client.close();
    }
}
