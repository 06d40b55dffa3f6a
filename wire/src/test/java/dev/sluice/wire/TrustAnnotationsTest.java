package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class TrustAnnotationsTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Reads JSON written with single quotes, with `META{…}` for a `_meta` that carries an annotation. */
    private static JsonNode json(String text) {
        return JSON.readTree(
                text.replaceAll("META(\\{[^}]*})", "'_meta':{'io.modelcontextprotocol/trust-annotations':$1}")
                        .replace('\'', '"'));
    }

    private static ResultAnnotations wellFormed(String text) {
        Decoded<ResultAnnotations> decoded = TrustAnnotations.decodeResult(json(text));
        assertEquals(List.of(), decoded.findings());
        return decoded.value();
    }

    @Test
    void result_withoutAnnotations_claimsNothing() {
        for (String text : List.of(
                "{}",
                "{'content':[{'type':'text','text':'x'}]}",
                "{'_meta':{}}",
                "{'_meta':null}",
                "[]",
                "1",
                "{'content':'x'}")) {
            ResultAnnotations found = wellFormed(text);
            assertEquals(TrustAnnotations.NONE, found.result(), text);
            assertEquals(List.of(), found.blocks(), text);
            assertEquals(new ResultClaims(Claim.ABSENT, Claim.ABSENT, Set.of(), List.of()), found.claims(), text);
        }
    }

    @Test
    void whatIsAskedFor_andTheResultOfATask_areBlocks_whichOnlyRaise() {
        ResultAnnotations asked = wellFormed("{'inputRequests':{'a/b':{'method':'m','params':{META{'untrusted':true},"
                + "'messages':[{'role':'user','content':{'type':'text',META{'sensitive':true}}}]}},'c':1}}");
        assertEquals(
                List.of("/inputRequests/a~1b/params", "/inputRequests/a~1b/params/messages/0/content"),
                asked.blocks().stream().map(ResultAnnotations.Block::pointer).toList());
        assertEquals(Claim.TRUE, asked.claims().untrusted());
        assertEquals(Claim.TRUE, asked.claims().sensitive());

        ResultAnnotations task =
                wellFormed("{META{'sensitive':true},'result':{META{'untrusted':true,'sensitive':false},"
                        + "'content':[{META{'untrusted':false}}],"
                        + "'inputRequests':{'a':{'params':{META{'sensitive':false}}}}}}");
        assertEquals(
                List.of("/result", "/result/content/0", "/result/inputRequests/a/params"),
                task.blocks().stream().map(ResultAnnotations.Block::pointer).toList());
        assertEquals(Claim.TRUE, task.claims().untrusted());
        assertEquals(Claim.TRUE, task.claims().sensitive());

        assertEquals(
                Claim.ABSENT,
                wellFormed("{'result':{META{'untrusted':false}}}").claims().untrusted());
        for (String text :
                List.of("{'result':'x'}", "{'inputRequests':['x']}", "{'inputRequests':{'a':{'params':1}}}")) {
            assertEquals(List.of(), wellFormed(text).blocks(), text);
        }
    }

    @Test
    void claims_readAsStated() {
        TrustAnnotations found =
                wellFormed("{META{'sensitive':true,'untrusted':false}}").result();
        assertEquals(Claim.TRUE, found.sensitive());
        assertEquals(Claim.FALSE, found.untrusted());
        assertEquals(
                Claim.ABSENT, wellFormed("{META{'sensitive':false}}").result().untrusted());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{'content':[{},{META{'untrusted':true}}]}|/content/1",
                "{'content':{META{'untrusted':true}}}|/content",
                "{'content':[{'resource':{META{'untrusted':true}}}]}|/content/0/resource",
                "{'contents':[{META{'untrusted':true}}]}|/contents/0",
                "{'messages':[{},{'content':{META{'untrusted':true}}}]}|/messages/1/content",
                "{'messages':[{'content':{'resource':{META{'untrusted':true}}}}]}|/messages/0/content/resource",
                "{'messages':[{'content':[{},{META{'untrusted':true}}]}]}|/messages/0/content/1",
                "{'content':[{'type':'tool_result','content':[{META{'untrusted':true}}]}]}|/content/0/content/0",
            })
    void blocks_foundWhereverTheyLie(String text, String pointer) {
        ResultAnnotations found = wellFormed(text);
        assertEquals(TrustAnnotations.NONE, found.result());
        assertEquals(
                List.of(new ResultAnnotations.Block(
                        pointer, new TrustAnnotations(Claim.ABSENT, Claim.TRUE, List.of(), Map.of()))),
                found.blocks());
        assertEquals(Claim.TRUE, found.claims().untrusted());
        assertEquals(Claim.ABSENT, found.claims().sensitive());
    }

    @ParameterizedTest
    @CsvSource({
        "ABSENT, ABSENT, ABSENT, ABSENT",
        "ABSENT, ABSENT, FALSE, ABSENT",
        "ABSENT, FALSE, FALSE, ABSENT",
        "ABSENT, TRUE, FALSE, TRUE",
        "ABSENT, FALSE, TRUE, TRUE",
        "FALSE, ABSENT, ABSENT, FALSE",
        "FALSE, FALSE, FALSE, FALSE",
        "FALSE, TRUE, FALSE, TRUE",
        "TRUE, FALSE, FALSE, TRUE",
        "TRUE, ABSENT, ABSENT, TRUE",
    })
    void claims_blockAddsAndNeverWeakens(Claim result, Claim first, Claim second, Claim expected) {
        for (boolean sensitive : new boolean[] {true, false}) {
            ResultAnnotations annotations = new ResultAnnotations(
                    one(sensitive, result),
                    List.of(
                            new ResultAnnotations.Block("/content/0", one(sensitive, first)),
                            new ResultAnnotations.Block("/content/1", one(sensitive, second))));
            assertEquals(
                    new ResultClaims(
                            sensitive ? expected : Claim.ABSENT,
                            sensitive ? Claim.ABSENT : expected,
                            Set.of(),
                            List.of()),
                    annotations.claims());
        }
    }

    private static TrustAnnotations one(boolean sensitive, Claim claim) {
        return new TrustAnnotations(
                sensitive ? claim : Claim.ABSENT, sensitive ? Claim.ABSENT : claim, List.of(), Map.of());
    }

    @Test
    void claims_keepEachReferenceOnce() {
        EvidenceRef a = new EvidenceRef("a", "", "", "", "", Map.of());
        EvidenceRef b = new EvidenceRef("b", "", "", "", "", Map.of());
        TrustAnnotations own = new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, List.of(a), Map.of("x", json("1")));
        TrustAnnotations block =
                new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, List.of(b, a), Map.of("y", json("2")));
        assertEquals(
                List.of(a, b),
                new ResultAnnotations(own, List.of(new ResultAnnotations.Block("/content/0", block)))
                        .claims()
                        .evidence());
    }

    @Test
    void evidence_readAsObjectOrArray() {
        JsonNode reference = json(
                "{'type':'ifc.fides.v1','digest':'sha256:0','canonicalization':'jcs','schema':'s','ref':'r','n':[1]}");
        EvidenceRef expected = new EvidenceRef("ifc.fides.v1", "sha256:0", "jcs", "s", "r", Map.of("n", json("[1]")));
        ObjectNode annotation = JSON.createObjectNode();
        annotation.set("evidenceRef", reference);
        assertEquals(
                List.of(expected), TrustAnnotations.decode(annotation).value().evidence());
        annotation.putArray("evidenceRef").add(reference).add(json("{}"));
        TrustAnnotations both = TrustAnnotations.decode(annotation).value();
        assertEquals(List.of(expected, new EvidenceRef("", "", "", "", "", Map.of())), both.evidence());
        ObjectNode written = JSON.createObjectNode();
        written.set("evidenceRef", reference);
        written.putArray(VendorKeys.EVIDENCE).add(json("{}"));
        assertEquals(written, both.encode(), "one slot for one object");
        assertEquals(both, TrustAnnotations.decode(written).value());
        written.set(VendorKeys.EVIDENCE, json("{}"));
        assertEquals(both, TrustAnnotations.decode(written).value());
        written.remove("evidenceRef");
        assertEquals(
                both.evidence().subList(1, 2),
                TrustAnnotations.decode(written).value().evidence());
        annotation.putArray("evidenceRef").add(reference);
        assertEquals(
                reference, TrustAnnotations.decode(annotation).value().encode().get("evidenceRef"), "one is an object");
    }

    @Test
    void encode_writesNoAbsentMember() {
        assertEquals("{}", TrustAnnotations.NONE.encode().toString());
        assertEquals("{\"sensitive\":false}", one(true, Claim.FALSE).encode().toString());
        assertEquals(
                "{\"type\":\"t\"}",
                new EvidenceRef("t", "", "", "", "", Map.of()).encode().toString());
    }

    @Test
    void writeTo_setsReplacesAndTakesOut() {
        ObjectNode block = (ObjectNode) json("{'text':'x','_meta':{'a':1}}");
        one(true, Claim.TRUE).writeTo(block);
        one(false, Claim.TRUE).writeTo(block);
        assertEquals(json("{'text':'x','_meta':{'a':1,'" + TrustAnnotations.KEY + "':{'untrusted':true}}}"), block);
        TrustAnnotations.NONE.writeTo(block);
        assertEquals(json("{'text':'x','_meta':{'a':1}}"), block);
        ObjectNode bare = JSON.createObjectNode();
        TrustAnnotations.NONE.writeTo(bare);
        assertEquals(json("{}"), bare);
        one(true, Claim.FALSE).writeTo(bare);
        assertEquals(json("{META{'sensitive':false}}"), bare);
    }

    @Test
    void others_areCopiedAndMayNotShadowKnownMembers() {
        ObjectNode mutable = (ObjectNode) json("{'k':1}");
        TrustAnnotations annotations =
                new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, List.of(), Map.of("x", mutable));
        mutable.put("k", 2);
        assertEquals(json("{'x':{'k':1}}"), annotations.encode());
        for (String known : List.of("sensitive", "untrusted", "evidenceRef", VendorKeys.EVIDENCE)) {
            Map<String, JsonNode> others = Map.of(known, mutable);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, List.of(), others));
        }
        assertThrows(
                IllegalArgumentException.class, () -> new EvidenceRef("", "", "", "", "", Map.of("digest", mutable)));
    }

    @Test
    void malformedBlock_isUntrustedAndSensitiveForTheWhole() {
        Decoded<ResultAnnotations> decoded =
                TrustAnnotations.decodeResult(json("{META{'sensitive':false,'untrusted':false},'content':[{'_meta':{'"
                        + TrustAnnotations.KEY + "':7}}]}"));
        assertEquals(
                List.of("/content/0/_meta/io.modelcontextprotocol~1trust-annotations"),
                decoded.findings().stream().map(Finding::pointer).toList());
        assertEquals(Claim.TRUE, decoded.value().claims().sensitive());
        assertEquals(Claim.TRUE, decoded.value().claims().untrusted());
        assertEquals(Claim.FALSE, decoded.value().result().sensitive());
    }

    @Test
    void claim_or_prefersTheStricter() {
        for (Claim claim : Claim.values()) {
            assertEquals(Claim.TRUE, claim.or(Claim.TRUE));
            assertEquals(claim, claim.or(Claim.ABSENT));
            assertEquals(claim, Claim.ABSENT.or(claim));
        }
        assertEquals(Claim.FALSE, Claim.of(false).or(Claim.ABSENT));
    }

    @Test
    void vendorKeys_areOursAndNotMcps() {
        for (String key : List.of(
                VendorKeys.LABEL, VendorKeys.DECISION, VendorKeys.EVIDENCE, VendorKeys.RECORD, VendorKeys.ENVELOPE)) {
            assertTrue(VendorKeys.isOurs(key));
            assertFalse(key.contains("modelcontextprotocol"));
        }
        assertFalse(VendorKeys.isOurs(TrustAnnotations.KEY));
        assertFalse(VendorKeys.isOurs("dev.sluice"));
    }
}
