package dev.sluice.schemes;

import dev.sluice.labels.Label;

/**
 * Where labelling starts: what the operator says of an answer, with defaults for what is left unsaid.
 *
 * @param label all parts
 * @param integrityStated whether the operator said who could have written it
 * @param confidentialityStated whether the operator said who may read it
 * @param classesStated whether the operator said what kinds of data it holds
 */
public record Base(Label label, boolean integrityStated, boolean confidentialityStated, boolean classesStated) {

    /** Returns the base of an answer of which the operator said nothing. */
    public static Base unstated(Label label) {
        return new Base(label, false, false, false);
    }
}
