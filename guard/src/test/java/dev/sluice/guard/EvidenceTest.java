package dev.sluice.guard;

import static dev.sluice.guard.GuardWorld.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.schemes.evidence.EvidenceWriter;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.wire.Claim;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.canonical.Digest;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What evidence does to the label of an answer, and what the record says of it. */
class EvidenceTest {

    private static final String FIDES = "ifc.fides.v1";
    private static final JsonNode OPEN = json("{'integrity':'trusted','confidentiality':'public'}");
    private static final JsonNode CLOSED = json("{'integrity':'untrusted','confidentiality':'private'}");
    private static final EvidenceWriter WRITER = new EvidenceWriter(Canonicalizations.JCS);
    private static final Label SILENT = Label.of(
            Integrity.UNTRUSTED, Confidentiality.of(new Source.OfResource("forge", "o/r")), DataClass.UNCLASSIFIED);

    private final GuardWorld world = world("raise");

    /** The key is that of test 1 of RFC 8032, section 7.1. */
    private static GuardWorld world(String claims) {
        return GuardWorld.of(
                "version: 1",
                "servers:",
                "  forge:",
                "    claims: " + claims,
                "    evidence:",
                "      source: forge.example",
                "      keys: {k1: 'ed25519:11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='}",
                "    tools:",
                "      get: {effects: [reads], resource: [owner, repo]}",
                "      strict:",
                "        effects: [reads]",
                "        resource: [owner, repo]",
                "        returns: {integrity: untrusted, confidentiality: private, classes: [pii]}",
                "      open:",
                "        effects: [reads]",
                "        resource: [owner, repo]",
                "        returns: {integrity: trusted, confidentiality: public, classes: []}",
                "vocabularies:",
                "  - {id: 'https://forge.example/v', classes: {leaflet: public, ledger: sensitive}}");
    }

    private static Signer signer(GuardWorld world) {
        try {
            PrivateKey key = KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new EdECPrivateKeySpec(
                            NamedParameterSpec.ED25519,
                            HexFormat.of()
                                    .parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")));
            return new Signer("forge.example", "k1", key, world.clock);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static ObjectNode text(String text) {
        ObjectNode result = GuardWorld.JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return result;
    }

    private static ObjectNode citing(ObjectNode carrier, EvidenceRef... references) {
        new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, Arrays.asList(references), Map.of()).writeTo(carrier);
        return carrier;
    }

    private static ObjectNode bound(GuardWorld world, String type, JsonNode record) {
        ObjectNode result = text("hello");
        return citing(result, WRITER.write(type, record, result, signer(world)));
    }

    private static Label label(GuardWorld world, String tool, JsonNode result) {
        return world.release(new Outbound.Answer(world.ticket("forge", tool, "{'owner':'o','repo':'r'}"), result))
                .label();
    }

    private static EvidenceRef forged() {
        return new EvidenceRef(
                FIDES,
                Digest.sha256(new byte[0]).text(),
                "jcs/rfc8785",
                "",
                "",
                WRITER.write(FIDES, OPEN).others());
    }

    private static EvidenceRef unresolvable() {
        return new EvidenceRef(FIDES, Digest.sha256(new byte[0]).text(), "jcs/rfc8785", "", "gopher://x", Map.of());
    }

    private void assertRecorded(String... outcomes) {
        List<String> recorded = new ArrayList<>();
        for (JsonNode each : world.last("answer").path("evidence")) {
            recorded.add(each.path("outcome").stringValue());
        }
        assertEquals(List.of(outcomes), recorded);
    }

    @Test
    void boundRecord_replacesADefault_wherePlainClaimsOnlyRaise() {
        assertEquals(Label.BOTTOM, label(world, "get", bound(world, FIDES, OPEN)));

        assertRecorded("verified-bound");
        assertEquals(Label.BOTTOM, world.seen().label());
        assertEquals(
                SILENT,
                label(
                        world("raise"),
                        "get",
                        json("{'_meta':{'ifc':{'integrity':'trusted','confidentiality':'public'}}}")));
    }

    @Test
    void boundRecord_neverReplacesTheOperatorsWord() {
        Label stated = Label.of(
                Integrity.UNTRUSTED, Confidentiality.of(new Source.OfResource("forge", "o/r")), DataClass.of("pii"));

        for (String claims : List.of("raise", "full")) {
            GuardWorld each = world(claims);
            assertEquals(stated, label(each, "strict", bound(each, FIDES, OPEN)));
            assertEquals(
                    "[\"untrusted: false\",\"sensitive: false\"]",
                    each.last("answer").path("ignoredClaims").toString());
        }
    }

    @Test
    void boundRecord_raisesTheOperatorsWord() {
        assertEquals(SILENT, label(world, "open", bound(world, FIDES, CLOSED)));
    }

    @Test
    void unboundRecord_replacesADefaultOnlyWhereClaimsCountInFull() {
        for (Map.Entry<String, Label> each : Map.of(
                        "raise",
                        SILENT,
                        "full",
                        Label.BOTTOM,
                        "{integrity: full}",
                        Label.of(Integrity.TRUSTED, SILENT.confidentiality(), DataClass.UNCLASSIFIED),
                        "{confidentiality: full, classes: full}",
                        Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC))
                .entrySet()) {
            GuardWorld own = world(each.getKey());

            assertEquals(
                    each.getValue(),
                    label(own, "get", citing(text("hello"), WRITER.write(FIDES, OPEN))),
                    each.getKey());
            assertEquals(
                    "verified-unbound",
                    own.last("answer").path("evidence").path(0).path("outcome").stringValue());
        }
    }

    @Test
    void boundRecordOnAnotherAnswer_isAMismatch() {
        ObjectNode moved = text("other words");
        moved.set("_meta", bound(world, FIDES, OPEN).path("_meta"));

        assertEquals(SILENT, label(world, "open", moved));

        assertRecorded("mismatch");
    }

    @Test
    void mismatch_makesUntrustedAndPrivate_andIsAFinding() {
        assertEquals(SILENT, label(world, "open", citing(text("hello"), forged())));

        JsonNode record = world.last("answer");
        assertEquals(
                json(
                        "[{'type':'ifc.fides.v1','digest':'"
                                + Digest.sha256(new byte[0]).text()
                                + "','outcome':'mismatch','because':'the record has another digest than the reference states'}]"),
                record.path("evidence"));
        JsonNode finding = record.path("findings").path(0);
        assertEquals("evidence_mismatch", finding.path("code").stringValue());
        assertEquals(
                "/_meta/io.modelcontextprotocol~1trust-annotations/evidenceRef",
                finding.path("pointer").stringValue());
        assertTrue(
                finding.path("message").stringValue().startsWith("the evidence `ifc.fides.v1` is false: "),
                finding.toString());
    }

    @Test
    void mismatchBesideABoundRecord_wins() {
        ObjectNode result = text("hello");
        citing(result, WRITER.write(FIDES, OPEN, result, signer(world)), forged());

        assertEquals(SILENT, label(world, "get", result));

        assertRecorded("verified-bound", "mismatch");
    }

    @ParameterizedTest
    @ValueSource(strings = {"raise", "full"})
    void whatCannotBeChecked_changesNothing(String claims) {
        GuardWorld own = world(claims);
        for (EvidenceRef reference : List.of(
                unresolvable(),
                new EvidenceRef(FIDES, "", "jcs/rfc8785", "", "", Map.of()),
                WRITER.write("com.example.own", CLOSED))) {
            assertEquals(Label.BOTTOM, label(own, "open", citing(text("hello"), reference)));
        }
        assertEquals(SILENT, label(own, "get", citing(text("hello"), WRITER.write("com.example.own", OPEN))));
        assertEquals(
                "unknown-type",
                own.last("answer").path("evidence").path(0).path("outcome").stringValue());
        assertEquals(0, own.last("answer").path("findings").size());
    }

    @ParameterizedTest
    @CsvSource({"untrusted, UNTRUSTED, true", "sensitive, TRUSTED, false"})
    void serversOwnYes_outweighsTheNoOfABoundRecord(String claim, Integrity integrity, boolean isPublic) {
        ObjectNode result = bound(world, FIDES, OPEN);
        ((ObjectNode) result.path("_meta").path(TrustAnnotations.KEY)).put(claim, true);

        Label label = label(world, "get", result);

        assertEquals(integrity, label.integrity());
        assertEquals(isPublic, label.confidentiality().isPublic());
    }

    @Test
    void boundClasses_replaceTheDefault_andUnboundOnesAreAdded() {
        JsonNode record = json("{'class':'ledger','policyRef':'https://forge.example/v'}");
        DataClass ledger = DataClass.of("ledger");

        Label bound = label(world, "get", bound(world, "data-class.v1", record));
        GuardWorld other = world("raise");
        Label unbound = label(other, "get", citing(text("hello"), WRITER.write("data-class.v1", record)));

        assertEquals(Label.of(Integrity.UNTRUSTED, SILENT.confidentiality(), ledger), bound);
        assertEquals(Label.of(Integrity.UNTRUSTED, SILENT.confidentiality(), ledger, DataClass.UNCLASSIFIED), unbound);
    }

    @Test
    void vocabularyOfThePolicy_givesClassesTheirMeaning() {
        JsonNode record = json("{'class':'Leaflet','policyRef':'https://forge.example/v'}");

        assertEquals(
                Label.of(Integrity.UNTRUSTED, Confidentiality.PUBLIC),
                label(world, "get", bound(world, "data-class.v1", record)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"raise", "full"})
    void evidenceOfABlock_raisesAndNeverLowers(String claims) {
        GuardWorld own = world(claims);
        ObjectNode open = text("hello");
        EvidenceRef bound = WRITER.write(FIDES, OPEN, text("hello"), signer(own));
        citing((ObjectNode) open.path("content").path(0), WRITER.write(FIDES, OPEN));
        ObjectNode closed = text("hello");
        citing((ObjectNode) closed.path("content").path(0), WRITER.write(FIDES, CLOSED));
        ObjectNode signed = text("hello");
        citing((ObjectNode) signed.path("content").path(0), bound);

        assertEquals(SILENT, label(own, "get", open));
        assertEquals(SILENT, label(own, "open", closed));
        assertEquals(SILENT, label(own, "get", signed));
    }

    /** Else a result of many blocks would have the guard fetch and check without end. */
    @Test
    void referencesOfAllBlocks_haveOneLimit() {
        ObjectNode result = text("hello");
        ArrayNode content = (ArrayNode) result.path("content");
        for (int i = 0; i < 1000; i++) {
            citing(content.addObject().put("type", "text"), unresolvable(), unresolvable());
        }
        EvidenceRef[] own = {WRITER.write(FIDES, CLOSED)};
        citing(result, own);

        assertEquals(SILENT, label(world, "open", result));

        List<String> expected = new ArrayList<>(Collections.nCopies(17, "unresolvable"));
        expected.set(0, "verified-unbound");
        assertRecorded(expected.toArray(String[]::new));
        assertEquals(
                "more than 16 references in one result: state fewer",
                world.last("answer").path("evidence").path(16).path("because").stringValue());
    }

    @Test
    void signatureThatIsTooOld_isUnbound() {
        ObjectNode result = bound(world, FIDES, OPEN);
        world.pass(Duration.ofHours(25));

        assertEquals(SILENT, label(world, "get", result));

        assertRecorded("verified-unbound");
    }

    @Test
    void answersWithoutEvidence_haveAnEmptyList() {
        label(world, "open", text("hello"));

        assertEquals(json("[]"), world.last("answer").path("evidence"));
    }

    @Test
    void wordsOfTheServerInARecord_areCutAndPlain() {
        String hostile = "a\u001b[2J\u202e" + "x".repeat(500);
        ObjectNode inner = GuardWorld.JSON.createObjectNode().put(hostile, "\ud800");
        EvidenceRef reference = new EvidenceRef(
                hostile,
                Digest.sha256(new byte[0]).text(),
                "jcs/rfc8785",
                "",
                "",
                Map.of("dev.sluice/record", GuardWorld.JSON.createObjectNode().put(hostile, Double.NaN)));
        EvidenceRef deep = new EvidenceRef(
                FIDES, Digest.sha256(new byte[0]).text(), "jcs/rfc8785", "", "", Map.of("dev.sluice/record", inner));

        label(
                world,
                "open",
                citing(
                        text("hello"),
                        reference,
                        deep,
                        new EvidenceRef(FIDES, hostile, hostile, hostile, hostile, Map.of())));

        String record = world.audit().get(world.audit().size() - 1).json();
        assertTrue(record.codePoints().noneMatch(c -> c < ' ' || c == 0x202e), record);
        assertFalse(record.contains("\\u001b"), record);
        for (JsonNode each : world.last("answer").path("evidence")) {
            each.forEach(value -> assertTrue(value.stringValue().length() < 140, each.toString()));
        }
    }

    @Test
    void evidenceOfAMessage_raisesToo() {
        ObjectNode content = citing(GuardWorld.JSON.createObjectNode().put("data", "hello"), forged());
        label(world, "open", text("hello"));

        Released released =
                world.release(new Outbound.Message(world.server("forge"), "notifications/message", content));

        assertEquals(Integrity.UNTRUSTED, released.label().integrity());
        assertEquals(
                "mismatch",
                world.last("message").path("evidence").path(0).path("outcome").stringValue());
    }
}
