package dev.sluice.policy;

/** How strong the built-in controls are. */
public enum Profile {
    /** An untrusted session may not act, data may not leave its readers, and a person looks at what can't be undone. */
    STRICT,
    /** Some untrusted sessions may act, and a person is asked where the data could go wrong one way only. */
    BALANCED
}
