package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The operator's own rules: which are asked, what they see, and how they are put together. */
class RulesTest {

    private static final String POLICY = """
            version: 1
            audiences: {clinic: {domains: [clinic.example], servers: [records]}}
            servers:
              mail:
                tools:
                  send: {effects: [sends], audience: [to, cc], payload: [body, n, list]}
                  read: {effects: [reads]}
              records:
                tools:
                  read: {effects: [reads]}
            rules:
            """;

    private static Policy policy(String rules) {
        return PolicyParser.parse("p.yaml", POLICY + rules.indent(2));
    }

    private static Call call(Policy policy, String server, String tool, String arguments) {
        SessionLabel session = SessionLabel.EMPTY.observe(
                Label.of(
                        Integrity.TRUSTED,
                        Confidentiality.of(
                                Source.Readers.of("mail", List.of("ana@clinic.example", "bo@clinic.example"))),
                        new DataClass("medical", "hipaa", "example.chart")),
                new Origin(Instant.EPOCH, "c1", "mail", "read"));
        String definition = "{\"name\":\"" + tool + "\"}";
        return new Call(
                ToolDefinition.of(server, json(definition), definition.getBytes(StandardCharsets.UTF_8)),
                policy.servers().get(server).tools().getOrDefault(tool, ToolStatement.NOTHING),
                json(arguments),
                session,
                true);
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static List<String> ids(Policy policy, Call call) {
        return new PolicyEngine(policy)
                .decide(call).violations().stream()
                        .filter(violation -> violation.control() == Control.RULE)
                        .map(Violation::id)
                        .toList();
    }

    private static boolean holds(String when, String arguments) {
        Policy policy = policy("- id: r\n  then: deny\n  when: >-\n    " + when + "\n");
        return ids(policy, call(policy, "mail", "send", arguments)).equals(List.of("r"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "call.server == 'mail' && call.tool == 'send'",
                "call.effects == ['sends']",
                "call.arguments.to == 'ana@clinic.example' && call.arguments.n > 2 && call.arguments.list[0].x == true",
                "call.label.integrity == 'trusted' && call.label.confidentiality == 'private'",
                "call.label.sources == ['readers \"mail\" \"ana@clinic.example\" \"bo@clinic.example\"']",
                "call.label.classes.exists(c, c.name == 'medical' && c.regulatory == 'hipaa' && c.label == 'example.chart')",
                "call.audience.members == ['ana@clinic.example', 'unknown']",
                "!call.audience.within('clinic')",
                "inAudience(call.arguments.to, 'clinic')",
                "size(flat(call.arguments.to, call.arguments.bcc, call.arguments.cc)) == 2",
                "has(call.arguments.to) && !has(call.arguments.bcc)",
            })
    void condition_seesTheCall(String when) {
        String arguments = "{\"to\":\"ana@clinic.example\",\"cc\":[\"two words\"],\"n\":3,\"list\":[{\"x\":true}]}";

        assertTrue(holds(when, arguments), when);
    }

    /** What asks for no member by its name gets a map as any other, though members are made when they are asked for. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "call == call && call.label in [call.label] && dyn(call.label) != dyn(call)",
                "size(dyn(call)) == 6 && dyn(call).exists(k, k == 'label')",
                "type(dyn(call)) == map && type(dyn(call.label)) == map",
                "has(call.label.classes) && !has(dyn(call).nothing)",
                "dyn(call)['label'].classes[0].name == 'medical'",
                "{'a': call.label}.a.integrity == 'trusted'",
                "[call].map(c, c.label.integrity)[0] == 'trusted'",
                "dyn(call.audience)['members'] == ['ana@clinic.example']",
                "dyn(call).nothing == 1 || call.tool == 'send'",
            })
    void condition_seesTheWholeCall(String when) {
        assertTrue(holds(when, "{\"to\":\"ana@clinic.example\"}"), when);
    }

    @Test
    void audienceWithin_isEverybodyButTheServer() {
        String within = "call.audience.within('clinic')";

        assertTrue(holds(within, "{\"to\":[\"ana@clinic.example\",\"bo@CLINIC.example\"]}"));
        assertTrue(!holds(within, "{\"to\":[\"ana@clinic.example\",\"eve@pay.example\"]}"));
        assertTrue(!holds(within, "{\"to\":[]}"));
        assertTrue(!holds(within, "{\"to\":\"ana@clinic.example\",\"odd\":\"eve@pay.example\"}"));
    }

    @Test
    void selector_isEveryPartOfIt() {
        Policy policy = policy("""
                - {id: all, then: ask}
                - {id: mail, on: {servers: mail}, then: ask}
                - {id: records, on: {servers: records}, then: ask}
                - {id: read, on: {tools: read}, then: ask}
                - {id: mail-read, on: {servers: [mail], tools: [read], effects: [reads, writes]}, then: ask}
                - {id: sends-or-writes, on: {effects: [sends, writes]}, then: ask}
                - {id: both, on: {servers: [mail, records], effects: [reads, sends]}, then: ask}
                """);

        assertEquals(
                List.of("all", "mail", "sends-or-writes", "both"), ids(policy, call(policy, "mail", "send", "{}")));
        assertEquals(
                List.of("all", "mail", "read", "mail-read", "both"), ids(policy, call(policy, "mail", "read", "{}")));
        assertEquals(List.of("all", "records", "read", "both"), ids(policy, call(policy, "records", "read", "{}")));
    }

    /** A tool of which nobody says what it does may do anything, so rules about any effect are about it. */
    @Test
    void toolOfUnknownEffects_isMatchedByEveryEffect() {
        Policy policy = policy(
                "- {id: sends, on: {effects: sends}, then: deny}\n- {id: writes, on: {effects: writes}, then: deny}\n");

        assertEquals(List.of("sends", "writes"), ids(policy, call(policy, "mail", "Send", "{}")));
    }

    @Test
    void decision_doesNotDependOnTheOrderOfRules() {
        Random random = new Random(5);
        List<String> pool = List.of(
                "{id: a, then: ask, when: \"call.arguments.n > 3\"}",
                "{id: b, then: deny, when: \"call.arguments.n > 5\"}",
                "{id: c, then: ask, on: {tools: send}}",
                "{id: d, then: deny, on: {effects: reads}}",
                "{id: e, then: ask, when: \"call.audience.within('clinic')\"}",
                "{id: f, then: deny, on: {servers: records}}");
        Set<Decision.Kind> met = new java.util.TreeSet<>();
        for (int i = 0; i < 200; i++) {
            List<String> rules = new ArrayList<>(pool);
            Collections.shuffle(rules, random);
            rules = new ArrayList<>(rules.subList(0, random.nextInt(pool.size())));
            if (rules.isEmpty()) {
                continue;
            }
            Policy one = policy("- " + String.join("\n- ", rules) + "\n");
            Collections.shuffle(rules, random);
            Policy other = policy("- " + String.join("\n- ", rules) + "\n");
            Call call = call(
                    one,
                    "mail",
                    random.nextBoolean() ? "send" : "read",
                    "{\"to\":\"ana@clinic.example\"" + (random.nextInt(4) == 0 ? "" : ",\"n\":" + random.nextInt(8))
                            + "}");

            Decision left = new PolicyEngine(one).decide(call);
            Decision right = new PolicyEngine(other).decide(call);

            assertEquals(left.kind(), right.kind(), () -> one.rules() + " " + call.arguments());
            assertEquals(sorted(left), sorted(right));
            met.add(left.kind());
        }
        assertEquals(Set.of(Decision.Kind.values()), met);
    }

    private static List<String> sorted(Decision decision) {
        return decision.violations().stream()
                .map(violation -> violation.id() + " " + violation.code() + " " + violation.strength())
                .sorted()
                .toList();
    }

    @Test
    void ruleThatErrs_deniesWhateverTheOthersSay() {
        Policy policy = policy(
                "- {id: fine, then: ask, when: \"1 == 2\"}\n- {id: errs, then: ask, when: \"call.arguments.n > 3\"}\n");

        Decision decision = new PolicyEngine(policy).decide(call(policy, "mail", "read", "{\"n\":\"many\"}"));

        assertEquals(Decision.Kind.DENY, decision.kind());
        Violation violation = decision.violations().get(0);
        assertEquals("errs", violation.id());
        assertEquals("erring-rule", violation.code());
        assertEquals("the rule `errs` of the policy could not be evaluated for this call", violation.toModel());
        assertEquals(
                "the rule `errs` of the policy could not be evaluated for this call: `call.arguments.n > 3` uses a value of"
                        + " another kind than it can",
                violation.toHuman());
    }

    @Test
    void conditionWithoutEnd_isStoppedAndDenies() {
        Policy policy = policy(
                "- {id: bomb, then: ask, when: \"call.arguments.l.all(a, call.arguments.l.all(b, call.arguments.l.all(c, a + b + c >= 0)))\"}\n");
        List<Integer> list = Collections.nCopies(100, 1);

        Decision decision = new PolicyEngine(policy).decide(call(policy, "mail", "read", "{\"l\":" + list + "}"));

        assertEquals("erring-rule", decision.code());
        assertTrue(decision.violations().get(0).toHuman().endsWith("takes too many steps"));
    }

    @Test
    void ofManyRules_onlyThoseAboutTheCallAreAsked() {
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            // Those about other calls would err, and deny.
            rules.append("- {id: r")
                    .append(i)
                    .append(", then: ask, on: {servers: ")
                    .append(i % 20 == 0 ? "mail" : "records")
                    .append("}, when: \"call.arguments.")
                    .append(i % 20 == 0 ? "n == 1" : "gone == 1")
                    .append("\"}\n");
        }
        Policy policy = policy(rules.toString());
        Call call = call(policy, "mail", "read", "{\"n\":1}");

        assertEquals(List.of("r0", "r20", "r40", "r60", "r80"), ids(policy, call));
        assertEquals(Decision.Kind.ASK, new PolicyEngine(policy).decide(call).kind());
    }
}
