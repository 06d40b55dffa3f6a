package dev.sluice.gateway.transport;

import dev.sluice.guard.message.ParamHeaders;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The headers of a message that has no session: which revision it is of, what it asks, and of whom.
 *
 * <p>Source: MCP revision 2026-07-28, Streamable HTTP, Request Metadata.
 */
final class ModernHead {

    private static final String VERSION = "MCP-Protocol-Version";
    private static final String METHOD = "Mcp-Method";
    private static final String NAME = "Mcp-Name";

    private ModernHead() {}

    /**
     * Returns the headers of a request; none where it does not name its revision, as legacy ones don't.
     *
     * @param arguments those that stand for its arguments
     */
    static Map<String, String> of(RpcMessage.Request request, Map<String, String> arguments) {
        Optional<RequestMeta> meta = RequestMeta.of(request);
        if (meta.isEmpty()) {
            return Map.of();
        }
        Map<String, String> head = new LinkedHashMap<>(arguments);
        head.put(VERSION, ParamHeaders.encode(meta.get().version()));
        head.put(METHOD, ParamHeaders.encode(request.method()));
        name(request).ifPresent(name -> head.put(NAME, ParamHeaders.encode(name)));
        return head;
    }

    /** Returns the headers of a notification. */
    static Map<String, String> of(RpcMessage.Notification notification) {
        return Map.of(VERSION, RequestMeta.REVISION, METHOD, ParamHeaders.encode(notification.method()));
    }

    /** Of methods that name something otherwise, such as those of extensions, nobody can know where. */
    private static Optional<String> name(RpcMessage.Request request) {
        String member = switch (request.method()) {
            case "tools/call", "prompts/get", "tools/resolve" -> "name";
            case "resources/read" -> "uri";
            case "tasks/get", "tasks/update", "tasks/cancel" -> "taskId";
            default -> "";
        };
        return request.params()
                .filter(params -> params.kind() == Kind.OBJECT)
                .flatMap(params -> params.member(member))
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
    }
}
