package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.wire.json.JsonIndex;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The records and digests that the drafts publish, derived again. */
class EvidenceVectorsTest {

    static List<Arguments> vectors() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                EvidenceVectorsTest.class.getResourceAsStream("/canonical/evidence-vectors.json"))) {
            JsonIndex file = JsonIndex.parse(in.readAllBytes());
            return file.root().member("vectors").orElseThrow().elements().stream()
                    .map(vector -> Arguments.of(
                            string(vector, "name"),
                            string(vector, "canonicalization"),
                            vector.member("record").orElseThrow(),
                            string(vector, "digest")))
                    .toList();
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("vectors")
    void digest_isTheOnePublished(String name, String form, JsonIndex.Value record, String digest) {
        assertDoesNotThrow(() -> DraftProfile.check(record));
        byte[] canonical = Canonicalizations.of(form).orElseThrow().canonicalize(record);
        assertEquals(digest, Digest.sha256(canonical).text());
    }

    private static String string(JsonIndex.Value vector, String name) {
        return vector.member(name).orElseThrow().string();
    }
}
