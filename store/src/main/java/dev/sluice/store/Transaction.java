package dev.sluice.store;

/** The stores, inside one transaction of an {@link Engine}. */
public interface Transaction {

    /** Returns what sessions have seen. */
    SessionStore sessions();

    /** Returns the record of what was decided. */
    AuditLog audit();

    /** Returns the definitions that calls may rely on. */
    PinStore pins();

    /** Returns what users typed. */
    PromptStore prompts();
}
