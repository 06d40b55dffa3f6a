package dev.sluice.policy;

/** What is done with decisions. It never changes a decision that is recorded (ruling D-PE-1). */
public enum Mode {
    /** Decisions are recorded, nothing is held back. */
    AUDIT,
    /** Decisions are recorded and said in the answer, nothing is held back. */
    WARN,
    /** Decisions hold. */
    ENFORCE
}
