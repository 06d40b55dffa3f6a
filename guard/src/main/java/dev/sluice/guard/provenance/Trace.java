package dev.sluice.guard.provenance;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import java.util.List;

/**
 * Where the text of one argument was found.
 *
 * @param label the join of the labels of all places in which it, or a passage of it, was found; the lowest where none was
 * @param named whether the user typed it
 * @param vouched whether every place of it is one that the service made or that trusted people wrote
 * @param unmatched whether a part of it was found nowhere, or in more places than are looked at: it may carry anything
 * @param said whether a part of it is words of the user, which names nothing: which words they are can tell something too
 * @param origins the answers in which it was found, the earliest first; bounded
 */
public record Trace(
        Label label, boolean named, boolean vouched, boolean unmatched, boolean said, List<Origin> origins) {

    /** Found nowhere. */
    public static final Trace NOWHERE = new Trace(Label.BOTTOM, false, false, true, false, List.of());

    /** Typed by the user, who may say it to anybody. */
    static final Trace TYPED = new Trace(Label.BOTTOM, true, false, false, false, List.of());

    /** Takes a copy of the list. */
    public Trace {
        origins = List.copyOf(origins);
    }
}
