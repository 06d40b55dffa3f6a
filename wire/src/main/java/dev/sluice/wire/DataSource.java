package dev.sluice.wire;

import java.util.Optional;

/** Where what a tool returns comes from (SEP-2061), from the most trusted source to the least. */
public enum DataSource {
    /** The platform itself. */
    SYSTEM,
    /** The end user. */
    USER,
    /** Inside the organisation. */
    INTERNAL,
    /** Public and vetted. */
    TRUSTED_PUBLIC,
    /** Anybody. */
    UNTRUSTED_PUBLIC;

    /** The values as a message names them. */
    static final String VOCABULARY = "`system`, `user`, `internal`, `trustedPublic` or `untrustedPublic`";

    /** Returns how the value is written. */
    public String wire() {
        return Vocabulary.wire(this);
    }

    /** Reads a value or an alias of the drafts' examples (D-AM-1); empty for any other text. */
    public static Optional<DataSource> read(String text) {
        return switch (text) {
            case "open-world" -> Optional.of(UNTRUSTED_PUBLIC);
            case "first-party" -> Optional.of(INTERNAL);
            default -> Vocabulary.read(DataSource.class, text);
        };
    }
}
