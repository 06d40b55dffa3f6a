package dev.sluice.wire;

import tools.jackson.databind.JsonNode;

/**
 * The label that some servers write into {@code _meta} under the bare key {@code ifc} (D-IFC-2): {@code integrity} and
 * {@code confidentiality}, read as the claims of trust-annotations. Never written.
 *
 * @param untrusted {@code integrity}: FALSE for {@code trusted}, TRUE for {@code untrusted}
 * @param sensitive {@code confidentiality}: FALSE for {@code public}, TRUE for {@code private}
 */
public record IfcLabel(Claim untrusted, Claim sensitive) {

    /** The key in {@code _meta}. */
    public static final String KEY = "ifc";

    /** No claim. */
    public static final IfcLabel NONE = new IfcLabel(Claim.ABSENT, Claim.ABSENT);

    /** Reads the label, the value of {@link #KEY}; what is no object, or outside the vocabulary, claims the worst. */
    public static Decoded<IfcLabel> decode(JsonNode label) {
        Decoding decoding = new Decoding();
        return decoding.result(decode(label, "", decoding));
    }

    static IfcLabel decode(JsonNode label, String pointer, Decoding decoding) {
        if (!label.isObject()) {
            decoding.notAnObject(KEY, label, pointer);
            return new IfcLabel(Claim.TRUE, Claim.TRUE);
        }
        return new IfcLabel(
                read(label, "integrity", "trusted", "untrusted", pointer, decoding),
                read(label, "confidentiality", "public", "private", pointer, decoding));
    }

    private static Claim read(JsonNode label, String name, String no, String yes, String pointer, Decoding decoding) {
        JsonNode member = label.get(name);
        if (member == null) {
            return Claim.ABSENT;
        }
        if (member.isString()
                && (member.stringValue().equals(no) || member.stringValue().equals(yes))) {
            return Claim.of(member.stringValue().equals(yes));
        }
        decoding.unknown(name, member, pointer + "/" + name, "`" + no + "` or `" + yes + "`");
        return Claim.TRUE;
    }
}
