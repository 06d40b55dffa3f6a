package dev.sluice.mcpjava.emit;

import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.schemes.evidence.EvidenceResolver;
import dev.sluice.schemes.evidence.EvidenceVerifier;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.schemes.evidence.SignatureVerifier;
import dev.sluice.schemes.evidence.TrustStore;
import dev.sluice.schemes.evidence.TrustedKey;
import dev.sluice.wire.TrustAnnotations;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** A server's key, and a client that trusts it. */
final class SignedRecords {

    private final KeyPair key;

    SignedRecords() {
        try {
            key = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    RecordStore store() {
        return RecordStore.signed(new Signer("mail", "k1", key.getPrivate(), Clock.systemUTC()));
    }

    /** Returns what a client finds of the evidence of a result, as it came. */
    List<Evidence.Outcome> checked(JsonNode result) {
        TrustStore trusted = new TrustStore("mail", List.of(new TrustedKey("k1", key.getPublic())), Duration.ofDays(1));
        return new EvidenceVerifier(
                        Schemes.installed(), EvidenceResolver.INLINE, SignatureVerifier.JDK, trusted, Clock.systemUTC())
                .verify(TrustAnnotations.decodeResult(result).value().result().evidence(), result).stream()
                        .map(Evidence::outcome)
                        .toList();
    }
}
