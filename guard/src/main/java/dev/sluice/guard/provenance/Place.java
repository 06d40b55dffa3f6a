package dev.sluice.guard.provenance;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;

/**
 * Where a text stood when it came in.
 *
 * @param label the label of that part of the answer
 * @param vouched whether the service itself made it, such as an id, as the operator says
 * @param named whether the user chose it: a value that the service made, in the only item of an answer to a call of which the
 *     user named every argument
 * @param origin the answer
 */
public record Place(Label label, boolean vouched, boolean named, Origin origin) {

    /** A place that nobody chose. */
    public Place(Label label, boolean vouched, Origin origin) {
        this(label, vouched, false, origin);
    }
}
