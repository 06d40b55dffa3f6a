package dev.sluice.mcpjava.enforce;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON-RPC messages as the maps and lists that the SDK has of them, and as the bytes that are judged. */
final class JsonTree {

    /** Whole numbers of any size stay exact; others are what the SDK itself makes of them. */
    private static final JsonMapper AS_SDK = JsonMapper.shared();

    /** What goes to a server keeps all digits that the caller gave. */
    private static final JsonMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private JsonTree() {}

    /** Returns the bytes of a message: its members in order, those that are null left out. */
    static byte[] bytes(Map<String, @Nullable Object> members) {
        members.values().removeIf(each -> each == null);
        return AS_SDK.writeValueAsBytes(members);
    }

    /**
     * Returns an error in the place of an answer that can't be written as JSON within the usual limits: whoever waits for it
     * must not wait for ever.
     */
    static byte[] unreadable(Object id) {
        Map<String, @Nullable Object> members = message("2.0");
        members.put("id", id);
        members.put("error", Map.of("code", -32603, "message", "the answer can't be read"));
        return bytes(members);
    }

    /** Begins the members of a message. */
    static Map<String, @Nullable Object> message(String version) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("jsonrpc", version);
        return members;
    }

    /** Returns the members of a message that goes to a client. */
    static Map<?, ?> toClient(byte[] message) {
        return AS_SDK.readValue(message, Map.class);
    }

    /** Returns the members of a message that goes to a server. */
    static Map<?, ?> toServer(byte[] message) {
        return EXACT.readValue(message, Map.class);
    }

    static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    static int number(@Nullable Object value) {
        return value instanceof Number number ? number.intValue() : 0;
    }
}
