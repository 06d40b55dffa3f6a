package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What results say in older words: the bare {@code ifc} label and the three versions of SEP-1913. */
class LegacyVocabulariesTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Results with one place for a {@code _meta}, HERE. The first is the result's own, the others are blocks'. */
    private static final List<String> CARRIERS = List.of(
            "{HERE}",
            "{'content':[{'type':'text'},{HERE}]}",
            "{'content':{HERE}}",
            "{'content':[{'resource':{HERE}}]}",
            "{'contents':[{HERE}]}",
            "{'messages':[{'role':'user','content':{HERE}}]}",
            "{'messages':[{'content':{'resource':{HERE}}}]}",
            "{'messages':[{'content':[{HERE}]}]}",
            "{'content':[{'type':'tool_result','content':[{HERE}]}]}");

    /** What stands in {@code _meta}; whether that is sensitive, untrusted, malformed; kinds. T, F, or - for silence. */
    private static final String[][] WORDS = {
        {"'ifc':{'integrity':'trusted','confidentiality':'public'}", "F", "F", "", ""},
        {"'ifc':{'integrity':'untrusted','confidentiality':'private'}", "T", "T", "", ""},
        {"'ifc':{'integrity':'trusted'}", "-", "F", "", ""},
        {"'ifc':{'confidentiality':'public'}", "F", "-", "", ""},
        {"'ifc':{'integrity':'untrusted'}", "-", "T", "", ""},
        {"'ifc':{'confidentiality':'private','readers':['x']}", "T", "-", "", ""},
        {"'ifc':{}", "-", "-", "", ""},
        {"'ifc':{'integrity':'Trusted','confidentiality':null}", "T", "T", "2", ""},
        {"'ifc':{'integrity':['trusted'],'confidentiality':false}", "T", "T", "2", ""},
        {"'ifc':null", "T", "T", "1", ""},
        {"'ifc':[]", "T", "T", "1", ""},
        {"'annotations':{'sensitiveHint':'low'}", "T", "-", "", ""},
        {"'annotations':{'sensitiveHint':'medium'}", "T", "-", "", ""},
        {"'annotations':{'sensitiveHint':'high'}", "T", "-", "", ""},
        {"'annotations':{'sensitiveHint':['low','high']}", "T", "-", "", ""},
        {"'annotations':{'sensitiveHint':'none'}", "T", "-", "1", ""},
        {"'annotations':{'sensitiveHint':'absent'}", "T", "-", "1", ""},
        {"'annotations':{'sensitiveHint':[]}", "T", "-", "1", ""},
        {"'annotations':{'sensitiveHint':null}", "T", "-", "1", ""},
        {"'annotations':{'sensitiveHint':false}", "T", "-", "1", ""},
        {"'annotations':{'privateHint':true}", "T", "-", "", ""},
        {"'annotations':{'privateHint':false}", "-", "-", "", ""},
        {"'annotations':{'privateHint':0}", "T", "-", "1", ""},
        {"'annotations':{'openWorldHint':true}", "-", "T", "", ""},
        {"'annotations':{'openWorldHint':false}", "-", "-", "", ""},
        {"'annotations':{'openWorldHint':'no'}", "-", "T", "1", ""},
        {"'annotations':{'maliciousActivityHint':true}", "-", "T", "1", ""},
        {"'annotations':{'maliciousActivityHint':false}", "-", "-", "", ""},
        {"'annotations':{'maliciousActivityHint':null}", "-", "T", "1", ""},
        {"'annotations':{'attribution':['mcp://mail']}", "-", "-", "", ""},
        {"'annotations':{'attribution':[null,{},'']}", "-", "-", "3", ""},
        {"'annotations':{'returnMetadata':{'source':'untrustedPublic'}}", "-", "T", "", ""},
        {"'annotations':{'returnMetadata':{'source':['system','untrustedPublic']}}", "-", "T", "", ""},
        {"'annotations':{'returnMetadata':{'source':'trustedPublic'}}", "-", "-", "", ""},
        {"'annotations':{'returnMetadata':{'source':'system','sensitivity':'none'}}", "-", "-", "", ""},
        {"'annotations':{'returnMetadata':{'source':'web'}}", "-", "T", "1", ""},
        {"'annotations':{'returnMetadata':{'sensitivity':'user'}}", "T", "-", "", "USER"},
        {"'annotations':{'returnMetadata':{'sensitivity':['none','pii']}}", "T", "-", "", "PII"},
        {"'annotations':{'returnMetadata':{'sensitivity':'financial'}}", "T", "-", "", "FINANCIAL"},
        {"'annotations':{'returnMetadata':{'sensitivity':'credentials'}}", "T", "-", "", "CREDENTIALS"},
        {"'annotations':{'returnMetadata':{'sensitivity':{'regulated':{'scopes':['SOX']}}}}", "T", "-", "", "REGULATED"
        },
        {"'annotations':{'returnMetadata':{'sensitivity':'weird'}}", "T", "-", "1", "UNRECOGNIZED"},
        {"'annotations':{'returnMetadata':{'sensitivity':[]}}", "T", "-", "1", "UNRECOGNIZED"},
        {"'annotations':{'returnMetadata':'x'}", "T", "T", "1", "UNRECOGNIZED"},
        {"'annotations':{'ReturnMetadata':{'Source':'UntrustedPublic','Sensitivity':'PII'}}", "T", "T", "", "PII"},
        {"'annotations':{'inputMetadata':{'destination':'public'},'audience':['user']}", "-", "-", "", ""},
        {"'annotations':{}", "-", "-", "", ""},
        {"'annotations':null", "-", "-", "", ""},
        {"'annotations':7", "T", "T", "1", ""},
        {"'ifc':{'integrity':'trusted','confidentiality':'public'},'annotations':{'privateHint':true}", "T", "F", "", ""
        },
        {"'ifc':{'confidentiality':'public'},'EXT':{'sensitive':true}", "T", "-", "1", ""},
        {"'ifc':{'confidentiality':'private'},'EXT':{'sensitive':false}", "T", "-", "1", ""},
        {"'annotations':{'openWorldHint':true},'EXT':{'untrusted':false}", "-", "T", "", ""},
        {"'annotations':{'openWorldHint':false},'EXT':{'untrusted':true}", "-", "T", "", ""},
    };

    static Stream<List<String>> words() {
        return Stream.of(WORDS).map(List::of);
    }

    private static JsonNode json(String text) {
        return JSON.readTree(text.replace("EXT", TrustAnnotations.KEY).replace('\'', '"'));
    }

    @ParameterizedTest
    @MethodSource("words")
    void words_claimTheSameInEveryCarrier_andOfABlockOnlyWhatRaises(List<String> row) {
        for (String carrier : CARRIERS) {
            boolean whole = carrier.equals(CARRIERS.get(0));
            Decoded<ResultAnnotations> decoded =
                    TrustAnnotations.decodeResult(json(carrier.replace("HERE", "'_meta':{" + row.get(0) + "}")));
            ResultClaims claims = decoded.value().claims();
            assertEquals(claim(row.get(1), whole), claims.sensitive(), carrier);
            assertEquals(claim(row.get(2), whole), claims.untrusted(), carrier);
            assertEquals(
                    row.get(3).isEmpty() ? 0 : Integer.parseInt(row.get(3)),
                    decoded.findings().size(),
                    () -> carrier + decoded.findings());
            assertEquals(
                    row.get(4).isEmpty() ? List.of() : List.of(Sensitivity.Kind.valueOf(row.get(4))),
                    claims.kinds().stream().map(Sensitivity::kind).toList(),
                    carrier);
            assertEquals(whole ? 0 : 1, decoded.value().blocks().size(), carrier);
        }
    }

    private static Claim claim(String letter, boolean whole) {
        return switch (letter) {
            case "T" -> Claim.TRUE;
            case "F" -> whole ? Claim.FALSE : Claim.ABSENT;
            default -> Claim.ABSENT;
        };
    }

    @Test
    void records_keepWhatWasSaid() {
        LegacyClaims legacy = LegacyClaims.decode(json("{'sensitiveHint':['low','medium'],'privateHint':false,"
                        + "'openWorldHint':true,'maliciousActivityHint':false,'attribution':['a','b','a'],"
                        + "'returnMetadata':{'source':'user','sensitivity':'pii','x':1}}"))
                .value();
        assertEquals(
                new LegacyClaims(
                        SensitiveHint.MEDIUM,
                        Claim.FALSE,
                        Claim.TRUE,
                        Claim.FALSE,
                        List.of("a", "b"),
                        new ActionMetadata.Returns(
                                Dimension.of(DataSource.USER), Dimension.of(Sensitivity.PII), Map.of("x", json("1")))),
                legacy);
        assertEquals(
                List.of("mcp://mail"),
                LegacyClaims.decode(json("{'attribution':'mcp://mail'}"))
                        .value()
                        .attribution());
        assertEquals(
                new Decoded<>(new IfcLabel(Claim.FALSE, Claim.TRUE), List.of()),
                IfcLabel.decode(json("{'integrity':'trusted','confidentiality':'private'}")));
        assertEquals(new Decoded<>(LegacyClaims.NONE, List.of()), LegacyClaims.decode(json("{}")));
        Set<Sensitivity> kinds = legacy.kinds();
        assertThrows(
                UnsupportedOperationException.class,
                () -> new ResultClaims(Claim.TRUE, Claim.TRUE, kinds, List.of())
                        .kinds()
                        .clear());
    }

    @Test
    void maliciousResult_isAFindingOfItsOwnKind() {
        assertEquals(
                List.of(Finding.Code.MALICIOUS_ACTIVITY),
                TrustAnnotations.decodeResult(json("{'_meta':{'annotations':{'maliciousActivityHint':true}}}"))
                        .findings()
                        .stream()
                        .map(Finding::code)
                        .toList());
    }

    /** Something said anywhere, well-formed or not; adding it may raise and never lower. */
    @Test
    void addingABlock_neverLowersAClaim() {
        Random random = new Random(41);
        int raised = 0;
        for (int round = 0; round < 5000; round++) {
            ObjectNode result = result(random);
            ResultClaims before = claims(result);
            if (!(result.get("content") instanceof ArrayNode)) {
                result.putArray("content");
            }
            ((ArrayNode) result.get("content")).addObject().set("_meta", meta(random));
            ResultClaims after = claims(result);
            assertTrue(after.sensitive() == before.sensitive() || after.sensitive() == Claim.TRUE, result::toString);
            assertTrue(after.untrusted() == before.untrusted() || after.untrusted() == Claim.TRUE, result::toString);
            assertTrue(after.kinds().containsAll(before.kinds()), result::toString);
            assertTrue(after.evidence().containsAll(before.evidence()), result::toString);
            raised += after.equals(before) ? 0 : 1;
        }
        assertTrue(raised > 500, "some blocks said something: " + raised);
    }

    @Test
    void addingLegacyMembers_neverLowersAClaim() {
        Random random = new Random(42);
        int raised = 0;
        for (int round = 0; round < 5000; round++) {
            ObjectNode result = result(random);
            if (!(result.get("_meta") instanceof ObjectNode)) {
                result.putObject("_meta");
            }
            ObjectNode meta = (ObjectNode) result.get("_meta");
            String key = List.of("ifc", "annotations").get(random.nextInt(2));
            ObjectNode words = meta(random);
            if (meta.has(key) || !words.has(key)) {
                continue;
            }
            ResultClaims before = claims(result);
            meta.set(key, words.get(key));
            ResultClaims after = claims(result);
            assertEquals(after.sensitive(), after.sensitive().or(before.sensitive()), result::toString);
            assertEquals(after.untrusted(), after.untrusted().or(before.untrusted()), result::toString);
            if (key.equals("annotations")) {
                assertTrue(after.sensitive() == before.sensitive() || after.sensitive() == Claim.TRUE);
                assertTrue(after.untrusted() == before.untrusted() || after.untrusted() == Claim.TRUE);
            }
            assertTrue(after.kinds().containsAll(before.kinds()), result::toString);
            assertEquals(before.evidence(), after.evidence());
            raised += after.equals(before) ? 0 : 1;
        }
        assertTrue(raised > 300, "some members said something: " + raised);
    }

    private static ResultClaims claims(JsonNode result) {
        return TrustAnnotations.decodeResult(result).value().claims();
    }

    private static ObjectNode result(Random random) {
        ObjectNode result = JSON.createObjectNode();
        if (random.nextBoolean()) {
            result.set("_meta", meta(random));
        }
        if (random.nextBoolean()) {
            ArrayNode content = result.putArray("content");
            for (int i = random.nextInt(3); i > 0; i--) {
                content.addObject().set("_meta", meta(random));
            }
        }
        return result;
    }

    /** One of the rows above, or an annotation of the extension, or both. */
    private static ObjectNode meta(Random random) {
        ObjectNode meta = JSON.createObjectNode();
        if (random.nextInt(3) > 0) {
            meta.setAll((ObjectNode) json("{" + WORDS[random.nextInt(WORDS.length)][0] + "}"));
        }
        if (random.nextInt(3) == 0) {
            meta.set(
                    TrustAnnotations.KEY,
                    new RandomRecords(random).next(TrustAnnotations.class).encode());
        }
        return meta;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{'annotations':{HERE}}",
                "{'_meta':{'annotations':{HERE}}}",
                "{'annotations':{'KEY':{HERE}}}",
                "{'_meta':{'KEY':{HERE}}}",
            })
    void tool_declaresTheSameInEveryPlaceAndSpelling(String tool) {
        ActionMetadata expected = new ActionMetadata(
                new ActionMetadata.Input(
                        Dimension.of(Destination.PUBLIC),
                        Dimension.of(Set.of(Sensitivity.PII, Sensitivity.USER)),
                        Map.of()),
                new ActionMetadata.Returns(
                        Dimension.of(DataSource.SYSTEM), Dimension.of(Sensitivity.regulated(Set.of("SOX"))), Map.of()),
                Dimension.of(Outcome.IRREVERSIBLE),
                Claim.ABSENT,
                Map.of());
        for (String words : List.of(
                "'inputMetadata':{'destination':'public','sensitivity':['pii','user'],'outcomes':'irreversible'},"
                        + "'returnMetadata':{'source':'system','sensitivity':{'regulated':{'scopes':['SOX']}}}",
                "'InputMetadata':{'Destination':'Public','Sensitivity':['PII','User'],'Outcomes':'Irreversible'},"
                        + "'ReturnMetadata':{'Source':'System','Sensitivity':{'Regulated':{'Scopes':['SOX']}}}",
                "'inputMetadata':{'Destination':'Public','sensitivity':['PII','User'],'Outcomes':'Irreversible'},"
                        + "'ReturnMetadata':{'source':'System','Sensitivity':{'Regulated':{'Scopes':['SOX']}}}",
                "'inputMetadata':{'destination':'public','sensitivity':['pii','user']},"
                        + "'InputMetadata':{'Outcomes':'Irreversible'},"
                        + "'returnMetadata':{'source':'system'},"
                        + "'ReturnMetadata':{'Sensitivity':{'Regulated':{'Scopes':['SOX']}}}")) {
            Decoded<ActionMetadata> decoded =
                    ActionMetadata.decodeTool(json(tool.replace("HERE", words).replace("KEY", ActionMetadata.KEY)));
            assertEquals(new Decoded<>(expected, List.of()), decoded, words);
        }
    }

    @Test
    void tool_ofManyPlaces_isAsStrictAsAllOfThem() {
        Random random = new Random(43);
        RandomRecords records = new RandomRecords(random);
        for (int round = 0; round < 3000; round++) {
            List<ActionMetadata> stated = new ArrayList<>();
            ObjectNode tool = (ObjectNode) json("{'annotations':{},'_meta':{'annotations':{}}}");
            for (int place = 0; place < 4; place++) {
                if (random.nextBoolean()) {
                    continue;
                }
                ObjectNode written = records.next(ActionMetadata.class).encode();
                ObjectNode at = (ObjectNode) (place == 0 || place == 2 ? tool.path("annotations") : tool.path("_meta"));
                if (place < 2) {
                    at.set(ActionMetadata.KEY, written);
                } else {
                    written.retain("inputMetadata", "returnMetadata");
                    (place == 2 ? at : (ObjectNode) at.path("annotations")).setAll(written);
                }
                stated.add(ActionMetadata.decode(written).value());
            }
            ActionMetadata found = ActionMetadata.decodeTool(tool).value();
            for (ActionMetadata one : stated) {
                assertTrue(atLeast(found.widestDestination(), one.widestDestination()), tool::toString);
                assertTrue(atLeast(found.leastTrustedSource(), one.leastTrustedSource()), tool::toString);
                assertTrue(atLeast(found.gravestOutcome(), one.gravestOutcome()), tool::toString);
                assertEquals(found.requiresReview(), found.requiresReview().or(one.requiresReview()));
                one.returnedSensitivity()
                        .ifPresent(kinds -> assertTrue(
                                found.returnedSensitivity().orElseThrow().containsAll(kinds), tool::toString));
                one.acceptedSensitivity()
                        .ifPresent(kinds -> assertTrue(
                                found.acceptedSensitivity().orElseThrow().stream()
                                        .allMatch(kind -> kind.equals(Sensitivity.NONE) || kinds.contains(kind)),
                                tool::toString));
            }
        }
    }

    private static <T extends Comparable<T>> boolean atLeast(Optional<T> found, Optional<T> one) {
        return one.isEmpty() || found.orElseThrow().compareTo(one.get()) >= 0;
    }

    @Test
    void maliciousTool_hasAFindingAndDeclaresNothing() {
        for (String tool : List.of("{'annotations':{HERE}}", "{'_meta':{'annotations':{HERE}}}")) {
            Decoded<ActionMetadata> decoded =
                    ActionMetadata.decodeTool(json(tool.replace("HERE", "'maliciousActivityHint':true")));
            assertEquals(ActionMetadata.NONE, decoded.value());
            assertEquals(
                    List.of(Finding.Code.MALICIOUS_ACTIVITY),
                    decoded.findings().stream().map(Finding::code).toList());
            assertEquals(
                    List.of(),
                    ActionMetadata.decodeTool(json(tool.replace("HERE", "'maliciousActivityHint':false")))
                            .findings());
        }
    }

    @Test
    void references_showWhatTheyCarryInline() {
        EvidenceRef bare = new EvidenceRef("t", "", "", "", "", Map.of());
        assertEquals(Optional.empty(), bare.inlineRecord());
        assertEquals(Optional.empty(), bare.envelope());
        EvidenceRef full = EvidenceRef.decode((ObjectNode)
                        json("{'type':'t','dev.sluice/record':{'a':1},'dev.sluice/envelope':{'payload':''}}"))
                .value();
        assertEquals(Optional.of(json("{'a':1}")), full.inlineRecord());
        assertEquals(Optional.of(json("{'payload':''}")), full.envelope());
        assertEquals(
                Set.of(VendorKeys.RECORD, VendorKeys.ENVELOPE), full.others().keySet());
    }
}
