package dev.sluice.wire;

import java.util.Optional;

/** Who can see what goes into a tool (SEP-2061), from the narrowest audience to the widest. */
public enum Destination {
    /** Nobody afterwards: it is not stored. */
    EPHEMERAL,
    /** The platform only. */
    SYSTEM,
    /** The end user only. */
    USER,
    /** A restricted audience. */
    INTERNAL,
    /** Everybody. */
    PUBLIC;

    /** The values as a message names them. */
    static final String VOCABULARY = "`ephemeral`, `system`, `user`, `internal` or `public`";

    /** Returns how the value is written. */
    public String wire() {
        return Vocabulary.wire(this);
    }

    /** Reads a value or an alias of the drafts' examples (D-AM-1); empty for any other text. */
    public static Optional<Destination> read(String text) {
        return switch (text) {
            case "external" -> Optional.of(PUBLIC);
            case "local" -> Optional.of(SYSTEM);
            default -> Vocabulary.read(Destination.class, text);
        };
    }
}
