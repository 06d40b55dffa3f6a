package dev.sluice.mcpjava.enforce;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The messages of the SDK's first stack, to bytes and back. */
final class LegacyMessages {

    private LegacyMessages() {}

    /**
     * Returns the bytes of {@code message}.
     *
     * @param plain makes maps and lists of what the SDK has classes for
     */
    static byte[] bytes(JSONRPCMessage message, UnaryOperator<@Nullable Object> plain) {
        if (message instanceof JSONRPCRequest request) {
            Map<String, @Nullable Object> members = JsonTree.message(request.jsonrpc());
            members.put("id", request.id());
            members.put("method", request.method());
            members.put("params", plain.apply(request.params()));
            return JsonTree.bytes(members);
        }
        if (message instanceof JSONRPCNotification notification) {
            Map<String, @Nullable Object> members = JsonTree.message(notification.jsonrpc());
            members.put("method", notification.method());
            members.put("params", plain.apply(notification.params()));
            return JsonTree.bytes(members);
        }
        JSONRPCResponse response = (JSONRPCResponse) message;
        Map<String, @Nullable Object> members = JsonTree.message(response.jsonrpc());
        members.put("id", response.id());
        JSONRPCResponse.JSONRPCError error = response.error();
        if (error == null) {
            Object result = plain.apply(response.result());
            members.put("result", result == null ? Map.of() : result);
        } else {
            Map<String, @Nullable Object> failure = new java.util.LinkedHashMap<>();
            failure.put("code", error.code());
            failure.put("message", error.message());
            failure.put("data", plain.apply(error.data()));
            failure.values().removeIf(each -> each == null);
            members.put("error", failure);
        }
        return JsonTree.bytes(members);
    }

    /** Returns the message that {@code members} are. */
    static JSONRPCMessage of(Map<?, ?> members) {
        String version = JsonTree.text(members.get("jsonrpc"));
        Object id = members.get("id");
        if (members.get("method") instanceof String method) {
            Object params = members.get("params");
            return id == null
                    ? new JSONRPCNotification(version, method, params)
                    : new JSONRPCRequest(version, method, id, params);
        }
        if (members.get("error") instanceof Map<?, ?> error) {
            return new JSONRPCResponse(
                    version,
                    id,
                    null,
                    new JSONRPCResponse.JSONRPCError(
                            JsonTree.number(error.get("code")),
                            JsonTree.text(error.get("message")),
                            error.get("data")));
        }
        return new JSONRPCResponse(version, id, members.get("result"), null);
    }
}
