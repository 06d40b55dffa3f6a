package dev.sluice.policy;

import dev.sluice.labels.Label;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The sequences of a policy: what each says of a call, and how far an event takes a session. */
final class Sequences {

    private final List<Sequence> all;
    private final Map<String, Audience> audiences;
    private final Set<String> asked = new TreeSet<>();

    Sequences(List<Sequence> all, Map<String, Audience> audiences) {
        this.all = all;
        this.audiences = audiences;
        for (Sequence sequence : all) {
            sequence.steps().forEach(this::ask);
            ask(sequence.unless());
            ask(sequence.until());
        }
    }

    private void ask(Sequence.@Nullable Step step) {
        Expression when = step == null ? null : step.when();
        if (when != null) {
            asked.addAll(when.audiences());
        }
    }

    /** Returns what an event of this call is, for those that come with its answer. */
    Occurrence occurrence(Call call, ToolProfile profile, Set<AudienceMember> audience, Label carried) {
        return all.isEmpty()
                ? Occurrence.NONE
                : new Occurrence(
                        profile,
                        () -> CallVariables.of(profile, call.arguments(), carried, audience, audiences, asked),
                        call.circumstances());
    }

    /** Returns what the sequences say of a call: those in which only the last step is missing, and this is it. */
    java.util.Collection<Violation> violations(Circumstances circumstances, Occurrence call) {
        // By id: two violations of one sequence would say the same.
        Map<String, Violation> violations = new java.util.LinkedHashMap<>();
        for (Sequence sequence : all) {
            if (circumstances.state(sequence) == sequence.unknown()) {
                Sequence.Step last = sequence.at(sequence.unknown());
                try {
                    if (call.is(last)) {
                        violations.put(sequence.id(), violated(sequence, circumstances));
                    }
                } catch (Expression.Failure e) {
                    violations.put(sequence.id(), erring(sequence, e));
                }
            }
        }
        return violations.values();
    }

    /** Returns the states that a call changes when it is let through. */
    Map<String, Integer> called(Circumstances circumstances, Occurrence call) {
        Map<String, Integer> changed = new HashMap<>();
        for (Sequence sequence : all) {
            int state = circumstances.state(sequence);
            Sequence.Step next = sequence.at(Math.max(0, state));
            if (state != Sequence.OVER && next.answer() == null && call.mayBe(next)) {
                change(changed, sequence, circumstances, state + 1);
            }
            if (isCounted(sequence, call)) {
                count(changed, sequence, circumstances);
            }
        }
        return changed;
    }

    /** Whatever it is that comes next: what is read once more is not excused by what was called before that. */
    private static boolean isCounted(Sequence sequence, Occurrence call) {
        return sequence.unless() != null
                && sequence.early().anyMatch(step -> step.answer() == null && call.mayBe(step));
    }

    private static boolean isCounted(Sequence sequence, Occurrence call, Label label) {
        return sequence.unless() != null
                && sequence.early().anyMatch(step -> step.answer() != null && call.mayHaveBeen(step, label));
    }

    private static void count(Map<String, Integer> changed, Sequence sequence, Circumstances circumstances) {
        changed.put(sequence.counter(), (circumstances.count(sequence) + 1) & Integer.MAX_VALUE);
    }

    /** Returns whether no step was taken since the call, but by the call itself. */
    private static boolean isQuietSince(Occurrence call, Sequence sequence, Circumstances now) {
        int own = isCounted(sequence, call) ? 1 : 0;
        return call.stateBefore(sequence) == now.state(sequence)
                && ((call.countBefore(sequence) + own) & Integer.MAX_VALUE) == now.count(sequence);
    }

    /**
     * Returns the states that an answer changes.
     *
     * @param well whether the call did what it was asked: only then it excuses anything
     */
    Map<String, Integer> answered(Circumstances circumstances, Occurrence call, Label label, boolean well) {
        Map<String, Integer> changed = new HashMap<>();
        for (Sequence sequence : all) {
            int state = circumstances.state(sequence);
            Sequence.Step next = sequence.at(Math.max(0, state));
            if (state == Sequence.OVER) {
                continue;
            }
            if (well && call.surelyWas(sequence.until(), label)) {
                change(changed, sequence, circumstances, Sequence.OVER);
            } else if (well
                    && call.surelyWas(sequence.unless(), label)
                    && isQuietSince(call, sequence, circumstances)) {
                // Where the session went on meanwhile, it was not called in between.
                change(changed, sequence, circumstances, 0);
            } else if (next.answer() != null && call.mayHaveBeen(next, label)) {
                change(changed, sequence, circumstances, state + 1);
            }
            if (isCounted(sequence, call, label)) {
                count(changed, sequence, circumstances);
            }
        }
        return changed;
    }

    private static void change(
            Map<String, Integer> changed, Sequence sequence, Circumstances circumstances, int state) {
        int kept = Math.min(state, sequence.unknown());
        Integer before = circumstances.sequences().get(sequence.automaton());
        if (before == null || before != kept) {
            changed.put(sequence.automaton(), kept);
        }
    }

    private static Violation violated(Sequence sequence, Circumstances circumstances) {
        String reason = "the sequence `" + sequence.id() + "` of the policy "
                + (sequence.then() == Strength.DENY ? "forbids this call" : "wants a person to look at this call")
                + " after what was called before"
                + (sequence.because().isEmpty() ? "" : ": " + sequence.because());
        boolean known = circumstances.sequences().containsKey(sequence.automaton());
        return new Violation(
                Control.SEQUENCE,
                "sequence",
                sequence.then(),
                reason,
                reason + (known ? "" : " (it began after the session did, so all may have been called before)"),
                List.of(),
                sequence.id());
    }

    private static Violation erring(Sequence sequence, Expression.Failure failure) {
        String reason = "the sequence `" + sequence.id() + "` of the policy could not be evaluated for this call";
        return new Violation(
                Control.SEQUENCE,
                "erring-rule",
                Strength.DENY,
                reason,
                reason + ": " + failure.getMessage(),
                List.of(),
                sequence.id());
    }
}
