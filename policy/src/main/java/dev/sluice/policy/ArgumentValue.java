package dev.sluice.policy;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import java.util.List;

/**
 * One text or number among the arguments of a call, and where it came from.
 *
 * @param argument the argument that it stands in, at the top level
 * @param pointer where in the arguments, a JSON Pointer (RFC 6901)
 * @param label the join of the labels of all places in which it was found; the lowest where there are none
 * @param named whether the user typed it
 * @param vouched whether every place of it is one that the service made or that trusted people wrote
 * @param unmatched whether a part of it was found nowhere, so that it may hold anything that the session has seen
 * @param origins the answers in which it was found
 */
public record ArgumentValue(
        String argument,
        String pointer,
        Label label,
        boolean named,
        boolean vouched,
        boolean unmatched,
        List<Origin> origins) {

    public ArgumentValue {
        origins = List.copyOf(origins);
    }

    /** Returns a value of which nothing is known. */
    public static ArgumentValue unknown(String argument, String pointer) {
        return new ArgumentValue(argument, pointer, Label.BOTTOM, false, false, true, List.of());
    }
}
