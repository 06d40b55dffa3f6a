package dev.sluice.springai.starter;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A server with one tool, {@code read}, at the other end of a transport. */
final class WardServer implements McpClientTransport {

    static final String CHART = "Anna Weber has a broken arm and a dog";

    private @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client;

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        client = handler;
        return Mono.empty();
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            if (message instanceof JSONRPCRequest request) {
                Objects.requireNonNull(client)
                        .apply(Mono.just(new JSONRPCResponse("2.0", request.id(), answer(request.method()), null)))
                        .block();
            }
        });
    }

    private static Object answer(String method) {
        return switch (method) {
            case "initialize" ->
                Map.of(
                        "protocolVersion",
                        "2025-11-25",
                        "capabilities",
                        Map.of("tools", Map.of()),
                        "serverInfo",
                        Map.of("name", "ward", "version", "1"));
            case "tools/list" ->
                Map.of(
                        "tools",
                        List.of(Map.of(
                                "name",
                                "read",
                                "description",
                                "reads a chart",
                                "inputSchema",
                                Map.of("type", "object"))));
            default -> Map.of("content", List.of(Map.of("type", "text", "text", CHART)));
        };
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return McpJsonDefaults.getMapper().convertValue(data, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return Mono.empty();
    }
}
