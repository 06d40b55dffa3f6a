package dev.sluice.schemes;

import dev.sluice.wire.Decoded;
import tools.jackson.databind.JsonNode;

/**
 * How records of one type are read: what they claim of data ({@code type} of an evidence reference).
 *
 * <p>A plug-in: implementations are found by {@link java.util.ServiceLoader}, need a public constructor without
 * parameters, and are called by several threads at once. A record reaches a scheme only after its digest was checked.
 * What a scheme says is a claim like any other: it raises a label, and replaces a default only where the operator lets it.
 */
public interface LabelScheme {

    /**
     * Returns the type of the records that this scheme reads, such as {@code ifc.fides.v1}. The drafts ask for reverse
     * domain names in types of one's own.
     */
    String type();

    /**
     * Reads one record. What it lacks or nobody understands is claimed strictly, with a finding whose pointer starts at
     * the record; never thrown.
     */
    Decoded<Claims> read(JsonNode record);
}
