package dev.sluice.springai;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A server that a test plays, at the other end of a transport. Every tool answers from the parameters of its call. */
final class PlayedServer implements McpClientTransport {

    private final Map<String, Function<Map<?, ?>, Map<String, ?>>> tools = new LinkedHashMap<>();
    private final Map<String, String> descriptions = new LinkedHashMap<>();
    private @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client;

    /** The parameters of all calls that came. */
    final List<Map<?, ?>> got = new CopyOnWriteArrayList<>();

    /** What the client answered. */
    final List<JSONRPCResponse> answers = new CopyOnWriteArrayList<>();

    static Map<String, ?> text(String text) {
        return Map.of("content", List.of(Map.of("type", "text", "text", text)));
    }

    PlayedServer offer(String name, String answer) {
        return offer(name, "does " + name, params -> text(answer));
    }

    PlayedServer offer(String name, String description, Function<Map<?, ?>, Map<String, ?>> answer) {
        tools.put(name, answer);
        descriptions.put(name, description);
        return this;
    }

    List<Object> arguments() {
        return got.stream().<Object>map(params -> params.get("arguments")).toList();
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        client = handler;
        return Mono.empty();
    }

    void say(JSONRPCMessage message) {
        Objects.requireNonNull(client).apply(Mono.just(message)).block();
    }

    void say(String notification, Map<String, ?> params) {
        say(new JSONRPCNotification("2.0", notification, params));
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.fromRunnable(() -> {
            if (message instanceof JSONRPCResponse response) {
                answers.add(response);
            } else if (message instanceof JSONRPCRequest request) {
                say(new JSONRPCResponse("2.0", request.id(), answer(request), null));
            }
        });
    }

    private Object answer(JSONRPCRequest request) {
        Map<?, ?> params = request.params() == null
                ? Map.of()
                : unmarshalFrom(request.params(), new TypeRef<Map<String, Object>>() {});
        switch (request.method()) {
            case "initialize" -> {
                return Map.of(
                        "protocolVersion",
                        "2025-11-25",
                        "capabilities",
                        Map.of("tools", Map.of("listChanged", true), "resources", Map.of(), "logging", Map.of()),
                        "serverInfo",
                        Map.of("name", "played", "version", "1"));
            }
            case "tools/list" -> {
                List<Object> all = new ArrayList<>();
                descriptions.forEach((name, description) -> all.add(Map.of(
                        "name",
                        name,
                        "description",
                        description,
                        "inputSchema",
                        Map.of("type", "object", "properties", Map.of()))));
                return Map.of("tools", all);
            }
            case "tools/call" -> {
                got.add(params);
                return Objects.requireNonNull(tools.get(String.valueOf(params.get("name"))))
                        .apply(params);
            }
            case "resources/read" -> {
                return Map.of("contents", List.of(Map.of("uri", String.valueOf(params.get("uri")), "text", "x")));
            }
            default -> {
                return Map.of();
            }
        }
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
