package dev.sluice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads {@code sequences} of a policy, and refuses those that can never speak. */
final class SequencesReader {

    private static final int MOST_STEPS = 64;
    private static final int MOST_TIMES = 10_000;

    private final Expressions expressions;
    private final RulesReader rules;

    SequencesReader(Expressions expressions, RulesReader rules) {
        this.expressions = expressions;
        this.rules = rules;
    }

    List<Sequence> sequences(YamlMap root) {
        List<Sequence> all = new ArrayList<>();
        root.node("sequences")
                .ifPresent(list ->
                        root.items(list).forEach(item -> all.add(sequence(item, root.map(item, "a sequence")))));
        return all;
    }

    private Sequence sequence(Node item, YamlMap map) {
        String id = rules.id(map, item, "a sequence");
        List<Sequence.Step> steps = new ArrayList<>();
        map.node("steps")
                .ifPresent(list -> map.items(list).forEach(each -> steps.add(step(map.map(each, "a step"), true))));
        Sequence.Step unless = map.map("unless").map(step -> step(step, false)).orElse(null);
        Sequence.Step until = map.map("until").map(step -> step(step, false)).orElse(null);
        Strength then = map.choice("then", RulesReader.Then.class)
                .map(RulesReader.Then::strength)
                .orElse(Strength.DENY);
        String because = map.text("because").orElse("");
        map.end("a sequence");
        if (steps.isEmpty()) {
            map.problem(item, "a sequence needs `steps`, the last of which is the call that is decided");
            steps.add(new Sequence.Step(new Rule.Selector(Set.of(), Set.of(), Set.of()), null, null, 1));
        } else if (steps.size() > MOST_STEPS) {
            map.problem(map.node("steps").orElseThrow(), "a sequence can have " + MOST_STEPS + " steps at most");
        }
        Sequence sequence = new Sequence(id, steps, unless, until, then, because);
        check(map, sequence);
        return sequence;
    }

    private static void check(YamlMap map, Sequence sequence) {
        List<Sequence.Step> before =
                sequence.steps().subList(0, sequence.steps().size() - 1);
        if (sequence.at(sequence.unknown()).answer() != null) {
            map.problem(
                    map.node("steps").orElseThrow(),
                    "the last step is the call that is decided, before there is an answer; take its `answer` out");
        }
        if (sequence.unless() != null && sequence.length() == 1) {
            map.problem(
                    map.node("unless").orElseThrow(),
                    "`unless` takes a session back to the first step, and there is no other; write `until`, which ends"
                            + " the sequence");
        }
        for (String key : List.of("unless", "until")) {
            Sequence.Step excuse = key.equals("unless") ? sequence.unless() : sequence.until();
            if (before.stream().anyMatch(step -> step.isAboutTheSame(excuse))) {
                map.problem(
                        map.node(key).orElseThrow(),
                        "`" + key + "` is also one of the steps, so the sequence never gets beyond it; take one of both"
                                + " out");
            }
        }
    }

    private Sequence.Step step(YamlMap map, boolean counted) {
        Rule.Selector on = map.map("on")
                .map(each -> rules.selector(each, "step"))
                .orElse(new Rule.Selector(Set.of(), Set.of(), Set.of()));
        Expression when = condition(map, "when", Expressions.About.CALL).orElse(null);
        @Nullable
        Expression answer = condition(map, "answer", Expressions.About.ANSWER).orElse(null);
        int times = counted ? map.text("times").map(text -> times(map, text)).orElse(1) : 1;
        map.end(counted ? "a step" : "`unless` and `until`");
        return new Sequence.Step(on, when, answer, times);
    }

    private Optional<Expression> condition(YamlMap map, String key, Expressions.About about) {
        return map.node(key).flatMap(node -> map.expression(node, key, expressions, about, Expressions.Kind.TRUTH));
    }

    private static int times(YamlMap map, String text) {
        if (text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= MOST_TIMES) {
            return Integer.parseInt(text);
        }
        map.problem(
                map.node("times").orElseThrow(),
                "`times` can't be `" + text + "`; write a whole number from 1 to " + MOST_TIMES);
        return 1;
    }
}
