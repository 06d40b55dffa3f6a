package dev.sluice.schemes.evidence;

import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.Vectors;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.schemes.fides.FidesScheme;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.canonical.Canonicalizations;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A source whose key is trusted, a stranger, a clock that stands still, and results to vouch for. */
final class EvidenceWorld {

    static final Instant NOW = Instant.parse("2026-08-03T12:00:00Z");
    static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

    /** The keys of tests 1 and 2 of RFC 8032, section 7.1. */
    static final PrivateKey TRUSTED_KEY =
            privateKey("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

    static final PrivateKey STRANGE_KEY =
            privateKey("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    static final TrustedKey TRUSTED =
            publicKey("k1", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");

    static final TrustStore STORE = new TrustStore("forge", List.of(TRUSTED), TrustStore.ONE_DAY);
    static final Signer SIGNER = new Signer("forge", "k1", TRUSTED_KEY, CLOCK);
    static final EvidenceWriter WRITER = new EvidenceWriter(Canonicalizations.JCS);
    static final JsonNode OPEN = Vectors.json("{'integrity':'trusted','confidentiality':'public'}");
    static final JsonNode RESULT =
            Vectors.json("{'content':[{'type':'text','text':'héllo'}],'isError':false,'_meta':{'a':1}}");

    private EvidenceWorld() {}

    static PrivateKey privateKey(String seed) {
        try {
            return KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new EdECPrivateKeySpec(
                            NamedParameterSpec.ED25519, HexFormat.of().parseHex(seed)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static TrustedKey publicKey(String id, String hex) {
        return TrustedKey.read(
                id,
                "ed25519:" + Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex)));
    }

    static EvidenceVerifier verifier(TrustStore trusted, Clock clock) {
        return new EvidenceVerifier(
                Schemes.installed(), EvidenceResolver.INLINE, SignatureVerifier.JDK, trusted, clock);
    }

    static EvidenceVerifier verifier(EvidenceResolver resolver) {
        return new EvidenceVerifier(Schemes.installed(), resolver, SignatureVerifier.JDK, STORE, CLOCK);
    }

    static Evidence verify(EvidenceRef reference) {
        return verify(reference, RESULT);
    }

    static Evidence verify(EvidenceRef reference, JsonNode result) {
        return verifier(STORE, CLOCK).verify(reference, result);
    }

    static Evidence verifyAfter(Duration time, EvidenceRef reference) {
        return verifier(STORE, Clock.offset(CLOCK, time)).verify(reference, RESULT);
    }

    /** Returns a reference that is bound as it should be. */
    static EvidenceRef bound() {
        return WRITER.write(FidesScheme.TYPE, OPEN, RESULT, SIGNER);
    }

    /** Returns a reference with another envelope. */
    static EvidenceRef with(EvidenceRef reference, JsonNode envelope) {
        Map<String, JsonNode> others = new LinkedHashMap<>(reference.others());
        others.put(VendorKeys.ENVELOPE, envelope);
        return new EvidenceRef(
                reference.type(),
                reference.digest(),
                reference.canonicalization(),
                reference.schema(),
                reference.ref(),
                others);
    }

    /** Returns a signed envelope around anything. */
    static Envelope envelope(String payloadType, byte[] payload, String keyId, PrivateKey key) {
        return new Envelope(payloadType, payload, List.of(signed(payloadType, payload, keyId, key)));
    }

    static Envelope.Signed signed(String payloadType, byte[] payload, String keyId, PrivateKey key) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(Envelope.signedBytes(payloadType, payload));
            return new Envelope.Signed(keyId, signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
