package dev.sluice.langchain4j;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.langchain4j.mcp.protocol.McpClientMessage;
import dev.langchain4j.mcp.protocol.McpInitializeRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** JSON-RPC messages as LangChain4j has them, and as the bytes that are judged. */
final class Messages {

    /** As LangChain4j reads them. */
    private static final ObjectMapper AS_CLIENT = new ObjectMapper();

    /** With all digits. */
    static final ObjectMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private Messages() {}

    static byte[] bytes(Object message) {
        try {
            return AS_CLIENT.writeValueAsBytes(message);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("what is to be sent is no JSON", e);
        }
    }

    static JsonNode toClient(byte[] message) {
        try {
            return AS_CLIENT.readTree(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode exact(byte[] message) {
        try {
            return EXACT.readTree(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text for the model in an answer that the server did not give. */
    static String textOf(byte[] reply) {
        JsonNode message = toClient(reply);
        String text = message.at("/result/content/0/text").asText("");
        return text.isEmpty() ? message.at("/error/message").asText("denied") : text;
    }

    /** Exactly those bytes, as a message that a transport takes. */
    static final class Raw extends McpClientMessage {
        private final String json;

        /**
         * @param id under which the transport waits for the answer; none where it is not to wait, not even where the
         *     message has one, since that is the server's and may be another request's too
         * @param like what the message was before it was judged
         */
        Raw(byte[] message, @Nullable Long id, @Nullable McpClientMessage like) {
            super(id, like == null ? null : like.method);
            this.json = new String(message, StandardCharsets.UTF_8);
        }

        @JsonValue
        @JsonRawValue
        String json() {
            return json;
        }
    }

    /** Exactly those bytes, which open a connection. */
    static final class RawInitialize extends McpInitializeRequest {
        private final String json;

        RawInitialize(byte[] message, Long id) {
            super(id);
            this.json = new String(message, StandardCharsets.UTF_8);
        }

        @JsonValue
        @JsonRawValue
        String json() {
            return json;
        }
    }
}
