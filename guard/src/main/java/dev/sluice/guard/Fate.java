package dev.sluice.guard;

import dev.sluice.policy.Redaction;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a part of an answer.
 *
 * @param rule the rule that takes it out; null where none does
 * @param hidden whether the agent gets a handle of it
 */
record Fate(@Nullable Redaction rule, boolean hidden) {

    /** It reaches the agent as it is. */
    static final Fate KEPT = new Fate(null, false);

    /** The agent gets a handle of it. */
    static final Fate HIDDEN = new Fate(null, true);

    /** A rule takes it out. */
    static Fate redacted(Redaction rule) {
        return new Fate(rule, false);
    }

    boolean isKept() {
        return equals(KEPT);
    }
}
