package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Every folder under {@code cases/}: one call, decided. */
class GoldenCasesTest {

    static List<GoldenCase> all() {
        return GoldenCase.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void decision_asWritten(GoldenCase golden) {
        Decision decision = new PolicyEngine(golden.policy()).decide(golden.toCall());

        assertEquals(
                golden.decision().path("decision").stringValue(),
                decision.kind().name().toLowerCase(Locale.ROOT));
        List<String> codes = new ArrayList<>();
        golden.decision().path("codes").forEach(code -> codes.add(code.stringValue()));
        assertEquals(codes, decision.violations().stream().map(Violation::code).toList());
        checkTexts(golden.decision().path("toModel"), toModel(decision));
        checkTexts(golden.decision().path("toHuman"), toHuman(decision));
    }

    private static void checkTexts(JsonNode expected, String text) {
        expected.path("has").forEach(part -> assertTrue(text.contains(part.stringValue()), text));
        expected.path("lacks").forEach(part -> assertFalse(text.contains(part.stringValue()), text));
    }

    /** The model must learn neither who may read what, nor get its own arguments back as if Sluice had said them. */
    @ParameterizedTest
    @MethodSource("all")
    void textForTheModel_holdsNoReaderAndNoArgument(GoldenCase golden) {
        Call call = golden.toCall();
        String text = toModel(new PolicyEngine(golden.policy()).decide(call)).toLowerCase(Locale.ROOT);

        for (String secret : secrets(call)) {
            assertFalse(text.contains(secret.toLowerCase(Locale.ROOT)), secret + " in: " + text);
        }
    }

    private static Set<String> secrets(Call call) {
        Set<String> secrets = new HashSet<>();
        for (Source source : call.session().label().confidentiality().sources()) {
            if (source instanceof Source.Readers readers) {
                secrets.addAll(readers.readers());
            }
        }
        for (JsonNode argument : call.arguments()) {
            for (JsonNode value : argument.isContainer() ? argument : List.of(argument)) {
                if (value.isString() && value.stringValue().length() > 3) {
                    secrets.add(value.stringValue());
                }
            }
        }
        return secrets;
    }

    @ParameterizedTest
    @MethodSource("all")
    void decision_doesNotDependOnTheOrderOfWhatWasSeenOrSaid(GoldenCase golden) {
        PolicyEngine engine = new PolicyEngine(golden.policy());
        Decision once = engine.decide(golden.toCall());
        Random random = new Random(7);
        for (int i = 0; i < 10; i++) {
            List<JsonNode> seen = new ArrayList<>(golden.seen());
            Collections.shuffle(seen, random);
            Call call = golden.toCall(seen);
            Decision again = engine.decide(new Call(
                    call.tool(),
                    call.stated(),
                    shuffled(call.arguments(), random),
                    call.session(),
                    call.pinned(),
                    false,
                    call.values(),
                    call.circumstances()));

            assertEquals(once.kind(), again.kind());
            assertEquals(once.code(), again.code());
            assertEquals(once.lineage(), again.lineage());
            assertEquals(
                    once.violations().stream().map(Violation::toModel).toList(),
                    again.violations().stream().map(Violation::toModel).toList());
        }
    }

    private static JsonNode shuffled(JsonNode arguments, Random random) {
        if (!arguments.isObject()) {
            return arguments;
        }
        List<String> names = new ArrayList<>(arguments.propertyNames());
        Collections.shuffle(names, random);
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        names.forEach(name -> copy.set(name, arguments.get(name)));
        return copy;
    }

    /** Whatever else a session sees, a call of it is never decided more mildly (the warning of a first use included). */
    @ParameterizedTest
    @MethodSource("all")
    void seeingMore_neverMakesADecisionMilder(GoldenCase golden) {
        PolicyEngine engine = new PolicyEngine(golden.policy());
        Call call = golden.toCall();
        for (GoldenCase other : all()) {
            SessionLabel more = call.session().join(other.toCall().session());
            Decision later = engine.decide(new Call(
                    call.tool(),
                    call.stated(),
                    call.arguments(),
                    more,
                    call.pinned(),
                    false,
                    call.values(),
                    call.circumstances()));

            assertTrue(later.kind().compareTo(engine.decide(call).kind()) >= 0, other + " makes it " + later.kind());
        }
    }

    @Test
    void cases_areAllFound() {
        assertTrue(all().size() >= 80, "folders under cases: " + all().size());
    }

    @Test
    void faultWhileDeciding_isADenial() {
        GoldenCase golden = all().get(0);
        Call call = golden.toCall();
        JsonNode broken = new ObjectNode(JsonNodeFactory.instance) {
            private static final long serialVersionUID = 1L;

            @Override
            public Collection<String> propertyNames() {
                throw new IllegalStateException("broken");
            }
        };
        ToolStatement sends = new ToolStatement(
                Set.of(Effect.SENDS),
                new AudienceRule(List.of("to"), List.of(), false),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);

        Decision decision = new PolicyEngine(golden.policy())
                .decide(new Call(call.tool(), sends, broken, call.session(), call.pinned(), false, List.of()));

        assertEquals(Decision.Kind.DENY, decision.kind());
        assertEquals("erring-rule", decision.code());
    }

    private static String toModel(Decision decision) {
        return String.join(
                " | ", decision.violations().stream().map(Violation::toModel).toList());
    }

    private static String toHuman(Decision decision) {
        return String.join(
                " | ", decision.violations().stream().map(Violation::toHuman).toList());
    }
}
