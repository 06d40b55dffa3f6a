package dev.sluice.schemes.dataclass;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.labels.Vocabulary;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.List;
import java.util.Optional;

/** A vocabulary document is read or refused, and what was read can be found under its id. */
final class VocabulariesFuzzTest {

    private static final Vocabularies SHIPPED = Vocabularies.shipped();

    @FuzzTest
    void read(byte[] bytes) {
        Vocabulary vocabulary;
        try {
            vocabulary = Vocabularies.read(bytes);
        } catch (IllegalArgumentException | MalformedJsonException refused) {
            return;
        }
        if (SHIPPED.of(vocabulary.id()).isEmpty()) {
            assertEquals(
                    Optional.of(vocabulary), SHIPPED.with(List.of(vocabulary)).of(vocabulary.id()));
        }
    }
}
