package dev.sluice.policy;

import com.google.re2j.Pattern;

/**
 * What the operator says of the stretches of a text that match a pattern.
 *
 * <p>It only adds to the label of the text: whoever can write the text can write what matches, so nothing may become more
 * trusted, or readable by more people, by being spelled like that.
 *
 * @param match the pattern (RE2), which runs in linear time; it does not match nothing
 * @param group which of its groups is the stretch; 0 for all that matched
 * @param rule what is added; constants, or expressions over what matched, too
 */
public record SpanRule(Pattern match, int group, LabelRule rule) {

    /** Returns whether it adds only that an outsider could have written the stretch. */
    boolean isOnlyUntrusted() {
        return !rule.hasExpression()
                && rule.said().integrity() != null
                && rule.said().confidentiality() == null
                && rule.said().classes() == null;
    }
}
