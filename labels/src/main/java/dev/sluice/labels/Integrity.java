package dev.sluice.labels;

/**
 * Whether content could have been written by somebody whom the user does not trust.
 *
 * <p>TRUSTED may flow to UNTRUSTED, never back (FIDES, arXiv 2505.23643 v2, section 4.1).
 */
public enum Integrity {
    TRUSTED,
    UNTRUSTED;

    /** Returns whether content of this integrity may stand where {@code other} is expected. */
    public boolean canFlowTo(Integrity other) {
        return this == TRUSTED || other == UNTRUSTED;
    }

    /** Returns the integrity of mixed content: untrusted wins. */
    public Integrity join(Integrity other) {
        return this == UNTRUSTED ? this : other;
    }
}
