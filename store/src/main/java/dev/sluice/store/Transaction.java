package dev.sluice.store;

/** The stores, inside one transaction of an {@link Engine}. */
public interface Transaction {

    /** Returns what sessions have seen. */
    SessionStore sessions();

    /** Returns the record of what was decided. */
    AuditLog audit();

    /** Returns the definitions that calls may rely on. */
    PinStore pins();

    /** Returns the values that agents have handles of. */
    VariableStore variables();

    /** Returns how far sessions are in sequences of calls. */
    SequenceStore sequences();

    /** Returns the questions to a person. */
    ApprovalStore approvals();

    /** Returns what users typed. */
    PromptStore prompts();
}
