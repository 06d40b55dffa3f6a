package dev.sluice.wire.canonical;

/** That a value has no canonical form: the message names the place, a JSON Pointer (RFC 6901), and the mend. */
public final class CanonicalizationException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /** Takes a sentence for people. */
    public CanonicalizationException(String message) {
        super(message);
    }
}
