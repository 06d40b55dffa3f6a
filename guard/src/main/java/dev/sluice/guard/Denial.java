package dev.sluice.guard;

import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * A refusal, as it is told.
 *
 * @param code the stable word for the reason
 * @param toModel the text for the model: what was refused, why, and what to do
 * @param toHuman one line for a person, which may name recipients
 * @param meta the decision for {@code _meta}, with a reference to its record
 * @param pending the id of the question that waits for a person's answer; empty where none does
 * @param rules the names of the controls and rules that were not satisfied
 */
public record Denial(String code, String toModel, String toHuman, ObjectNode meta, String pending, List<String> rules) {

    public Denial {
        rules = List.copyOf(rules);
    }
}
