package dev.sluice.wire;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A pointer from a claim to a record that supports it ({@code evidenceRef} of trust-annotations).
 *
 * <p>Every text may be empty, which means that the member is absent.
 *
 * @param type the scheme, such as {@code ifc.fides.v1}
 * @param digest the digest of the record's canonical bytes
 * @param canonicalization how those bytes are made
 * @param schema where the record's schema stands
 * @param ref where the record stands
 * @param others members that this version does not know, kept as they are
 */
public record EvidenceRef(
        String type, String digest, String canonicalization, String schema, String ref, Map<String, JsonNode> others) {

    private static final List<String> TEXTS = List.of("type", "digest", "canonicalization", "schema", "ref");
    private static final Set<String> KNOWN = Set.copyOf(TEXTS);

    /**
     * Takes a deep copy of the other members.
     *
     * @throws IllegalArgumentException where one of them has a known name
     */
    public EvidenceRef {
        others = Decoding.copyOfOthers(others, KNOWN);
    }

    /** Reads a reference; what is no string counts as absent. */
    public static Decoded<EvidenceRef> decode(ObjectNode object) {
        Decoding decoding = new Decoding();
        return decoding.result(decode(object, "", decoding));
    }

    static EvidenceRef decode(ObjectNode object, String pointer, Decoding decoding) {
        return new EvidenceRef(
                decoding.text(object, "type", pointer),
                decoding.text(object, "digest", pointer),
                decoding.text(object, "canonicalization", pointer),
                decoding.text(object, "schema", pointer),
                decoding.text(object, "ref", pointer),
                Decoding.others(object, KNOWN));
    }

    /** Returns the record itself where the reference carries it ({@link VendorKeys#RECORD}), as it stands, unverified. */
    public Optional<JsonNode> inlineRecord() {
        return Optional.ofNullable(others.get(VendorKeys.RECORD));
    }

    /** Returns the signed envelope that the reference carries ({@link VendorKeys#ENVELOPE}), as it stands, unverified. */
    public Optional<JsonNode> envelope() {
        return Optional.ofNullable(others.get(VendorKeys.ENVELOPE));
    }

    /** Returns the object to write, without the absent members. */
    public ObjectNode encode() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        List<String> values = List.of(type, digest, canonicalization, schema, ref);
        for (int i = 0; i < values.size(); i++) {
            if (!values.get(i).isEmpty()) {
                object.put(TEXTS.get(i), values.get(i));
            }
        }
        others.forEach((name, value) -> object.set(name, value.deepCopy()));
        return object;
    }
}
