package dev.sluice.policy;

/** How much a violation weighs; the strongest of all violations decides. */
public enum Strength {
    /** Recorded, and said to nobody but the log. */
    WARN,
    /** A person is asked. */
    ASK,
    /** Refused. */
    DENY
}
