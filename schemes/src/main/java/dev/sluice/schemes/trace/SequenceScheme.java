package dev.sluice.schemes.trace;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code sequence}: {@code sequence} (the calls, in order), {@code window} (how many calls were looked at) and
 * {@code flagged_step} (the one that made it remarkable, counted from 0). It claims nothing of data: it tells what was
 * done, in which order.
 */
public final class SequenceScheme implements LabelScheme {

    /** The type of its records. */
    public static final String TYPE = "sequence";

    /** Makes the scheme. */
    public SequenceScheme() {}

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Decoded<Claims> read(JsonNode record) {
        List<Finding> findings = new ArrayList<>();
        if (Shapes.isObject(record, "a sequence record", findings)) {
            Shapes.texts(record, "sequence", findings);
            Shapes.count(record, "window", Integer.MAX_VALUE, findings);
            int steps = record.path("sequence").size();
            Shapes.count(record, "flagged_step", Math.max(0, steps - 1), findings);
        }
        return new Decoded<>(Claims.NONE, findings);
    }
}
