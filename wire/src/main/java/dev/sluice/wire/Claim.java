package dev.sluice.wire;

/** What a server says about one yes-or-no matter; silence is a third answer and never read as no (D-TA-1). */
public enum Claim {
    /** The server says yes. */
    TRUE,
    /** The server says no; a claim to be recorded, never a grant (D-TA-2). */
    FALSE,
    /** The server says nothing. */
    ABSENT;

    /** Returns the claim that says {@code value}. */
    public static Claim of(boolean value) {
        return value ? TRUE : FALSE;
    }

    /** Returns TRUE where either says so, else FALSE where either says so, else ABSENT. */
    public Claim or(Claim other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
