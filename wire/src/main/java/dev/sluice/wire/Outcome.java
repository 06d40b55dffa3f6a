package dev.sluice.wire;

import java.util.Optional;

/** What a call can do to the world (SEP-2061), from the mildest to the gravest. */
public enum Outcome {
    /** No change outside; private drafts count as none. */
    BENIGN,
    /** A visible change that can be taken back through the same interface. */
    CONSEQUENTIAL,
    /** A change that can't: something was sent, deleted, published. */
    IRREVERSIBLE;

    /** The values as a message names them. */
    static final String VOCABULARY = "`benign`, `consequential` or `irreversible`";

    /** Returns how the value is written. */
    public String wire() {
        return Vocabulary.wire(this);
    }

    /** Reads a value; empty for any other text. */
    public static Optional<Outcome> read(String text) {
        return Vocabulary.read(Outcome.class, text);
    }
}
