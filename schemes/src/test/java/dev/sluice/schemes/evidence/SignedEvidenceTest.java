package dev.sluice.schemes.evidence;

import static dev.sluice.schemes.Vectors.json;
import static dev.sluice.schemes.evidence.EvidenceWorld.RESULT;
import static dev.sluice.schemes.evidence.EvidenceWorld.SIGNER;
import static dev.sluice.schemes.evidence.EvidenceWorld.bound;
import static dev.sluice.schemes.evidence.EvidenceWorld.verify;
import static dev.sluice.schemes.evidence.EvidenceWorld.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.schemes.fides.FidesScheme;
import dev.sluice.wire.Claim;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Canonicalizations;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a signature on evidence is worth, written and checked end to end. */
class SignedEvidenceTest {

    private static final Claims OPEN = new Claims(Claim.FALSE, Claim.FALSE, new TreeSet<>());

    private static void assertBound(Evidence evidence) {
        assertEquals(new Evidence(evidence.reference(), Outcome.VERIFIED_BOUND, OPEN, "", List.of()), evidence);
    }

    private static void assertUnbound(String because, Evidence evidence) {
        assertEquals(new Evidence(evidence.reference(), Outcome.VERIFIED_UNBOUND, OPEN, because, List.of()), evidence);
    }

    private static void assertMismatch(String because, Evidence evidence) {
        assertEquals(because, evidence.because());
        assertEquals(Outcome.MISMATCH, evidence.outcome());
        assertEquals(Claims.STRICTEST, evidence.claims());
        assertEquals(
                List.of(new Finding(
                        Finding.Code.EVIDENCE_MISMATCH,
                        "",
                        "the evidence `" + evidence.reference().type() + "` is false: " + because
                                + "; read as the strictest")),
                evidence.findings());
    }

    private static ObjectNode envelope(EvidenceRef reference) {
        return (ObjectNode) reference.envelope().orElseThrow().deepCopy();
    }

    private static ObjectNode changed(JsonNode result, String name, JsonNode value) {
        ObjectNode changed = (ObjectNode) result.deepCopy();
        changed.set(name, value);
        return changed;
    }

    @Test
    void signedReference_isBound_inEitherForm() {
        for (String id : Canonicalizations.ids()) {
            Canonicalization form = Canonicalizations.of(id).orElseThrow();
            EvidenceRef reference =
                    new EvidenceWriter(form).write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, SIGNER);

            assertEquals(id, reference.canonicalization());
            assertBound(verify(reference));
            assertBound(verify(EvidenceRef.decode(reference.encode()).value()));
        }
    }

    @Test
    void referenceWithoutSignature_isUnbound() {
        assertUnbound(
                "nothing binds the record to this result",
                verify(EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN)));
    }

    @Test
    void metaOfTheResult_isNotBound_andNothingElseIsFree() {
        EvidenceRef reference = bound();

        assertBound(verify(reference, changed(RESULT, "_meta", json("{'b':[2]}"))));
        assertBound(verify(reference, ((ObjectNode) RESULT.deepCopy()).without("_meta")));
        for (JsonNode other : List.of(
                changed(RESULT, "isError", json("true")),
                changed(RESULT, "structuredContent", json("{}")),
                changed(RESULT, "_Meta", json("{}")),
                changed(RESULT, "content", json("[{'type':'text','text':'hello'}]")),
                changed(RESULT, "content", json("[{'type':'text','text':'héllo','_meta':{}}]")),
                json("{}"),
                json("[]"),
                json("null"))) {
            assertMismatch("the signature is for another result", verify(reference, other));
        }
    }

    @Test
    void resultThatHasNoCanonicalForm_isAMismatch() {
        JsonNode half = changed(RESULT, "x", JsonNodeFactory.instance.stringNode("\ud800"));

        assertMismatch(
                "a string holds half a surrogate pair, which has no bytes: write whole characters",
                verify(bound(), half));
        JsonNode deep = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < 1000; i++) {
            deep = JsonNodeFactory.instance.arrayNode().add(deep);
        }
        assertEquals(
                Outcome.MISMATCH, verify(bound(), changed(RESULT, "x", deep)).outcome());
    }

    @Test
    void envelopeMovedToAnotherRecord_isAMismatch() {
        EvidenceRef other = EvidenceWorld.WRITER.write(
                FidesScheme.TYPE, json("{'integrity':'untrusted','confidentiality':'public'}"));

        assertMismatch("the signature is for another record", verify(with(other, envelope(bound()))));
    }

    @Test
    void envelopeMovedToAnotherType_isAMismatch() {
        EvidenceRef bound = bound();
        EvidenceRef moved =
                new EvidenceRef("policy-decision", bound.digest(), bound.canonicalization(), "", "", bound.others());

        assertMismatch("the signature is for another record", verify(moved));
    }

    @Test
    void envelopeMovedToAnotherForm_isAMismatch() {
        EvidenceRef other = new EvidenceWriter(Canonicalizations.CBOR).write(FidesScheme.TYPE, EvidenceWorld.OPEN);

        assertMismatch("the signature is for another record", verify(with(other, envelope(bound()))));
    }

    @Test
    void envelopeMovedToAnotherSource_isAMismatch() {
        EvidenceVerifier other = EvidenceWorld.verifier(
                new TrustStore("mail", List.of(EvidenceWorld.TRUSTED), TrustStore.ONE_DAY), EvidenceWorld.CLOCK);

        assertMismatch("the signature is for another source", other.verify(bound(), RESULT));
    }

    @Test
    void signatureWithAFlippedBit_isAMismatch() {
        ObjectNode envelope = envelope(bound());
        ObjectNode signed = (ObjectNode) envelope.path("signatures").path(0);
        byte[] signature = Base64.getDecoder().decode(signed.path("sig").stringValue());
        for (int at : new int[] {0, 31, 32, 63}) {
            byte[] flipped = signature.clone();
            flipped[at] ^= 1;
            signed.put("sig", Base64.getEncoder().encodeToString(flipped));

            assertMismatch("the envelope names a trusted key that did not sign it", verify(with(bound(), envelope)));
        }
    }

    @Test
    void payloadChangedUnderItsSignature_isAMismatch() {
        ObjectNode envelope = envelope(bound());
        String payload =
                new String(Base64.getDecoder().decode(envelope.path("payload").stringValue()), StandardCharsets.UTF_8);
        envelope.put(
                "payload",
                Base64.getEncoder()
                        .encodeToString(
                                payload.replace("2026-08-03", "2026-08-04").getBytes(StandardCharsets.UTF_8)));

        assertMismatch("the envelope names a trusted key that did not sign it", verify(with(bound(), envelope)));
    }

    @Test
    void signatureOfAStranger_isUnbound_andOneUnderATrustedNameAMismatch() {
        Signer stranger = new Signer("forge", "k9", EvidenceWorld.STRANGE_KEY, EvidenceWorld.CLOCK);
        Signer liar = new Signer("forge", "k1", EvidenceWorld.STRANGE_KEY, EvidenceWorld.CLOCK);

        assertUnbound(
                "no trusted key signed the envelope: have the operator add the key of this source",
                verify(EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, stranger)));
        assertMismatch(
                "the envelope names a trusted key that did not sign it",
                verify(EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, liar)));
    }

    @Test
    void trustedKeyWithoutAName_isFound_andUnderAnotherNameIsNot() {
        Signer nameless = new Signer("forge", "", EvidenceWorld.TRUSTED_KEY, EvidenceWorld.CLOCK);
        Signer renamed = new Signer("forge", "k2", EvidenceWorld.TRUSTED_KEY, EvidenceWorld.CLOCK);

        assertBound(verify(EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, nameless)));
        assertUnbound(
                "no trusted key signed the envelope: have the operator add the key of this source",
                verify(EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, renamed)));
    }

    @Test
    void oneOfSeveralSignatures_isEnough() {
        byte[] payload =
                Base64.getDecoder().decode(envelope(bound()).path("payload").stringValue());
        Envelope two = new Envelope(
                Binding.PAYLOAD_TYPE,
                payload,
                List.of(
                        EvidenceWorld.signed(Binding.PAYLOAD_TYPE, payload, "k9", EvidenceWorld.STRANGE_KEY),
                        EvidenceWorld.signed(Binding.PAYLOAD_TYPE, payload, "k1", EvidenceWorld.TRUSTED_KEY)));

        assertBound(verify(with(bound(), two.encode())));
    }

    @Test
    void nobodyTrusted_bindsNothing() {
        assertUnbound(
                "no trusted key signed the envelope: have the operator add the key of this source",
                EvidenceWorld.verifier(TrustStore.EMPTY, EvidenceWorld.CLOCK).verify(bound(), RESULT));
    }

    @Test
    void payloadOfAnotherType_bindsNothing_evenUnderATrustedSignature() {
        byte[] payload =
                Base64.getDecoder().decode(envelope(bound()).path("payload").stringValue());
        Envelope other = EvidenceWorld.envelope("application/json", payload, "k1", EvidenceWorld.TRUSTED_KEY);

        assertUnbound("the envelope holds no binding that is known here", verify(with(bound(), other.encode())));
        // The type is signed too: it can't be put on afterwards.
        assertMismatch(
                "the envelope names a trusted key that did not sign it",
                verify(with(bound(), other.encode().put("payloadType", Binding.PAYLOAD_TYPE))));
    }

    @Test
    void age_bindsFromFiveMinutesAheadToADay() {
        for (Duration after : List.of(Duration.ofMinutes(-5), Duration.ZERO, Duration.ofDays(1))) {
            assertBound(EvidenceWorld.verifyAfter(after, bound()));
        }
        assertUnbound(
                "the signature is from the future: set the clocks right",
                EvidenceWorld.verifyAfter(Duration.ofSeconds(-301), bound()));
        assertUnbound(
                "the signature is older than PT24H: sign anew",
                EvidenceWorld.verifyAfter(Duration.ofDays(1).plusSeconds(1), bound()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'signed'",
                "null",
                "{}",
                "{'payloadType':'t','payload':'*','signatures':[{'sig':''}]}",
                "{'payloadType':'t','payload':'','signatures':[{'sig':'*'}]}",
                "{'payloadType':'t','payload':'','signatures':[{'keyid':'k1'}]}"
            })
    void malformedEnvelope_isAMismatch(String envelope) {
        Evidence evidence = verify(with(bound(), json(envelope)));

        assertMismatch(evidence.because(), evidence);
    }

    @Test
    void writer_refusesWhatCannotBeSigned() throws Exception {
        Signer curve = new Signer(
                "forge",
                "ec",
                KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate(),
                EvidenceWorld.CLOCK);

        assertEquals(
                "the key `ec` can't sign: give an Ed25519 key",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, RESULT, curve))
                        .getMessage());
        for (JsonNode record : List.of(
                JsonNodeFactory.instance.stringNode("\ud800"), json("{'n':9007199254740993}"), json("{'n':1e999}"))) {
            assertThrows(CanonicalizationException.class, () -> EvidenceWorld.WRITER.write(FidesScheme.TYPE, record));
            assertThrows(
                    CanonicalizationException.class,
                    () -> EvidenceWorld.WRITER.write(FidesScheme.TYPE, EvidenceWorld.OPEN, record, SIGNER));
        }
    }

    @Test
    void reference_holdsRecordAndEnvelopeUnderOurKeys() {
        EvidenceRef reference = bound();

        assertEquals(
                new TreeSet<>(
                        List.of("type", "digest", "canonicalization", "dev.sluice/record", "dev.sluice/envelope")),
                new TreeSet<>(reference.encode().properties().stream()
                        .map(Map.Entry::getKey)
                        .toList()));
        assertEquals(EvidenceWorld.OPEN, reference.inlineRecord().orElseThrow());
        assertEquals("sha256:1b63b0f828080468ac82705da60721680631437efcad538b6c261e8e0dda021d", reference.digest());
        assertEquals(32, HexFormat.of().parseHex(reference.digest().substring(7)).length);
    }
}
