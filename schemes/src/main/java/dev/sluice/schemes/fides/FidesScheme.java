package dev.sluice.schemes.fides;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.IfcLabel;
import java.util.ArrayList;
import java.util.List;
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
        List<Finding> findings = new ArrayList<>(label.findings());
        Claim untrusted = stated(record, "integrity", label.value().untrusted(), findings);
        Claim sensitive = stated(record, "confidentiality", label.value().sensitive(), findings);
        return new Decoded<>(new Claims(untrusted, sensitive, new TreeSet<>()), findings);
    }

    /** A record has both members; the bare label in {@code _meta}, which has no scheme, may leave one out. */
    private static Claim stated(JsonNode record, String member, Claim claim, List<Finding> findings) {
        if (!record.isObject() || record.has(member)) {
            return claim;
        }
        findings.add(new Finding(
                Finding.Code.NOT_A_STRING,
                "/" + member,
                "`" + member + "` is missing: state it; read as the strictest"));
        return Claim.TRUE;
    }
}
