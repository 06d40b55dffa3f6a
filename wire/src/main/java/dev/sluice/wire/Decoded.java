package dev.sluice.wire;

import java.util.List;

/**
 * What was read, and what was wrong with it.
 *
 * @param value the value, strict where the source was malformed
 * @param findings the faults in the order of reading; empty for a well-formed source
 * @param <T> what was read
 */
public record Decoded<T>(T value, List<Finding> findings) {

    /** Takes a copy of the findings. */
    public Decoded {
        findings = List.copyOf(findings);
    }
}
