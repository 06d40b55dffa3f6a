package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Annotations of any result are read without an exception, and what was read and written again is read as the same. */
final class TrustAnnotationsFuzzTest {

    @FuzzTest
    void decodeResult(byte[] bytes) {
        FuzzedJson.tree(bytes).ifPresent(result -> {
            ResultAnnotations read = FuzzedJson.value(TrustAnnotations.decodeResult(result));
            ResultClaims claims = read.claims();
            for (ResultAnnotations.Block block : read.blocks()) {
                // A block only adds: what it says is true is true of the whole.
                if (block.annotations().untrusted() == Claim.TRUE) {
                    assertEquals(Claim.TRUE, claims.untrusted());
                }
                if (block.annotations().sensitive() == Claim.TRUE) {
                    assertEquals(Claim.TRUE, claims.sensitive());
                }
            }
            ObjectNode written = JsonNodeFactory.instance.objectNode();
            read.result().writeTo(written);
            assertEquals(
                    read.result(),
                    FuzzedJson.value(TrustAnnotations.decodeResult(written)).result());
        });
    }
}
