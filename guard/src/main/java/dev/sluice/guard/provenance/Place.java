package dev.sluice.guard.provenance;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;

/**
 * Where a text stood when it came in.
 *
 * @param label the label of that part of the answer
 * @param vouched whether the service itself made it, such as an id, as the operator says
 * @param origin the answer
 */
public record Place(Label label, boolean vouched, Origin origin) {}
