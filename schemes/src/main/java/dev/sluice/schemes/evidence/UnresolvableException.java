package dev.sluice.schemes.evidence;

/** That the record of a reference can't be had: the message says why and what mends it. */
public final class UnresolvableException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Takes a sentence for people. */
    public UnresolvableException(String message) {
        super(message);
    }
}
