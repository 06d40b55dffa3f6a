package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.SessionLabel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** How far events take a session in the sequences of a policy, and what these then say of a call. */
class SequencesTest {

    private static final String POLICY = """
            version: 1
            servers:
              hr:
                tools:
                  read: {effects: [reads]}
              mail:
                tools:
                  send: {effects: [sends], audience: server}
                  approve: {effects: [reads]}
            sequences:
            """;

    private static final Label MEDICAL =
            Label.of(Integrity.TRUSTED, Confidentiality.PUBLIC, new DataClass("medical", "hipaa", ""));

    /** A session, as far as sequences know it. */
    private static final class Life {
        private final Policy policy;
        private final PolicyEngine engine;
        private final Map<String, Integer> states = new HashMap<>();

        Life(Policy policy) {
            this.policy = policy;
            this.engine = new PolicyEngine(policy);
            policy.sequences().forEach(each -> states.put(each.automaton(), 0));
        }

        Life(String sequences) {
            this(PolicyParser.parse("p.yaml", POLICY + sequences.indent(2)));
        }

        private Circumstances now() {
            return new Circumstances(ResolvedReaders.NONE, states);
        }

        private Call call(String server, String tool, String arguments) {
            String definition = "{\"name\":\"" + tool + "\"}";
            return new Call(
                            ToolDefinition.of(
                                    server,
                                    JsonMapper.shared().readTree(definition),
                                    definition.getBytes(StandardCharsets.UTF_8)),
                            policy.servers().get(server).tools().getOrDefault(tool, ToolStatement.NOTHING),
                            JsonMapper.shared().readTree(arguments),
                            SessionLabel.EMPTY,
                            true)
                    .in(now());
        }

        List<String> said(String server, String tool, String arguments) {
            return engine.decide(call(server, tool, arguments)).violations().stream()
                    .filter(each -> each.control() == Control.SEQUENCE)
                    .map(each -> each.strength() + " " + each.id() + " " + each.code())
                    .toList();
        }

        List<String> said(String server, String tool) {
            return said(server, tool, "{}");
        }

        /** Lets a call through, whatever was said of it. */
        Occurrence pass(String server, String tool, String arguments) {
            Occurrence event = engine.occurrence(call(server, tool, arguments));
            states.putAll(engine.called(now(), event));
            return event;
        }

        void answer(Occurrence event, Label label, boolean well) {
            states.putAll(engine.answered(now(), event, label, well));
        }

        Life done(String server, String tool, Label label) {
            answer(pass(server, tool, "{}"), label, true);
            return this;
        }

        Life done(String server, String tool) {
            return done(server, tool, Label.BOTTOM);
        }
    }

    private static Life hr() {
        return new Life("""
                - id: approved
                  steps:
                    - on: {servers: hr}
                    - on: {effects: sends}
                  unless: {on: {tools: approve}}
                  because: staff data is looked at first
                """);
    }

    @Test
    void sendAfterReading_isDeniedUnlessApprovedInBetween() {
        Life life = hr();

        assertEquals(List.of(), life.said("mail", "send"));
        assertEquals(List.of("DENY approved sequence"), life.done("hr", "read").said("mail", "send"));
        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
        assertEquals(List.of("DENY approved sequence"), life.done("hr", "read").said("mail", "send"));
    }

    @Test
    void approvalThatFailedOrIsNotAnsweredYet_excusesNothing() {
        Life life = hr().done("hr", "read");
        Occurrence approval = life.pass("mail", "approve", "{}");

        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"));
        life.answer(approval, Label.BOTTOM, false);
        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"));
    }

    @Test
    void approvalThatWasCalledBeforeTheReading_excusesNothing() {
        Life life = hr();
        Occurrence approval = life.pass("mail", "approve", "{}");
        life.done("hr", "read");
        life.answer(approval, Label.BOTTOM, true);

        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"));
    }

    @Test
    void approvalThatWasCalledBeforeAnotherReading_excusesNothing() {
        Life life = hr().done("hr", "read");
        Occurrence approval = life.pass("mail", "approve", "{}");
        life.done("hr", "read");
        life.answer(approval, Label.BOTTOM, true);
        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"), "no state changed");

        approval = life.pass("mail", "approve", "{}");
        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
        life.done("hr", "read");
        life.answer(approval, Label.BOTTOM, true);
        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"), "there and back");
    }

    @Test
    void approvalThatWasCalledBeforeAnotherAnswer_excusesNothing() {
        Life life = new Life("""
                - id: medical
                  steps:
                    - {on: {servers: hr}, answer: "answer.label.classes != []"}
                    - {on: {effects: sends}}
                  unless: {on: {tools: approve}}
                """).done("hr", "read", MEDICAL);
        Occurrence reading = life.pass("hr", "read", "{}");
        Occurrence approval = life.pass("mail", "approve", "{}");
        life.answer(reading, MEDICAL, true);
        life.answer(approval, Label.BOTTOM, true);

        assertEquals(List.of("DENY medical sequence"), life.said("mail", "send"));
        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
    }

    @Test
    void approvalThatIsItselfAStep_stillExcusesWhatCameBefore() {
        Life life = new Life("""
                - id: any
                  steps:
                    - {on: {effects: reads}}
                    - {on: {effects: sends}}
                  unless: {on: {tools: approve}}
                """).done("hr", "read");

        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
    }

    /** Against the plainest reading of calls that run at once: an approval excuses where nothing was read since its call. */
    @Test
    void approvals_agreeWithWhatWasReadSinceTheirCall_howeverCallsInterleave() {
        Random random = new Random(23);
        Map<Boolean, Integer> met = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            Life life = hr();
            Map<Occurrence, Integer> open = new java.util.LinkedHashMap<>();
            int reads = 0;
            boolean read = false;
            for (int n = 0; n < 30; n++) {
                int what = random.nextInt(5);
                if (what == 0) {
                    life.done("hr", "read");
                    reads++;
                    read = true;
                } else if (what < 3 || open.isEmpty()) {
                    open.put(life.pass("mail", "approve", "{}"), reads);
                } else {
                    Occurrence approval = new ArrayList<>(open.keySet()).get(random.nextInt(open.size()));
                    life.answer(approval, Label.BOTTOM, true);
                    read &= open.remove(approval) != reads;
                }
                assertEquals(read, !life.said("mail", "send").isEmpty(), "run " + i + ", event " + n);
                met.merge(read, 1, Integer::sum);
            }
        }
        assertTrue(met.get(true) > 1000 && met.get(false) > 1000, "both are met: " + met);
    }

    @Test
    void unknownState_countsAsTheLastStep() {
        Life life = hr();
        life.states.clear();

        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"));
        assertEquals(List.of(), life.said("hr", "read"));
        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
    }

    @Test
    void stateThatCannotBe_countsAsTheLastStep() {
        Life life = hr();
        for (int state : List.of(-2, 2, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
            life.states.replaceAll((automaton, old) -> state);

            assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"), "state " + state);
        }
    }

    @Test
    void atMostThreeCalls_asksForTheFourth() {
        Life life = new Life("- {id: few, steps: {on: {tools: send}, times: 4}, then: ask}");
        for (int i = 0; i < 3; i++) {
            assertEquals(List.of(), life.said("mail", "send"), "call " + i);
            life.done("mail", "send").done("hr", "read");
        }

        assertEquals(List.of("ASK few sequence"), life.said("mail", "send"));
        assertEquals(List.of("ASK few sequence"), life.done("mail", "send").said("mail", "send"));
    }

    @Test
    void oneBeforeTheOther_isOverOnceTheOneWasCalled() {
        Life life = new Life("- {id: first, steps: {on: {tools: send}}, until: {on: {tools: approve}}}");

        assertEquals(List.of("DENY first sequence"), life.said("mail", "send"));
        assertEquals(List.of(), life.done("mail", "approve").said("mail", "send"));
        assertEquals(List.of(), life.done("mail", "send").done("hr", "read").said("mail", "send"));
    }

    @Test
    void answer_isAnEventOfItsOwn() {
        Life life = new Life("""
                - id: medical
                  steps:
                    - {on: {effects: reads}, answer: "answer.label.classes.exists(c, c.regulatory == 'hipaa')"}
                    - {on: {effects: sends}, when: "call.arguments.to != 'ward'"}
                """);

        assertEquals(List.of(), life.done("hr", "read").said("mail", "send", "{\"to\":\"x\"}"));
        life.done("hr", "read", MEDICAL);
        assertEquals(List.of("DENY medical sequence"), life.said("mail", "send", "{\"to\":\"x\"}"));
        assertEquals(List.of(), life.said("mail", "send", "{\"to\":\"ward\"}"));
        assertEquals(List.of("DENY medical erring-rule"), life.said("mail", "send"));
    }

    @Test
    void messageThatCameByItself_isAnAnswerOfItsServer() {
        Life life = new Life("""
                - id: medical
                  steps:
                    - {on: {servers: hr}, when: "call.tool == 'read'", answer: "answer.label.classes != []"}
                    - {on: {effects: sends}}
                """);

        life.answer(Occurrence.message("mail", "notifications/message"), MEDICAL, true);
        assertEquals(List.of(), life.said("mail", "send"));
        life.answer(Occurrence.message("hr", "notifications/message"), MEDICAL, true);
        assertEquals(List.of("DENY medical sequence"), life.said("mail", "send"));
    }

    @Test
    void messageThatCameByItself_excusesNothing() {
        Life life = hr().done("hr", "read");
        life.answer(Occurrence.message("mail", "approve"), Label.BOTTOM, true);

        assertEquals(List.of("DENY approved sequence"), life.said("mail", "send"));
    }

    @Test
    void states_belongToWhatTheStepsAreAndNotToTheName() {
        Sequence one = hr().policy.sequences().get(0);
        Sequence renamed = new Sequence("other", one.steps(), one.unless(), one.until(), Strength.ASK, "");
        Sequence without = new Sequence(one.id(), one.steps(), null, one.until(), one.then(), one.because());

        assertEquals(one.automaton(), renamed.automaton());
        assertNotEquals(one.automaton(), without.automaton());
    }

    @Test
    void states_ofTwoToolsAndOfOneWithBothNames_areNotTheSame() {
        assertNotEquals(
                ofTools(Set.of("send_email", "send_sms")).automaton(),
                ofTools(Set.of("send_email, send_sms")).automaton());
    }

    private static Sequence ofTools(Set<String> tools) {
        Rule.Selector on = new Rule.Selector(Set.of(), tools, Set.of());
        return new Sequence("s", List.of(new Sequence.Step(on, null, null, 1)), null, null, Strength.DENY, "");
    }

    /** Against the plainest reading: all that happened is kept, and each time looked through from the beginning. */
    @Test
    void states_agreeWithLookingThroughTheWholeSession() {
        Random random = new Random(11);
        Map<Boolean, Integer> met = new TreeMap<>();
        List<String> tools = List.of("send", "approve", "read");
        for (int i = 0; i < 300; i++) {
            List<String> steps = new ArrayList<>();
            StringBuilder text = new StringBuilder("- id: s\n  steps:\n");
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                String tool = tools.get(random.nextInt(2));
                int times = 1 + random.nextInt(3);
                steps.addAll(java.util.Collections.nCopies(times, tool));
                text.append("    - {on: {tools: ")
                        .append(tool)
                        .append("}, times: ")
                        .append(times)
                        .append("}\n");
            }
            boolean unless = steps.size() > 1 && random.nextBoolean();
            text.append(unless ? "  unless: {on: {tools: read}}\n" : "");
            Life life = new Life(text.toString());
            List<String> history = new ArrayList<>();
            for (int n = 0; n < 40; n++) {
                String tool = tools.get(random.nextInt(random.nextInt(4) == 0 ? 3 : 2));
                boolean last = tool.equals(steps.get(steps.size() - 1)) && holds(steps, history, unless);

                assertEquals(
                        last,
                        !life.said(tool.equals("read") ? "hr" : "mail", tool).isEmpty(),
                        text + " " + history);
                life.done(tool.equals("read") ? "hr" : "mail", tool);
                history.add(tool);
                met.merge(last, 1, Integer::sum);
            }
        }
        assertTrue(met.get(true) > 1000 && met.get(false) > 1000, "both are met: " + met);
    }

    /** Returns whether all steps but the last stand in that order in what happened since the last excuse. */
    private static boolean holds(List<String> steps, List<String> history, boolean unless) {
        List<String> since = unless ? history.subList(history.lastIndexOf("read") + 1, history.size()) : history;
        int found = 0;
        for (String each : since) {
            if (found < steps.size() - 1 && each.equals(steps.get(found))) {
                found++;
            }
        }
        return found == steps.size() - 1;
    }
}
