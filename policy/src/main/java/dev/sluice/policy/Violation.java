package dev.sluice.policy;

import dev.sluice.labels.Origin;
import java.util.List;

/**
 * One control that a call does not satisfy.
 *
 * @param control the control
 * @param code a stable word for the reason, listed in {@code docs/policy.md}
 * @param strength what it asks for
 * @param toModel the reason for the model: no reader names, no data
 * @param toHuman the reason for a person
 * @param origins the earlier answers that brought what stands in the way
 * @param id the name of the control, or of the operator's own rule
 */
public record Violation(
        Control control,
        String code,
        Strength strength,
        String toModel,
        String toHuman,
        List<Origin> origins,
        String id) {

    public Violation {
        origins = List.copyOf(origins);
    }

    /** A built-in control that a call does not satisfy. */
    public Violation(
            Control control, String code, Strength strength, String toModel, String toHuman, List<Origin> origins) {
        this(control, code, strength, toModel, toHuman, origins, control.id());
    }

    Violation with(Strength other) {
        return new Violation(control, code, other, toModel, toHuman, origins, id);
    }
}
