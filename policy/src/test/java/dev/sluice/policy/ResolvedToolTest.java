package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.LegacyHints;
import dev.sluice.wire.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a server says of one call, held against what it says of all. */
class ResolvedToolTest {

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text.replace('\'', '"'));
    }

    private static ToolDefinition definition(JsonNode annotations) {
        ObjectNode tool = JsonNodeFactory.instance.objectNode().put("name", "manage");
        tool.set("annotations", annotations);
        return ToolDefinition.of("files", tool, tool.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static ToolDefinition resolved(ToolDefinition definition, JsonNode annotations) {
        JsonNode tool = JsonNodeFactory.instance.objectNode().set("annotations", annotations);
        return definition.with(new ResolvedTool(
                ActionMetadata.decodeTool(tool).value(),
                LegacyHints.decodeTool(tool).value()));
    }

    private static ToolProfile profile(ToolDefinition tool, boolean believed) {
        return ToolProfiles.resolve(tool, ToolStatement.NOTHING, believed);
    }

    private static String action(String metadata) {
        return "{'io.modelcontextprotocol/action-metadata':" + metadata + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'readOnlyHint':false,'openWorldHint':false} | {'readOnlyHint':true} | [READS] | BENIGN",
                "{'readOnlyHint':false,'openWorldHint':true} | {'openWorldHint':false} | [READS, WRITES] | CONSEQUENTIAL",
                "{'readOnlyHint':true,'openWorldHint':false} | {'openWorldHint':true} | [READS, SENDS] | CONSEQUENTIAL",
                "{'readOnlyHint':true,'openWorldHint':false} | {'readOnlyHint':false} | [READS, WRITES] | CONSEQUENTIAL",
                "{'readOnlyHint':true,'openWorldHint':true} | {'readOnlyHint':false,'openWorldHint':false}"
                        + " | [READS, WRITES, SENDS] | CONSEQUENTIAL",
                "{} | {} | [READS, WRITES, SENDS] | CONSEQUENTIAL",
                "{} | {'readOnlyHint':true,'openWorldHint':false} | [READS] | BENIGN",
            })
    void hints_countWithinTheDefinition_andBeyondItOnlyAgainstTheCall(
            String always, String forCall, String effects, Outcome outcome) {
        ToolProfile profile = profile(resolved(definition(json(always)), json(forCall)), true);

        assertEquals(effects, profile.effects().toString());
        assertEquals(outcome, profile.outcome());
    }

    @Test
    void destination_narrowsTheAudience_andAWiderOneWidensIt() {
        ToolDefinition wide = definition(json(action("{'inputMetadata':{'destination':['internal','public']}}")));
        ToolDefinition narrow = definition(json(action("{'inputMetadata':{'destination':'internal'}}")));
        JsonNode internal = json(action("{'inputMetadata':{'destination':'internal'}}"));
        JsonNode open = json(action("{'inputMetadata':{'destination':'public'}}"));

        assertEquals(
                profile(narrow, true).audience(),
                profile(resolved(wide, internal), true).audience());
        assertEquals(AudienceRule.PUBLIC, profile(resolved(narrow, open), true).audience());
        assertTrue(ToolProfiles.isWithin(resolved(wide, internal)));
        assertFalse(ToolProfiles.isWithin(resolved(narrow, open)));
    }

    @Test
    void hints_doNotNarrowWhatActionMetadataSays() {
        ToolDefinition deletes = definition(json(action("{'outcome':'irreversible'}")));

        ToolProfile profile = profile(resolved(deletes, json("{'readOnlyHint':true,'openWorldHint':false}")), true);

        assertEquals(Outcome.IRREVERSIBLE, profile.outcome());
        assertEquals(Set.of(Effect.READS, Effect.WRITES), profile.effects());
    }

    @Test
    void forDataOfOthers_irreversibleStays_andCanBeAdded() {
        ToolDefinition deletes = definition(json(action("{'outcome':['benign','irreversible']}")));
        ToolDefinition reads = definition(json(action("{'outcome':'benign'}")));
        JsonNode benign = json(action("{'outcome':'benign'}"));
        JsonNode irreversible = json(action("{'outcome':'irreversible'}"));

        assertEquals(Outcome.BENIGN, profile(resolved(deletes, benign), true).outcome());
        assertEquals(
                Outcome.IRREVERSIBLE, profile(resolved(deletes, benign), false).outcome());
        assertEquals(
                Outcome.IRREVERSIBLE,
                profile(resolved(reads, irreversible), false).outcome());
    }

    /** Whatever both say: an answer that is not believed makes no call milder, and one that is believed none worse within. */
    @Test
    void anyAnswer_isMilderOnlyWhereItIsBelievedAndWithin() {
        Random random = new Random(1862);
        for (int i = 0; i < 3_000; i++) {
            ToolDefinition always = definition(annotations(random));
            ToolDefinition forCall = resolved(always, annotations(random));
            ToolProfile before = profile(always, true);
            ToolProfile believed = profile(forCall, true);

            if (ToolProfiles.isWithin(forCall)) {
                assertTrue(isNoWorse(believed, before, true), () -> always + "\n" + forCall);
            } else {
                assertTrue(isNoWorse(before, believed, false), () -> always + "\n" + forCall);
            }
            assertTrue(
                    isNoWorse(profile(always, false), profile(forCall, false), false), () -> always + "\n" + forCall);
        }
    }

    private static boolean isNoWorse(ToolProfile one, ToolProfile other, boolean reviewAside) {
        return other.effects().containsAll(one.effects())
                && one.outcome().compareTo(other.outcome()) <= 0
                && (!one.effects().contains(Effect.SENDS)
                        || one.audience().equals(other.audience())
                        || other.audience().equals(AudienceRule.PUBLIC))
                && (reviewAside || !one.review() || other.review());
    }

    private static JsonNode annotations(Random random) {
        ObjectNode annotations = JsonNodeFactory.instance.objectNode();
        for (String hint : List.of("readOnlyHint", "destructiveHint", "openWorldHint")) {
            if (random.nextBoolean()) {
                annotations.put(hint, random.nextBoolean());
            }
        }
        if (random.nextBoolean()) {
            ObjectNode metadata = annotations.putObject(ActionMetadata.KEY);
            if (random.nextBoolean()) {
                metadata.put(
                        "outcome",
                        List.of("benign", "consequential", "irreversible").get(random.nextInt(3)));
            }
            if (random.nextBoolean()) {
                metadata.put("requiresReview", random.nextBoolean());
            }
            if (random.nextBoolean()) {
                metadata.putObject("inputMetadata")
                        .put(
                                "destination",
                                List.of("system", "internal", "public").get(random.nextInt(3)));
            }
        }
        return annotations;
    }
}
