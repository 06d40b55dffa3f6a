package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.ParamHeaders;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/**
 * Which arguments of an upstream's tools stand in headers too, as their definitions say.
 *
 * <p>Source: MCP revision 2026-07-28, Transports, Streamable HTTP, Custom Headers from Tool Parameters.
 */
final class MirroredArguments {

    /** More tools with such arguments are not remembered; without the headers, their server refuses the calls. */
    private static final int MOST = 10_000;

    private static final String MARK = "x-mcp-header";

    private final Map<String, JsonNode> schemas = new ConcurrentHashMap<>();

    /** Takes note of which arguments of {@code tools} stand in headers; returns the names of tools of which that can't be said. */
    Set<String> learn(Value tools) {
        Set<String> faulty = new TreeSet<>();
        for (Value tool : tools.elements()) {
            String name = MessageEdits.name(tool);
            if (tool.kind() != Kind.OBJECT || !tool.raw().contains(MARK)) {
                schemas.remove(name);
                continue;
            }
            JsonNode schema = tool.tree().path("inputSchema");
            if (ParamHeaders.fault(schema).isPresent()) {
                schemas.remove(name);
                faulty.add(name);
            } else if (schemas.size() < MOST) {
                schemas.put(name, schema);
            }
        }
        return faulty;
    }

    /** Returns the input schema of a tool that has such arguments; empty for any other. */
    Optional<JsonNode> schema(String tool) {
        return Optional.ofNullable(schemas.get(tool));
    }

    /** Returns the headers that stand for arguments of a call, as they are in {@code message}. */
    Map<String, String> headers(byte[] message) {
        if (schemas.isEmpty() || !(RpcMessage.parse(message) instanceof RpcMessage.Request request)) {
            return Map.of();
        }
        Optional<JsonNode> schema = request.params()
                .flatMap(params -> params.pointer("/name"))
                .filter(name -> name.kind() == Kind.STRING)
                .flatMap(name -> schema(name.string()));
        Optional<Value> arguments = request.params().flatMap(params -> params.pointer("/arguments"));
        return schema.isEmpty() || arguments.isEmpty()
                ? Map.of()
                : ParamHeaders.of(schema.get(), arguments.get().tree());
    }
}
