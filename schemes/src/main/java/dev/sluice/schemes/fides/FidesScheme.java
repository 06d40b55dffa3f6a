package dev.sluice.schemes.fides;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.IfcLabel;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code ifc.fides.v1}: {@code integrity} (trusted, untrusted) and {@code confidentiality} (public, private).
 *
 * <p>Such a record has four possible values, so that its digest proves what it says and nothing about which data it
 * speaks of: without a signed binding anybody can put it beside anything (ruling D-IFC-4).
 */
public final class FidesScheme implements LabelScheme {

    /** The type of its records. */
    public static final String TYPE = "ifc.fides.v1";

    /** Makes the scheme. */
    public FidesScheme() {}

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public Decoded<Claims> read(JsonNode record) {
        Decoded<IfcLabel> label = IfcLabel.decode(record);
        return new Decoded<>(
                new Claims(label.value().untrusted(), label.value().sensitive(), new TreeSet<>()), label.findings());
    }
}
