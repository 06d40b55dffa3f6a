package dev.sluice.springai;

import dev.sluice.guard.client.MessageParts;
import dev.sluice.wire.IfcLabel;
import dev.sluice.wire.LegacyClaims;
import dev.sluice.wire.TrustAnnotations;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.memory.ChatMemory;

/** The messages of the MCP Java SDK, to bytes and back. */
final class Messages {

    private static final String META = "_meta";

    /** What servers say of the labels of a block. */
    private static final List<String> LABELS = List.of(TrustAnnotations.KEY, LegacyClaims.KEY, IfcLabel.KEY);

    private Messages() {}

    /**
     * Returns the bytes of {@code message}.
     *
     * @param plain makes maps and lists of what the SDK has classes for
     */
    static byte[] bytes(JSONRPCMessage message, UnaryOperator<@Nullable Object> plain) {
        if (message instanceof JSONRPCRequest request) {
            return MessageParts.asking(request.jsonrpc(), request.id(), request.method(), plain.apply(request.params()))
                    .bytes();
        }
        if (message instanceof JSONRPCNotification notification) {
            return MessageParts.asking(
                            notification.jsonrpc(), null, notification.method(), plain.apply(notification.params()))
                    .bytes();
        }
        JSONRPCResponse response = (JSONRPCResponse) message;
        JSONRPCResponse.JSONRPCError error = response.error();
        return MessageParts.answering(
                        response.jsonrpc(),
                        response.id(),
                        plain.apply(response.result()),
                        error == null
                                ? null
                                : new MessageParts.Failure(error.code(), error.message(), plain.apply(error.data())))
                .bytes();
    }

    /** Returns a message for the server, which need not know how the application tells its conversations apart. */
    static JSONRPCMessage toServer(byte[] message) {
        MessageParts parts = MessageParts.toServer(message);
        if (parts.method() != null && parts.params() instanceof Map<?, ?> params) {
            without(params, List.of(ChatMemory.CONVERSATION_ID));
        }
        return of(parts);
    }

    /**
     * Returns a message for the client.
     *
     * <p>Spring AI writes the blocks of a result into the prompt with their {@code _meta}. There a label is only one more
     * text that a model may or may not believe, and a server's claim of itself one that nobody checked; so labels are taken
     * out of blocks. That of the whole result, in which they are joined, stays; models do not get it.
     */
    static JSONRPCMessage toClient(byte[] message) {
        MessageParts parts = MessageParts.toClient(message);
        if (parts.result() instanceof Map<?, ?> result && result.get("content") instanceof List<?> blocks) {
            blocks.forEach(Messages::withoutLabels);
        }
        return of(parts);
    }

    private static void withoutLabels(@Nullable Object block) {
        if (!(block instanceof Map<?, ?> members)) {
            return;
        }
        withoutLabels(members.get("resource"));
        without(members, LABELS);
    }

    /** Takes keys out of {@code _meta}, and that where nothing is left in it. */
    private static void without(Map<?, ?> members, List<String> keys) {
        if (members.get(META) instanceof Map<?, ?> meta && meta.keySet().removeAll(keys) && meta.isEmpty()) {
            members.remove(META);
        }
    }

    private static JSONRPCMessage of(MessageParts parts) {
        String method = parts.method();
        if (method != null) {
            return parts.id() == null
                    ? new JSONRPCNotification(parts.version(), method, parts.params())
                    : new JSONRPCRequest(parts.version(), method, parts.id(), parts.params());
        }
        MessageParts.Failure failure = parts.failure();
        return new JSONRPCResponse(
                parts.version(),
                parts.id(),
                parts.result(),
                failure == null
                        ? null
                        : new JSONRPCResponse.JSONRPCError(failure.code(), failure.message(), failure.data()));
    }
}
