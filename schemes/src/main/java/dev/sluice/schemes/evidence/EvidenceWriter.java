package dev.sluice.schemes.evidence;

import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.Digest;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Writes evidence references, for whoever labels data: a server, or a gateway.
 *
 * <p>The record stands in the reference itself, under a key of ours, so that it can be checked without asking anybody.
 */
public final class EvidenceWriter {

    private final Canonicalization form;

    /** Makes a writer of references in this canonical form. */
    public EvidenceWriter(Canonicalization form) {
        this.form = form;
    }

    /**
     * Returns a reference to {@code record}, bound to nothing.
     *
     * @throws IllegalArgumentException where the record has no canonical form
     */
    public EvidenceRef write(String type, JsonNode record) {
        return reference(type, record, Map.of());
    }

    /**
     * Returns a reference to {@code record}, bound to {@code result} by a signature.
     *
     * @param result the result as it will be sent; its own {@code _meta} is of no account, all else is bound
     * @throws IllegalArgumentException where the record or the result has no canonical form, or the key is no Ed25519 key
     */
    public EvidenceRef write(String type, JsonNode record, JsonNode result, Signer signer) {
        byte[] payload = new Binding(
                        type,
                        Digest.sha256(form.canonicalize(CanonicalBytes.json(record))),
                        CanonicalBytes.content(result, form),
                        signer.source,
                        signer.clock.instant().truncatedTo(ChronoUnit.SECONDS))
                .encode();
        Envelope envelope = new Envelope(
                Binding.PAYLOAD_TYPE, payload, List.of(new Envelope.Signed(signer.keyId, signer.sign(payload))));
        return reference(type, record, Map.of(VendorKeys.ENVELOPE, envelope.encode()));
    }

    private EvidenceRef reference(String type, JsonNode record, Map<String, JsonNode> more) {
        Map<String, JsonNode> others = new LinkedHashMap<>();
        others.put(VendorKeys.RECORD, record);
        others.putAll(more);
        return new EvidenceRef(
                type,
                Digest.sha256(form.canonicalize(CanonicalBytes.json(record))).text(),
                form.id(),
                "",
                "",
                others);
    }

    /**
     * Who signs.
     *
     * @param source the name that the signer goes by, which whoever trusts the key has to know
     * @param keyId the name of the key
     * @param key an Ed25519 key
     * @param clock tells when
     */
    public record Signer(String source, String keyId, PrivateKey key, Clock clock) {

        private byte[] sign(byte[] payload) {
            try {
                Signature signature = Signature.getInstance("Ed25519");
                signature.initSign(key);
                signature.update(Envelope.signedBytes(Binding.PAYLOAD_TYPE, payload));
                return signature.sign();
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException("the key `" + keyId + "` can't sign: give an Ed25519 key", e);
            }
        }
    }
}
