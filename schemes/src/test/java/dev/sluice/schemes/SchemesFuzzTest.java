package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import dev.sluice.wire.json.MalformedJsonException;
import tools.jackson.databind.JsonNode;

/** Every scheme reads any record without an exception, twice the same, and names the places of what it finds wrong. */
final class SchemesFuzzTest {

    private static final Schemes SCHEMES = Schemes.installed();

    @FuzzTest
    void read(byte[] bytes) {
        JsonNode record;
        try {
            record = JsonIndex.parse(bytes).root().tree();
        } catch (MalformedJsonException refused) {
            return;
        }
        for (String type : SCHEMES.types()) {
            LabelScheme scheme = SCHEMES.of(type).orElseThrow();
            Decoded<Claims> claims = assertDoesNotThrow(() -> scheme.read(record), type);
            assertEquals(claims.value(), scheme.read(record).value(), type);
            for (Finding finding : claims.findings()) {
                assertDoesNotThrow(() -> JsonPointers.tokens(finding.pointer()), type);
                assertFalse(finding.message().isBlank(), type);
            }
        }
    }
}
