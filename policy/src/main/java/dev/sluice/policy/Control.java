package dev.sluice.policy;

/** The built-in controls; each is a question about one call. */
public enum Control {
    /** Is a consequential call steered by trusted data? */
    TRUSTED_ACTION("trusted-action"),
    /** May everybody who sees the data after the call read it? */
    PERMITTED_FLOW("permitted-flow"),
    /** May data of these classes go in? */
    CLASS_CLEARANCE("class-clearance"),
    /** Did the tool ask for a person's review? */
    REVIEW_REQUIRED("review-required"),
    /** Is the tool still defined as it was when it was approved? */
    DEFINITION_PINNED("definition-pinned"),
    /** Does it follow what it must not follow? */
    SEQUENCE("sequence"),
    /** Does a rule of the operator's own speak against it? */
    RULE("rule"),
    /** Can the call be read without doubt? */
    WELL_FORMED("well-formed");

    private final String id;

    Control(String id) {
        this.id = id;
    }

    /** Returns the name that policies and records use. */
    public String id() {
        return id;
    }
}
