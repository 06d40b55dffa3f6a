package dev.sluice.schemes.evidence;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.schemes.Schemes;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Evidence that stands in any result is checked without an exception, envelopes and their bindings included. */
final class EvidenceVerifierFuzzTest {

    private static final TrustedKey KEY =
            TrustedKey.read("main", "ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
    private static final TrustStore TRUSTED =
            new TrustStore("records.clinic.example", List.of(KEY), TrustStore.ONE_DAY);
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-31T12:00:00Z"), ZoneOffset.UTC);
    private static final EvidenceResolver INLINE = reference ->
            reference.inlineRecord().map(record -> record.toString().getBytes(StandardCharsets.UTF_8));

    /** Takes every signature, since no fuzzer makes one: so what is signed is read too. */
    private static final EvidenceVerifier GULLIBLE =
            new EvidenceVerifier(Schemes.installed(), INLINE, (key, message, signature) -> true, TRUSTED, CLOCK);

    private static final EvidenceVerifier STRICT =
            new EvidenceVerifier(Schemes.installed(), INLINE, SignatureVerifier.JDK, TRUSTED, CLOCK);

    @FuzzTest
    void verify(byte[] bytes) {
        JsonNode result;
        try {
            result = JsonIndex.parse(bytes).root().tree();
        } catch (MalformedJsonException refused) {
            return;
        }
        List<EvidenceRef> references =
                TrustAnnotations.decodeResult(result).value().claims().evidence();
        List<EvidenceRef> digested = new ArrayList<>();
        references.forEach(reference -> digested.add(digested(reference)));
        for (List<EvidenceRef> each : List.of(references, digested)) {
            List<Evidence> checked = assertDoesNotThrow(() -> GULLIBLE.verify(each, result));
            assertEquals(Math.min(each.size(), EvidenceVerifier.MOST_REFERENCES + 1), checked.size());
            for (Evidence strict : STRICT.verify(each, result)) {
                assertTrue(
                        strict.outcome() != Evidence.Outcome.VERIFIED_BOUND
                                || result.toString().contains("sig"),
                        "bound without a signature");
            }
        }
    }

    /** Returns the reference with the right digest of its record, which no fuzzer finds, so that the record is read. */
    private static EvidenceRef digested(EvidenceRef reference) {
        Canonicalization form =
                Canonicalizations.of(reference.canonicalization()).orElse(Canonicalizations.JCS);
        Optional<JsonNode> record = reference.inlineRecord();
        if (record.isEmpty()) {
            return reference;
        }
        try {
            byte[] json = CanonicalBytes.json(record.get());
            return new EvidenceRef(
                    reference.type(),
                    Digest.sha256(form.canonicalize(JsonIndex.parse(json).root()))
                            .text(),
                    form.id(),
                    reference.schema(),
                    reference.ref(),
                    reference.others());
        } catch (CanonicalizationException | MalformedJsonException e) {
            return reference;
        }
    }
}
