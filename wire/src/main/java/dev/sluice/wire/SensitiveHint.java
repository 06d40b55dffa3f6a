package dev.sluice.wire;

import java.util.Comparator;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How sensitive something is ({@code sensitiveHint}, the first two versions of SEP-1913), from silence to the most.
 *
 * <p>An order that the extensions gave up; here it is only read and carried on.
 */
public enum SensitiveHint {
    /** Nothing is said. */
    ABSENT,
    /** For the organisation only. */
    LOW,
    /** Confidential: data of customers, intellectual property. */
    MEDIUM,
    /** Regulated or secret: credentials, personal data. */
    HIGH;

    static final String NAME = "sensitiveHint";

    private static final String VOCABULARY = "`low`, `medium` or `high`";

    /** Returns the more sensitive of the two. */
    public SensitiveHint or(SensitiveHint other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** Reads the member: the most of several values, HIGH for one that is not known. */
    static SensitiveHint read(JsonNode object, String pointer, Decoding decoding) {
        Dimension<SensitiveHint> stated =
                decoding.dimension(object, NAME, pointer, Vocabulary.word(SensitiveHint::read), VOCABULARY);
        return stated.isUnclear()
                ? HIGH
                : stated.values().stream().max(Comparator.naturalOrder()).orElse(ABSENT);
    }

    private static Optional<SensitiveHint> read(String text) {
        return Vocabulary.read(SensitiveHint.class, text).filter(hint -> hint != ABSENT);
    }

    void writeTo(ObjectNode object) {
        if (this != ABSENT) {
            object.put(NAME, Vocabulary.wire(this));
        }
    }
}
