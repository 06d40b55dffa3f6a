package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class ActionMetadataTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static JsonNode json(String text) {
        return JSON.readTree(text.replace("KEY", ActionMetadata.KEY).replace('\'', '"'));
    }

    private static ActionMetadata wellFormed(String text) {
        Decoded<ActionMetadata> decoded = ActionMetadata.decode(json(text));
        assertEquals(List.of(), decoded.findings(), text);
        return decoded.value();
    }

    private static ActionMetadata unclear(String text, int findings) {
        Decoded<ActionMetadata> decoded = ActionMetadata.decode(json(text));
        assertEquals(
                findings, decoded.findings().size(), () -> decoded.findings().toString());
        return decoded.value();
    }

    @ParameterizedTest
    @CsvSource({
        "ephemeral, EPHEMERAL", "Ephemeral, EPHEMERAL", "system, SYSTEM", "System, SYSTEM", "user, USER", "User, USER",
        "internal, INTERNAL", "Internal, INTERNAL", "public, PUBLIC", "Public, PUBLIC", "external, PUBLIC",
                "local, SYSTEM"
    })
    void destination_readInEverySpelling(String text, Destination expected) {
        ActionMetadata metadata = wellFormed("{'inputMetadata':{'destination':'" + text + "'}}");
        assertEquals(Dimension.of(expected), metadata.input().destination());
        assertEquals(Optional.of(expected), metadata.widestDestination());
    }

    @ParameterizedTest
    @CsvSource({
        "untrustedPublic, UNTRUSTED_PUBLIC",
        "UntrustedPublic, UNTRUSTED_PUBLIC",
        "trustedPublic, TRUSTED_PUBLIC",
        "TrustedPublic, TRUSTED_PUBLIC",
        "internal, INTERNAL",
        "Internal, INTERNAL",
        "user, USER",
        "User, USER",
        "system, SYSTEM",
        "System, SYSTEM",
        "open-world, UNTRUSTED_PUBLIC",
        "first-party, INTERNAL"
    })
    void source_readInEverySpelling(String text, DataSource expected) {
        ActionMetadata metadata = wellFormed("{'returnMetadata':{'source':'" + text + "'}}");
        assertEquals(Dimension.of(expected), metadata.returns().source());
        assertEquals(Optional.of(expected), metadata.leastTrustedSource());
    }

    @ParameterizedTest
    @CsvSource({
        "benign, BENIGN",
        "Benign, BENIGN",
        "consequential, CONSEQUENTIAL",
        "Consequential, CONSEQUENTIAL",
        "irreversible, IRREVERSIBLE",
        "Irreversible, IRREVERSIBLE"
    })
    void outcome_readInEverySpellingAndPlace(String text, Outcome expected) {
        ActionMetadata metadata = wellFormed("{'outcome':'" + text + "'}");
        assertEquals(Optional.of(expected), metadata.gravestOutcome());
        assertEquals(metadata, wellFormed("{'inputMetadata':{'outcomes':['" + text + "']}}"));
    }

    @ParameterizedTest
    @CsvSource({
        "none, NONE",
        "None, NONE",
        "public, NONE",
        "user, USER",
        "User, USER",
        "pii, PII",
        "PII, PII",
        "Pii, PII",
        "personal, PII",
        "financial, FINANCIAL",
        "Financial, FINANCIAL",
        "credentials, CREDENTIALS",
        "Credentials, CREDENTIALS"
    })
    void sensitivity_readInEverySpelling(String text, Sensitivity.Kind expected) {
        Sensitivity value = new Sensitivity(expected, Set.of(), "");
        ActionMetadata metadata = wellFormed(
                "{'inputMetadata':{'sensitivity':'" + text + "'},'returnMetadata':{'sensitivity':['" + text + "']}}");
        assertEquals(Optional.of(Set.of(value)), metadata.acceptedSensitivity());
        assertEquals(Optional.of(Set.of(value)), metadata.returnedSensitivity());
    }

    @Test
    void regulated_readWithItsScopes() {
        Sensitivity expected = Sensitivity.regulated(Set.of("HIPAA", "GDPR"));
        for (String text :
                List.of("{'regulated':{'scopes':['HIPAA','GDPR']}}", "{'Regulated':{'Scopes':['GDPR','HIPAA']}}")) {
            ActionMetadata metadata = wellFormed("{'returnMetadata':{'sensitivity':['pii'," + text + "]}}");
            assertEquals(Optional.of(Set.of(Sensitivity.PII, expected)), metadata.returnedSensitivity());
        }
        assertEquals(
                Optional.of(Set.of(Sensitivity.regulated(Set.of("SOX")))),
                wellFormed("{'inputMetadata':{'sensitivity':{'regulated':{'scopes':'SOX'}}}}")
                        .acceptedSensitivity());
        for (String wrong : List.of(
                "{'regulated':{'scopes':[]}}",
                "{'regulated':{'scopes':[1]}}",
                "{'regulated':{'scopes':['']}}",
                "{'regulated':{}}",
                "{'regulated':1}",
                "{'regulated':{'scopes':['SOX'],'x':1}}",
                "{'regulated':{'scopes':['SOX']},'x':1}",
                "'regulated'",
                "null",
                "5",
                "{}")) {
            Set<Sensitivity> found = unclear("{'returnMetadata':{'sensitivity':" + wrong + "}}", 1)
                    .returnedSensitivity()
                    .orElseThrow();
            assertEquals(1, found.size());
            assertEquals(Sensitivity.Kind.UNRECOGNIZED, found.iterator().next().kind(), wrong);
        }
    }

    @Test
    void array_evaluatesAsItsWorstMember() {
        ActionMetadata metadata = wellFormed("{'inputMetadata':{'destination':['user','public','system']},"
                + "'returnMetadata':{'source':['untrustedPublic','system']},'outcome':['consequential','benign']}");
        assertEquals(Optional.of(Destination.PUBLIC), metadata.widestDestination());
        assertEquals(Optional.of(DataSource.UNTRUSTED_PUBLIC), metadata.leastTrustedSource());
        assertEquals(Optional.of(Outcome.CONSEQUENTIAL), metadata.gravestOutcome());
        assertEquals(
                Set.of(Destination.USER, Destination.PUBLIC, Destination.SYSTEM),
                metadata.input().destination().values());
    }

    @Test
    void unknownValue_isStrictByDirection() {
        ActionMetadata metadata = unclear(
                "{'inputMetadata':{'destination':['user','mars'],'sensitivity':['pii','weird']},"
                        + "'returnMetadata':{'source':'PUBLIC','sensitivity':['none','weird']},'outcome':'meh'}",
                5);
        assertEquals(Optional.of(Destination.PUBLIC), metadata.widestDestination());
        assertEquals(Set.of("mars"), metadata.input().destination().unknown());
        assertEquals(Optional.of(Set.of(Sensitivity.PII, Sensitivity.NONE)), metadata.acceptedSensitivity());
        assertEquals(Optional.of(DataSource.UNTRUSTED_PUBLIC), metadata.leastTrustedSource());
        assertEquals(
                Optional.of(Set.of(Sensitivity.NONE, Sensitivity.unrecognized("weird"))),
                metadata.returnedSensitivity());
        assertEquals(Optional.of(Outcome.IRREVERSIBLE), metadata.gravestOutcome());
    }

    @Test
    void emptyArray_isStrictAndNotAbsent() {
        ActionMetadata metadata = unclear(
                "{'inputMetadata':{'destination':[],'sensitivity':[]},'returnMetadata':{'source':[],'sensitivity':[]},"
                        + "'outcome':[]}",
                5);
        assertEquals(Optional.of(Destination.PUBLIC), metadata.widestDestination());
        assertEquals(Optional.of(Set.of(Sensitivity.NONE)), metadata.acceptedSensitivity());
        assertEquals(Optional.of(DataSource.UNTRUSTED_PUBLIC), metadata.leastTrustedSource());
        assertEquals(Optional.of(Set.of(Sensitivity.unrecognized(""))), metadata.returnedSensitivity());
        assertEquals(Optional.of(Outcome.IRREVERSIBLE), metadata.gravestOutcome());
    }

    @Test
    void absentDimensions_stayAbsent() {
        for (String text : List.of("{}", "{'inputMetadata':{},'returnMetadata':{}}")) {
            ActionMetadata metadata = wellFormed(text);
            assertEquals(ActionMetadata.NONE, metadata);
            assertEquals(Optional.empty(), metadata.widestDestination());
            assertEquals(Optional.empty(), metadata.acceptedSensitivity());
            assertEquals(Optional.empty(), metadata.leastTrustedSource());
            assertEquals(Optional.empty(), metadata.returnedSensitivity());
            assertEquals(Optional.empty(), metadata.gravestOutcome());
            assertEquals(Claim.ABSENT, metadata.requiresReview());
        }
        assertEquals("{}", ActionMetadata.NONE.encode().toString());
    }

    @Test
    void metadata_thatIsNoObject_declaresTheWorst() {
        ActionMetadata metadata = unclear("'x'", 1);
        assertEquals(Optional.of(Destination.PUBLIC), metadata.widestDestination());
        assertEquals(Optional.of(Set.of(Sensitivity.NONE)), metadata.acceptedSensitivity());
        assertEquals(Optional.of(DataSource.UNTRUSTED_PUBLIC), metadata.leastTrustedSource());
        assertEquals(Optional.of(Set.of(Sensitivity.unrecognized("x"))), metadata.returnedSensitivity());
        assertEquals(Optional.of(Outcome.IRREVERSIBLE), metadata.gravestOutcome());
        assertEquals(Claim.TRUE, metadata.requiresReview());
    }

    @Test
    void oldAndNewOutcome_thatDiffer_giveTheGraver() {
        Decoded<ActionMetadata> decoded =
                ActionMetadata.decode(json("{'outcome':'benign','inputMetadata':{'outcomes':'irreversible'}}"));
        assertEquals(Optional.of(Outcome.IRREVERSIBLE), decoded.value().gravestOutcome());
        assertEquals(
                List.of(Finding.Code.CONFLICT),
                decoded.findings().stream().map(Finding::code).toList());
        assertEquals(
                List.of(),
                ActionMetadata.decode(json("{'outcome':'benign','inputMetadata':{'outcomes':'benign'}}"))
                        .findings());
    }

    @Test
    void tool_readInEitherPlace() {
        ActionMetadata expected = wellFormed("{'outcome':'benign','requiresReview':true}");
        for (String tool : List.of(
                "{'annotations':{'KEY':{'outcome':'benign','requiresReview':true}}}",
                "{'_meta':{'KEY':{'outcome':'benign','requiresReview':true}}}",
                "{'annotations':null,'_meta':{'KEY':{'outcome':'benign','requiresReview':true}}}",
                "{'annotations':{'KEY':{'outcome':'benign'}},'_meta':{'KEY':{'requiresReview':true}}}")) {
            Decoded<ActionMetadata> decoded = ActionMetadata.decodeTool(json(tool));
            assertEquals(List.of(), decoded.findings(), tool);
            assertEquals(expected, decoded.value(), tool);
        }
        assertEquals(
                ActionMetadata.NONE,
                ActionMetadata.decodeTool(json("{'name':'x'}")).value());
    }

    @Test
    void places_thatDiffer_giveTheStricterOfEachDimension() {
        String mild = "{'inputMetadata':{'destination':'user','sensitivity':['pii','financial']},"
                + "'returnMetadata':{'source':'system','sensitivity':'none'},'outcome':'benign','requiresReview':false}";
        String other = "{'inputMetadata':{'destination':'public','sensitivity':['financial','user']},"
                + "'returnMetadata':{'source':'internal','sensitivity':'pii'},'outcome':'consequential',"
                + "'requiresReview':true}";
        for (boolean swapped : new boolean[] {false, true}) {
            Decoded<ActionMetadata> decoded = ActionMetadata.decodeTool(json("{'annotations':{'KEY':"
                    + (swapped ? other : mild) + "},'_meta':{'KEY':" + (swapped ? mild : other) + "}}"));
            ActionMetadata found = decoded.value();
            assertEquals(Optional.of(Destination.PUBLIC), found.widestDestination());
            assertEquals(Optional.of(Set.of(Sensitivity.FINANCIAL)), found.acceptedSensitivity());
            assertEquals(Optional.of(DataSource.INTERNAL), found.leastTrustedSource());
            assertEquals(Optional.of(Set.of(Sensitivity.NONE, Sensitivity.PII)), found.returnedSensitivity());
            assertEquals(Optional.of(Outcome.CONSEQUENTIAL), found.gravestOutcome());
            assertEquals(Claim.TRUE, found.requiresReview());
            assertEquals(
                    List.of(
                            "/_meta/io.modelcontextprotocol~1action-metadata/inputMetadata/destination",
                            "/_meta/io.modelcontextprotocol~1action-metadata/inputMetadata/sensitivity",
                            "/_meta/io.modelcontextprotocol~1action-metadata/returnMetadata/source",
                            "/_meta/io.modelcontextprotocol~1action-metadata/returnMetadata/sensitivity",
                            "/_meta/io.modelcontextprotocol~1action-metadata/outcome",
                            "/_meta/io.modelcontextprotocol~1action-metadata/requiresReview"),
                    decoded.findings().stream().map(Finding::pointer).toList());
            assertTrue(decoded.findings().stream().allMatch(finding -> finding.code() == Finding.Code.CONFLICT));
        }
    }

    @Test
    void emptyList_besideAMildValue_staysStrict() {
        for (String tool : List.of(
                "{'annotations':{'KEY':{'returnMetadata':{'source':[],'sensitivity':[]},'outcome':[]}},"
                        + "'_meta':{'KEY':{'returnMetadata':{'source':'system','sensitivity':'none'},'outcome':'benign'}}}",
                "{'annotations':{'KEY':{'returnMetadata':{'source':'system','sensitivity':'none'},'outcome':'benign'}},"
                        + "'_meta':{'KEY':{'returnMetadata':{'source':[],'sensitivity':[]},'outcome':[]}}}")) {
            ActionMetadata found = ActionMetadata.decodeTool(json(tool)).value();
            assertEquals(Optional.of(DataSource.UNTRUSTED_PUBLIC), found.leastTrustedSource());
            assertEquals(Optional.of(Outcome.IRREVERSIBLE), found.gravestOutcome());
            assertEquals(
                    Optional.of(Set.of(Sensitivity.NONE, Sensitivity.unrecognized(""))), found.returnedSensitivity());
        }
    }

    @Test
    void sinks_thatShareNothing_acceptNothing() {
        ActionMetadata found = ActionMetadata.decodeTool(
                        json("{'annotations':{'KEY':{'inputMetadata':{'sensitivity':'pii'}}},"
                                + "'_meta':{'KEY':{'inputMetadata':{'sensitivity':'financial'}}}}"))
                .value();
        assertEquals(Optional.of(Set.of(Sensitivity.NONE)), found.acceptedSensitivity());
    }

    @Test
    void writeTo_fillsBothPlacesAndLeavesTheRest() {
        ObjectNode tool = (ObjectNode) json("{'name':'x','annotations':{'title':'t','KEY':1},'_meta':{'a':1}}");
        ActionMetadata metadata =
                wellFormed("{'outcome':'irreversible','inputMetadata':{'destination':['user','public'],"
                        + "'sensitivity':{'regulated':{'scopes':['HIPAA']}},'z':1}}");
        metadata.writeTo(tool);
        String written = "{'inputMetadata':{'destination':['user','public'],"
                + "'sensitivity':{'regulated':{'scopes':['HIPAA']}},'z':1},'outcome':'irreversible'}";
        assertEquals(
                json("{'name':'x','annotations':{'title':'t','KEY':" + written + "},'_meta':{'a':1,'KEY':" + written
                        + "}}"),
                tool);
        assertEquals(metadata, ActionMetadata.decodeTool(tool).value());
        ObjectNode bare = JSON.createObjectNode();
        metadata.writeTo(bare);
        assertEquals(metadata, ActionMetadata.decodeTool(bare).value());
    }

    @Test
    void unknownText_isCutAndKeptOnOneLine() {
        Decoded<ActionMetadata> decoded =
                ActionMetadata.decode(JSON.createObjectNode().put("outcome", "a\n\u202e\u0007" + "b".repeat(5000)));
        String kept = decoded.value().outcome().unknown().iterator().next();
        assertEquals("a\uFFFD\uFFFD\uFFFD" + "b".repeat(195) + "\u2026", kept);
        assertTrue(decoded.findings().get(0).message().contains(kept));
        assertEquals(kept, Decoding.shown(JSON.createArrayNode().add(kept).get(0)), "cutting again changes nothing");
        String smileys = "\uD83D\uDE00".repeat(300);
        String cut = Decoding.shown(JSON.createArrayNode().add(smileys).get(0));
        assertEquals(cut, Decoding.shown(JSON.createArrayNode().add(cut).get(0)));
        assertTrue(cut.length() <= 200 && cut.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE));
    }

    @Test
    void records_refuseWhatHasNoMeaning() {
        JsonNode one = json("1");
        assertThrows(IllegalArgumentException.class, () -> new Dimension<>(false, Set.of(Outcome.BENIGN), Set.of()));
        assertThrows(IllegalArgumentException.class, () -> Sensitivity.regulated(Set.of()));
        assertThrows(IllegalArgumentException.class, () -> new Sensitivity(Sensitivity.Kind.PII, Set.of("HIPAA"), ""));
        assertThrows(IllegalArgumentException.class, () -> new Sensitivity(Sensitivity.Kind.PII, Set.of(), "x"));
        for (String known : List.of("destination", "sensitivity", "outcomes")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new ActionMetadata.Input(Dimension.absent(), Dimension.absent(), Map.of(known, one)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new ActionMetadata.Returns(Dimension.absent(), Dimension.absent(), Map.of("source", one)));
    }

    @Test
    void legacyHints_readAndWritten() {
        LegacyHints hints = new LegacyHints(Claim.TRUE, Claim.FALSE, Claim.ABSENT, Claim.TRUE);
        JsonNode tool = json("{'annotations':{'readOnlyHint':true,'destructiveHint':false,'openWorldHint':true}}");
        Decoded<LegacyHints> decoded = LegacyHints.decodeTool(tool);
        assertEquals(new Decoded<>(hints, List.of()), decoded);
        ObjectNode other = (ObjectNode) json("{'annotations':{'title':'t','idempotentHint':true}}");
        hints.writeTo(other);
        assertEquals(
                json("{'annotations':{'title':'t','readOnlyHint':true,'destructiveHint':false,'openWorldHint':true}}"),
                other);
        ObjectNode bare = JSON.createObjectNode();
        LegacyHints.NONE.writeTo(bare);
        assertEquals(json("{}"), bare);
        assertEquals(LegacyHints.NONE, LegacyHints.decodeTool(bare).value());
    }

    @Test
    void legacyHints_malformed_countAsWhatAllowsLess() {
        for (String wrong : List.of("null", "'true'", "1", "[]")) {
            Decoded<LegacyHints> decoded =
                    LegacyHints.decodeTool(json("{'annotations':{'readOnlyHint':" + wrong + ",'destructiveHint':"
                            + wrong + ",'idempotentHint':" + wrong + ",'openWorldHint':" + wrong + "}}"));
            assertEquals(new LegacyHints(Claim.FALSE, Claim.TRUE, Claim.FALSE, Claim.TRUE), decoded.value());
            assertEquals(4, decoded.findings().size());
        }
    }
}
