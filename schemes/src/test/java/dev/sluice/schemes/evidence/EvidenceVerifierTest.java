package dev.sluice.schemes.evidence;

import static dev.sluice.schemes.Vectors.json;
import static dev.sluice.schemes.evidence.EvidenceWorld.RESULT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemes.Claims;
import dev.sluice.schemes.LabelScheme;
import dev.sluice.schemes.Schemes;
import dev.sluice.schemes.Vectors;
import dev.sluice.schemes.evidence.Evidence.Outcome;
import dev.sluice.schemes.fides.FidesScheme;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** What becomes of a reference and its record, before any signature. */
class EvidenceVerifierTest {

    private static final String DIGEST_OF_OPEN =
            "sha256:1b63b0f828080468ac82705da60721680631437efcad538b6c261e8e0dda021d";
    private static final String JCS = "jcs/rfc8785";

    private static EvidenceRef inline(String type, String digest, String form, JsonNode record) {
        return new EvidenceRef(type, digest, form, "", "", Map.of(VendorKeys.RECORD, record));
    }

    /** Verifies a reference whose record is this text. */
    private static Evidence fetched(String digest, String record) {
        return EvidenceWorld.verifier(reference -> Optional.of(record.getBytes(StandardCharsets.UTF_8)))
                .verify(new EvidenceRef(FidesScheme.TYPE, digest, JCS, "", "r", Map.of()), RESULT);
    }

    private static void assertNothing(Outcome outcome, String because, Evidence evidence) {
        assertEquals(new Evidence(evidence.reference(), outcome, Claims.NONE, because, List.of()), evidence);
    }

    private static void assertMismatch(String because, Evidence evidence) {
        assertTrue(evidence.because().startsWith(because), evidence.because());
        assertEquals(Outcome.MISMATCH, evidence.outcome());
        assertEquals(Claims.STRICTEST, evidence.claims());
        assertEquals(
                List.of(Finding.Code.EVIDENCE_MISMATCH),
                evidence.findings().stream().map(Finding::code).toList());
    }

    static Stream<JsonNode> vectors() {
        return Vectors.all().stream();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void publishedVector_isVerifiedAndUnbound(JsonNode vector) {
        String type = vector.path("type").stringValue();
        EvidenceRef reference = inline(
                type,
                vector.path("digest").stringValue(),
                vector.path("canonicalization").stringValue(),
                vector.path("record"));

        Evidence evidence = EvidenceWorld.verify(reference);

        assertEquals(Outcome.VERIFIED_UNBOUND, evidence.outcome());
        assertEquals(
                Schemes.installed()
                        .of(type)
                        .orElseThrow()
                        .read(vector.path("record"))
                        .value(),
                evidence.claims());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void publishedDigestBesideAnotherRecord_isAMismatch(JsonNode vector) {
        EvidenceRef reference = inline(
                vector.path("type").stringValue(),
                vector.path("digest").stringValue(),
                vector.path("canonicalization").stringValue(),
                json("{'class':'public'}"));

        assertMismatch("the record has another digest than the reference states", EvidenceWorld.verify(reference));
    }

    @Test
    void recordInTheOtherForm_isAMismatch() {
        assertMismatch(
                "the record has another digest than the reference states",
                EvidenceWorld.verify(inline(FidesScheme.TYPE, DIGEST_OF_OPEN, "cbor/rfc8949", EvidenceWorld.OPEN)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jcs", "JCS/RFC8785", "jcs/rfc8785 ", "none"})
    void unknownForm_isUnresolvable(String form) {
        assertNothing(
                Outcome.UNRESOLVABLE,
                "the reference names no canonical form known here: name one of "
                        + String.join(", ", Canonicalizations.ids()),
                EvidenceWorld.verify(inline(FidesScheme.TYPE, DIGEST_OF_OPEN, form, EvidenceWorld.OPEN)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sha256:", "1b63", "md5:d41d8cd98f00b204e9800998ecf8427e"})
    void missingDigest_isUnresolvable(String digest) {
        assertNothing(
                Outcome.UNRESOLVABLE,
                "the reference has no digest: write `sha256:` and 64 lower-case hex digits",
                EvidenceWorld.verify(inline(FidesScheme.TYPE, digest, JCS, EvidenceWorld.OPEN)));
        String upper = "sha256:" + DIGEST_OF_OPEN.substring(7).toUpperCase(Locale.ROOT);
        assertEquals(
                Outcome.UNRESOLVABLE,
                EvidenceWorld.verify(inline(FidesScheme.TYPE, upper, JCS, EvidenceWorld.OPEN))
                        .outcome());
    }

    @Test
    void referenceThatLeadsNowhere_isUnresolvable() {
        assertNothing(
                Outcome.UNRESOLVABLE,
                "the reference holds no record, and leads to none that may be fetched",
                EvidenceWorld.verify(
                        new EvidenceRef(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, "", "gopher://x", Map.of())));
    }

    @Test
    void resolverThatFails_isUnresolvable() {
        EvidenceRef reference = new EvidenceRef(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, "", "r", Map.of());

        assertNothing(
                Outcome.UNRESOLVABLE,
                "the record is gone",
                EvidenceWorld.verifier(each -> {
                            throw new UnresolvableException("the record is gone");
                        })
                        .verify(reference, RESULT));
        assertNothing(
                Outcome.UNRESOLVABLE,
                "fetching the record failed: have the author of the resolver look",
                EvidenceWorld.verifier(each -> {
                            throw new IllegalStateException("secret");
                        })
                        .verify(reference, RESULT));
    }

    @Test
    void resolvers_areAskedInTurnUntilOneIsForTheReference() throws UnresolvableException {
        EvidenceRef reference = new EvidenceRef("t", "", "", "", "r", Map.of());
        EvidenceResolver none = each -> Optional.empty();
        EvidenceResolver one = each -> Optional.of(new byte[] {1});
        EvidenceResolver two = each -> Optional.of(new byte[] {2});

        assertEquals(
                1,
                EvidenceResolver.inTurn(List.of(none, one, two))
                        .resolve(reference)
                        .orElseThrow()[0]);
        assertEquals(Optional.empty(), EvidenceResolver.inTurn(List.of(none)).resolve(reference));
    }

    /** A record beside the reference goes first, so that a `ref` can't stand for another one. */
    @Test
    void recordInTheReference_goesBeforeTheOneItLeadsTo() {
        EvidenceVerifier verifier = EvidenceWorld.verifier(EvidenceResolver.inTurn(List.of(
                EvidenceResolver.INLINE,
                each -> Optional.of(EvidenceWorld.OPEN.toString().getBytes(StandardCharsets.UTF_8)))));

        assertEquals(
                Outcome.MISMATCH,
                verifier.verify(inline(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, json("{}")), RESULT)
                        .outcome());
    }

    @Test
    void spellingOfAFetchedRecord_isOfNoAccount() {
        assertEquals(
                Outcome.VERIFIED_UNBOUND,
                fetched(DIGEST_OF_OPEN, " { \"integrity\" : \"tr\\u0075sted\",\n \"confidentiality\":\"public\" } ")
                        .outcome());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "no text at all | ",
                "{\"integrity\":\"trusted\" | ",
                "{\"integrity\":\"untrusted\",\"integrity\":\"trusted\",\"confidentiality\":\"public\"} | ",
                "{\"integrity\":\"\\ud800\"} | ",
                "{\"n\":9007199254740993} | ",
                "{\"n\":1e999} | ",
                "\ufeff{} | ",
                "{} {} | "
            })
    void fetchedRecordWithoutADigest_isAMismatch(String record) {
        assertMismatch("the record has no digest: ", fetched(DIGEST_OF_OPEN, record));
    }

    @Test
    void inlineRecordWithoutADigest_isAMismatch() {
        JsonNode deep = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < 65; i++) {
            deep = JsonNodeFactory.instance.objectNode().set("a", deep);
        }
        JsonNode deeper = deep;
        for (int i = 0; i < 1000; i++) {
            deeper = JsonNodeFactory.instance.arrayNode().add(deeper);
        }
        for (JsonNode record : List.of(
                JsonNodeFactory.instance.objectNode().put("integrity", "\ud800"),
                JsonNodeFactory.instance.objectNode().put("\udc00", "x"),
                json("{'n':9007199254740993}"),
                JsonNodeFactory.instance.objectNode().put("n", Double.POSITIVE_INFINITY),
                deep,
                deeper)) {
            assertMismatch(
                    "the record has no digest: ",
                    EvidenceWorld.verify(inline(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, record)));
        }
    }

    @Test
    void recordOverTheSize_isUnresolvable() {
        String because = "the record is larger than 262144 bytes: make it smaller";
        String large = "x".repeat(EvidenceResolver.MOST_BYTES);

        assertNothing(Outcome.UNRESOLVABLE, because, fetched(DIGEST_OF_OPEN, "\"" + large + "\""));
        assertNothing(
                Outcome.UNRESOLVABLE,
                because,
                EvidenceWorld.verify(
                        inline(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, JsonNodeFactory.instance.stringNode(large))));
        assertEquals(
                Outcome.MISMATCH,
                fetched(DIGEST_OF_OPEN, "\"" + large.substring(2) + "\"").outcome());
    }

    @Test
    void recordOfTooManyValues_isAMismatch() {
        String many = "[" + String.join(",", Collections.nCopies(100_001, "1")) + "]";

        assertMismatch("the record has no digest: ", fetched(DIGEST_OF_OPEN, many));
    }

    @Test
    void recordThatIsNull_isARecord() {
        JsonNode none = JsonNodeFactory.instance.nullNode();
        String digest = Digest.sha256("null".getBytes(StandardCharsets.UTF_8)).text();

        Evidence evidence = EvidenceWorld.verify(inline(FidesScheme.TYPE, digest, JCS, none));

        assertEquals(Outcome.VERIFIED_UNBOUND, evidence.outcome());
        assertEquals(Claims.STRICTEST, evidence.claims());
    }

    @Test
    void unknownType_addsNothing_butOnlyUnderItsDigest() {
        assertNothing(
                Outcome.UNKNOWN_TYPE,
                "nobody here reads records of this type: install a scheme for it",
                EvidenceWorld.verify(inline("com.example.own", DIGEST_OF_OPEN, JCS, EvidenceWorld.OPEN)));
        assertMismatch(
                "the record has another digest",
                EvidenceWorld.verify(inline("com.example.own", DIGEST_OF_OPEN, JCS, json("{}"))));
    }

    @Test
    void findingsOfTheScheme_areReported() {
        EvidenceRef reference = EvidenceWorld.WRITER.write("data-class.v1", json("{'class':7}"));

        Evidence evidence = EvidenceWorld.verify(reference);

        assertEquals(Outcome.VERIFIED_UNBOUND, evidence.outcome());
        assertEquals(
                List.of("/class"),
                evidence.findings().stream().map(Finding::pointer).toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void schemeThatFails_claimsTheStrictest(boolean throwing) {
        EvidenceVerifier verifier = new EvidenceVerifier(
                Schemes.of(List.of(new BrokenScheme(throwing))),
                EvidenceResolver.INLINE,
                SignatureVerifier.JDK,
                EvidenceWorld.STORE,
                EvidenceWorld.CLOCK);

        for (EvidenceRef reference : List.of(
                EvidenceWorld.WRITER.write("com.example.broken", EvidenceWorld.OPEN),
                EvidenceWorld.WRITER.write("com.example.broken", EvidenceWorld.OPEN, RESULT, EvidenceWorld.SIGNER))) {
            Evidence evidence = verifier.verify(reference, RESULT);

            assertEquals(Claims.STRICTEST, evidence.claims());
            assertEquals(
                    List.of(
                            "the scheme for `com.example.broken` failed on this record: have its author look; read as the"
                                    + " strictest"),
                    evidence.findings().stream().map(Finding::message).toList());
        }
    }

    /** A scheme that throws, or returns nothing, which it must not. */
    private record BrokenScheme(boolean throwing) implements LabelScheme {
        @Override
        public String type() {
            return "com.example.broken";
        }

        @Override
        @SuppressWarnings("NullAway") // what somebody else compiles may do so
        public Decoded<Claims> read(JsonNode record) {
            if (throwing) {
                throw new IllegalStateException("no");
            }
            return null;
        }
    }

    @Test
    void referencesOverTheLimit_areCountedAndNotChecked() {
        EvidenceRef bad = inline(FidesScheme.TYPE, DIGEST_OF_OPEN, JCS, json("{}"));
        int[] asked = {0};
        EvidenceVerifier verifier = EvidenceWorld.verifier(each -> {
            asked[0]++;
            return EvidenceResolver.INLINE.resolve(each);
        });

        List<Evidence> all = verifier.verify(Collections.nCopies(1000, bad), RESULT);

        assertEquals(EvidenceVerifier.MOST_REFERENCES + 1, all.size());
        assertEquals(EvidenceVerifier.MOST_REFERENCES, asked[0]);
        assertTrue(all.subList(0, 16).stream().allMatch(each -> each.outcome() == Outcome.MISMATCH));
        assertNothing(Outcome.UNRESOLVABLE, "more than 16 references in one result: state fewer", all.get(16));
        assertEquals(16, verifier.verify(Collections.nCopies(16, bad), RESULT).size());
        assertEquals(List.of(), verifier.verify(List.of(), RESULT));
    }

    @Test
    void hostileType_isPlainInTheFinding() {
        String message = EvidenceWorld.verify(
                        inline("a\u001b[2J\u202e" + "x".repeat(500), DIGEST_OF_OPEN, JCS, json("{}")))
                .findings()
                .get(0)
                .message();

        assertTrue(message.codePoints().noneMatch(c -> c < ' ' || c == 0x202e), message);
        assertTrue(message.length() < 250, message);
    }

    @Test
    void outcomes_haveTheirNames() {
        assertEquals(
                List.of("verified-bound", "verified-unbound", "mismatch", "unresolvable", "unknown-type"),
                Arrays.stream(Outcome.values()).map(Outcome::text).toList());
    }
}
