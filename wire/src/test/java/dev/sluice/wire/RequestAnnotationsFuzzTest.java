package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Annotations of any request are read without an exception, and writing them only raises. */
final class RequestAnnotationsFuzzTest {

    private static final RequestAnnotations MORE =
            new RequestAnnotations(Claim.TRUE, Claim.ABSENT, SensitiveHint.MEDIUM, List.of("mail:1"));

    @FuzzTest
    void decode(byte[] bytes) {
        FuzzedJson.tree(bytes).ifPresent(params -> {
            RequestAnnotations read = FuzzedJson.value(RequestAnnotations.decode(params));
            ObjectNode written = JsonNodeFactory.instance.objectNode();
            read.writeTo(written);
            assertEquals(read, FuzzedJson.value(RequestAnnotations.decode(written)));
            if (params instanceof ObjectNode) {
                raised(params, read);
            }
        });
    }

    private static void raised(JsonNode params, RequestAnnotations read) {
        ObjectNode raised = (ObjectNode) params.deepCopy();
        MORE.writeTo(raised);
        assertEquals(read.or(MORE), FuzzedJson.value(RequestAnnotations.decode(raised)));
    }
}
