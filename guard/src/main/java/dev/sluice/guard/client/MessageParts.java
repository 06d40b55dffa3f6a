package dev.sluice.guard.client;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * One JSON-RPC message in the parts that client libraries have of it, plain maps and lists, to bytes and back.
 *
 * @param version the version of JSON-RPC
 * @param id a string or a number; null in a notification
 * @param method null in an answer
 * @param params null where there are none
 * @param result null in all but an answer that is no failure
 * @param failure null in all but a failure
 */
public record MessageParts(
        String version,
        @Nullable Object id,
        @Nullable String method,
        @Nullable Object params,
        @Nullable Object result,
        @Nullable Failure failure) {

    /** Whole numbers of any size stay exact; others are what libraries make of them. */
    private static final JsonMapper AS_LIBRARIES = JsonMapper.shared();

    /** What goes to a server keeps all digits that the caller gave. */
    private static final JsonMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** Why there is no result. */
    public record Failure(
            int code, String message, @Nullable Object data) {}

    /** Returns the parts of a request; of a notification where {@code id} is null. */
    public static MessageParts asking(String version, @Nullable Object id, String method, @Nullable Object params) {
        return new MessageParts(version, id, method, params, null, null);
    }

    /** Returns the parts of an answer, which has an empty result where it has neither. */
    public static MessageParts answering(
            String version, Object id, @Nullable Object result, @Nullable Failure failure) {
        return new MessageParts(
                version, id, null, null, failure == null && result == null ? Map.of() : result, failure);
    }

    /** Returns the parts of a message that goes to a client. */
    public static MessageParts toClient(byte[] message) {
        return of(AS_LIBRARIES.readValue(message, Map.class));
    }

    /** Returns the parts of a message that goes to a server. */
    public static MessageParts toServer(byte[] message) {
        return of(EXACT.readValue(message, Map.class));
    }

    private static MessageParts of(Map<?, ?> members) {
        return new MessageParts(
                text(members.get("jsonrpc")),
                members.get("id"),
                members.get("method") instanceof String method ? method : null,
                members.get("params"),
                members.get("result"),
                members.get("error") instanceof Map<?, ?> error
                        ? new Failure(
                                error.get("code") instanceof Number code ? code.intValue() : 0,
                                text(error.get("message")),
                                error.get("data"))
                        : null);
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    /** Returns the bytes of the message: members that are null are left out. */
    public byte[] bytes() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("jsonrpc", version);
        members.put("id", id);
        members.put("method", method);
        members.put("params", params);
        members.put("result", result);
        if (failure != null) {
            Map<String, @Nullable Object> error = new LinkedHashMap<>();
            error.put("code", failure.code());
            error.put("message", failure.message());
            error.put("data", failure.data());
            members.put("error", withoutNulls(error));
        }
        return AS_LIBRARIES.writeValueAsBytes(withoutNulls(members));
    }

    private static Map<String, @Nullable Object> withoutNulls(Map<String, @Nullable Object> members) {
        members.values().removeIf(each -> each == null);
        return members;
    }
}
