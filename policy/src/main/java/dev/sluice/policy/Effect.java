package dev.sluice.policy;

/** What a call does beyond answering. */
public enum Effect {
    /** Brings data into the session. */
    READS,
    /** Changes something that stays with the server. */
    WRITES,
    /** Makes data visible to somebody other than the user and the server. */
    SENDS
}
