package dev.sluice.policy;

/** How strong the built-in controls are. */
public enum Profile {
    /** An untrusted session may not act; every violation that a person could weigh is denied. */
    STRICT,
    /** Some untrusted sessions may act, and a person is asked where the data could go wrong one way only. */
    BALANCED
}
