package dev.sluice.wire;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What reaches the readers of annotations: trees of texts that the index takes. */
final class FuzzedJson {

    private FuzzedJson() {}

    /** Returns the tree of a text; empty where it is refused before anybody reads it. */
    static Optional<JsonNode> tree(byte[] bytes) {
        try {
            return Optional.of(JsonIndex.parse(bytes).root().tree());
        } catch (MalformedJsonException refused) {
            return Optional.empty();
        }
    }

    /** Returns what was read, if each finding names its place by a pointer and says something. */
    static <T> T value(Decoded<T> decoded) {
        for (Finding finding : decoded.findings()) {
            JsonPointers.tokens(finding.pointer());
            if (finding.message().isBlank()) {
                throw new AssertionError("a finding without words at " + finding.pointer());
            }
        }
        return decoded.value();
    }
}
