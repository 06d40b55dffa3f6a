package dev.sluice.mcpjava.enforce;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A server of the SDK's first stack on one end of a connection. */
final class SdkServer implements AutoCloseable {

    final McpJsonMapper mapper = McpJsonDefaults.getMapper();
    final Wire wire = Wire.open();
    final McpSyncServer server;

    /** The arguments of all calls that came. */
    final List<Map<String, Object>> got = new CopyOnWriteArrayList<>();

    /** What the client says it can do, as the last call saw it. */
    volatile McpSchema.@Nullable ClientCapabilities client;

    SdkServer(String instructions) throws IOException {
        var specification = McpServer.sync(new StdioServerTransportProvider(
                        mapper, wire.server().getInputStream(), wire.server().getOutputStream()))
                .serverInfo("sdk", "1")
                .capabilities(McpSchema.ServerCapabilities.builder().tools(true).build());
        if (!instructions.isEmpty()) {
            specification = specification.instructions(instructions);
        }
        server = specification.build();
    }

    /** Adds a tool that answers with one text. */
    SdkServer offer(String name, String description, String answer) {
        return offer(name, description, (exchange, request) -> text(answer));
    }

    SdkServer offer(
            String name,
            String description,
            BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> answer) {
        Tool tool = Tool.builder(name, Map.of("type", "object"))
                .description(description)
                .build();
        server.addTool(new SyncToolSpecification(tool, (exchange, request) -> {
            got.add(request.arguments());
            client = exchange.getClientCapabilities();
            return answer.apply(exchange, request);
        }));
        return this;
    }

    static CallToolResult text(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    LinesTransport transport() {
        return new LinesTransport(wire, mapper);
    }

    @Override
    public void close() {
        wire.close();
        server.close();
    }
}
