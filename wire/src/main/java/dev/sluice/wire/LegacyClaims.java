package dev.sluice.wire;

import dev.sluice.wire.ActionMetadata.Returns;
import dev.sluice.wire.Finding.Code;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * What a result or a part of it says in the words of SEP-1913, all three versions ({@code _meta.annotations}).
 *
 * <p>They only raise: a hint that is false, or a source that is trusted, says nothing. Never written.
 *
 * @param sensitiveHint how sensitive it is
 * @param privateHint whether it is for the organisation only
 * @param openWorldHint whether it comes from an untrusted origin
 * @param maliciousActivityHint whether the server saw signs of an attack in it
 * @param attribution where it comes from, each once, mostly as URIs
 * @param returnMetadata its source and its kinds of sensitive data
 */
public record LegacyClaims(
        SensitiveHint sensitiveHint,
        Claim privateHint,
        Claim openWorldHint,
        Claim maliciousActivityHint,
        List<String> attribution,
        Returns returnMetadata) {

    /** The key in {@code _meta}. */
    public static final String KEY = "annotations";

    /** Nothing said. */
    public static final LegacyClaims NONE =
            new LegacyClaims(SensitiveHint.ABSENT, Claim.ABSENT, Claim.ABSENT, Claim.ABSENT, List.of(), Returns.NONE);

    static final String PRIVATE = "privateHint";
    static final String OPEN_WORLD = "openWorldHint";
    static final String MALICIOUS = "maliciousActivityHint";
    static final String ATTRIBUTION = "attribution";

    /** Takes a copy of the list, each text once. */
    public LegacyClaims {
        attribution = List.copyOf(new LinkedHashSet<>(attribution));
    }

    /** Reads the annotations, the value of {@link #KEY}; what is no object claims the worst, null claims nothing. */
    public static Decoded<LegacyClaims> decode(JsonNode annotations) {
        Decoding decoding = new Decoding();
        return decoding.result(decode(annotations, "", decoding));
    }

    static LegacyClaims decode(JsonNode annotations, String pointer, Decoding decoding) {
        if (annotations.isNull()) {
            return NONE;
        }
        if (!annotations.isObject()) {
            decoding.notAnObject(KEY, annotations, pointer);
            return new LegacyClaims(SensitiveHint.HIGH, Claim.TRUE, Claim.TRUE, Claim.ABSENT, List.of(), Returns.NONE);
        }
        LegacyClaims claims = new LegacyClaims(
                SensitiveHint.read(annotations, pointer, decoding),
                decoding.claim(annotations, PRIVATE, Claim.TRUE, pointer),
                decoding.claim(annotations, OPEN_WORLD, Claim.TRUE, pointer),
                decoding.claim(annotations, MALICIOUS, Claim.TRUE, pointer),
                decoding.texts(annotations, ATTRIBUTION, pointer),
                ActionMetadata.returns(annotations, pointer, decoding));
        if (annotations.path(MALICIOUS).booleanValue(false)) {
            decoding.report(
                    Code.MALICIOUS_ACTIVITY,
                    pointer + "/" + MALICIOUS,
                    "the server marks this as suspicious: look at it before anybody acts on it; read as untrusted");
        }
        return claims;
    }

    /** Returns TRUE where anything says that it must not be shown to everybody, else ABSENT. */
    public Claim sensitive() {
        return raised(sensitiveHint != SensitiveHint.ABSENT || privateHint == Claim.TRUE || !kinds().isEmpty());
    }

    /** Returns TRUE where anything says that somebody outside may have written it, else ABSENT. */
    public Claim untrusted() {
        Dimension<DataSource> source = returnMetadata.source();
        return raised(openWorldHint == Claim.TRUE
                || maliciousActivityHint == Claim.TRUE
                || source.isUnclear()
                || source.values().contains(DataSource.UNTRUSTED_PUBLIC));
    }

    /** Returns the kinds of sensitive data in it; NONE is no kind, an unknown one is kept as unrecognised. */
    public Set<Sensitivity> kinds() {
        Set<Sensitivity> kinds = new LinkedHashSet<>(returnMetadata.possible());
        kinds.remove(Sensitivity.NONE);
        return kinds;
    }

    private static Claim raised(boolean isRaised) {
        return isRaised ? Claim.TRUE : Claim.ABSENT;
    }
}
