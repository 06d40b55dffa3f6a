package dev.sluice.guard;

import dev.sluice.policy.Redaction;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a part of an answer.
 *
 * @param rule the rule that takes it out; null where none does
 */
record Fate(@Nullable Redaction rule) {

    /** It reaches the agent as it is. */
    static final Fate KEPT = new Fate(null);

    boolean isKept() {
        return equals(KEPT);
    }
}
