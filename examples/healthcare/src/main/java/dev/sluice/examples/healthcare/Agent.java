package dev.sluice.examples.healthcare;

import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.mcpjava.enforce.GuardedTransport;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An agent without a model: it has a conversation of its own and a client for each server, all enforced. What is asked of
 * it stands in {@link ThreeAgents} and in the tests.
 */
final class Agent implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Conversation conversation;
    private final Map<String, Loopback> lines = new LinkedHashMap<>();
    private final Map<String, McpSyncClient> clients = new LinkedHashMap<>();

    /** Makes the agent of that name, which is the one on whose behalf it acts too. */
    Agent(Enforcement enforcement, String name) {
        conversation = enforcement.conversation(name, "of " + name);
    }

    /** Connects to a server under the name that the policy has for it. This is all that enforcement costs. */
    Agent with(String server, List<SyncToolSpecification> tools) {
        Loopback line = Loopback.to(server, tools);
        McpSyncClient client = McpClient.sync(GuardedTransport.of(line, conversation, server))
                .requestTimeout(LONG)
                .build();
        lines.put(server, line);
        clients.put(server, client);
        client.initialize();
        return this;
    }

    /** Calls a tool. */
    CallToolResult call(String server, String tool, Map<String, Object> arguments) {
        McpSyncClient client = clients.get(server);
        if (client == null) {
            throw new IllegalArgumentException("no client for `" + server + "`: connect first");
        }
        return client.callTool(
                CallToolRequest.builder(tool).arguments(arguments).build());
    }

    /** Returns the texts of a result, which is what a model would read. */
    static String text(CallToolResult result) {
        return result.content().stream()
                .map(block -> block instanceof TextContent text ? text.text() : "")
                .collect(Collectors.joining("\n"));
    }

    /** Returns the conversation that all its calls belong to. */
    Conversation conversation() {
        return conversation;
    }

    /** Returns its line to a server. */
    Loopback line(String server) {
        Loopback line = lines.get(server);
        if (line == null) {
            throw new IllegalArgumentException("no client for `" + server + "`: connect first");
        }
        return line;
    }

    @Override
    public void close() {
        clients.values().forEach(McpSyncClient::close);
    }
}
