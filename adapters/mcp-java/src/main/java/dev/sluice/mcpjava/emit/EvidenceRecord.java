package dev.sluice.mcpjava.emit;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.dataclass.DataClassScheme;
import dev.sluice.schemes.fides.FidesScheme;
import dev.sluice.wire.Claim;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A record that supports a label, in the words of a scheme. Immutable.
 *
 * <p>It is read as a client reads it, so that what it implies can't be missing in the claims beside it. A class, a
 * regulation or a label that no vocabulary here knows is not an error, since organisations have their own; it is
 * sensitive.
 */
public final class EvidenceRecord {

    private static final LabelScheme DATA_CLASS = new DataClassScheme();
    private static final LabelScheme FIDES = new FidesScheme();

    private final LabelScheme scheme;
    private final ObjectNode record;
    private final Claims claims;

    private EvidenceRecord(LabelScheme scheme, ObjectNode record) {
        this.scheme = scheme;
        this.record = record.deepCopy();
        Decoded<Claims> read = scheme.read(this.record);
        Optional<Finding> fault = read.findings().stream()
                .filter(each -> each.code() != Finding.Code.UNKNOWN_VALUE
                        || each.pointer().equals("/origin")
                        || scheme instanceof FidesScheme)
                .findFirst();
        if (fault.isPresent()) {
            throw new IllegalArgumentException("a record `" + scheme.type() + "` is wrong at `"
                    + fault.get().pointer() + "`: " + fault.get().message());
        }
        this.claims = read.value();
    }

    /**
     * Returns a record of a data class ({@code data-class.v1}).
     *
     * @param name the class, such as {@code confidential}
     * @param regulatory the regulations that the data is under, such as {@code HIPAA}
     * @throws IllegalArgumentException for a name that no label can keep, and for a public class under a regulation
     */
    public static EvidenceRecord dataClass(String name, String... regulatory) {
        ObjectNode record = JsonNodeFactory.instance.objectNode().put("class", name);
        return new EvidenceRecord(DATA_CLASS, record).with("regulatory", regulatory);
    }

    /**
     * Returns a record of integrity and confidentiality ({@code ifc.fides.v1}).
     *
     * @param integrity {@code trusted} or {@code untrusted}
     * @param confidentiality {@code public} or {@code private}
     * @throws IllegalArgumentException for other words
     */
    public static EvidenceRecord fides(String integrity, String confidentiality) {
        return new EvidenceRecord(
                FIDES,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("integrity", integrity)
                        .put("confidentiality", confidentiality));
    }

    /**
     * Returns a record of a scheme of one's own.
     *
     * @throws IllegalArgumentException where the scheme finds a fault in it
     */
    public static EvidenceRecord of(LabelScheme scheme, ObjectNode record) {
        return new EvidenceRecord(scheme, record);
    }

    /**
     * Returns the record with these labels of an organisation beside those that it has, in reverse domain names.
     *
     * @throws IllegalArgumentException where this is no record of a data class, or for a name that no label can keep
     */
    public EvidenceRecord labels(String... labels) {
        return with("labels", labels);
    }

    /**
     * Returns the record with the vocabulary that its class comes from, a URI.
     *
     * @throws IllegalArgumentException where this is no record of a data class
     */
    public EvidenceRecord policyRef(String vocabulary) {
        return with("policyRef", vocabulary);
    }

    private EvidenceRecord with(String member, String... values) {
        if (!scheme.type().equals(DataClassScheme.TYPE)) {
            throw new IllegalArgumentException(
                    "a record `" + scheme.type() + "` has no `" + member + "`: only one of a data class has");
        }
        if (values.length == 0) {
            return this;
        }
        ObjectNode changed = record.deepCopy();
        if (member.equals("policyRef")) {
            changed.put(member, values[0]);
        } else {
            Set<String> names = new LinkedHashSet<>();
            JsonNode before = changed.path(member);
            for (JsonNode each : before.isArray() ? before : List.of(before)) {
                each.stringValueOpt().ifPresent(names::add);
            }
            names.addAll(List.of(values));
            ArrayNode list = changed.putArray(member);
            names.forEach(list::add);
        }
        return new EvidenceRecord(scheme, changed);
    }

    /** Returns the scheme's name, the {@code type} of the reference. */
    public String type() {
        return scheme.type();
    }

    /** Returns a copy of the record itself. */
    public ObjectNode json() {
        return record.deepCopy();
    }

    /** Returns what it says about who may see the data. */
    Claim sensitive() {
        return claims.sensitive();
    }

    /** Returns what it says about who wrote the data. */
    Claim untrusted() {
        return claims.untrusted();
    }
}
