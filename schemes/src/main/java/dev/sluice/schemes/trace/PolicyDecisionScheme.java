package dev.sluice.schemes.trace;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code policy-decision}: {@code decision}, {@code reasons}, {@code rule}, {@code stage}, {@code subject}. It
 * claims nothing of data: it tells what somebody's policy decided.
 */
public final class PolicyDecisionScheme implements LabelScheme {

    /** The type of its records. */
    public static final String TYPE = "policy-decision";

    /** Makes the scheme. */
    public PolicyDecisionScheme() {}

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Decoded<Claims> read(JsonNode record) {
        List<Finding> findings = new ArrayList<>();
        if (Shapes.isObject(record, "a policy-decision record", findings)) {
            Shapes.text(record, "decision", findings);
            Shapes.texts(record, "reasons", findings);
            Shapes.text(record, "rule", findings);
            Shapes.text(record, "stage", findings);
            Shapes.text(record, "subject", findings);
        }
        return new Decoded<>(Claims.NONE, findings);
    }
}
