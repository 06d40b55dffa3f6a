package dev.sluice.policy;

import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls that must not follow one another: steps that a session may go through, up to the last, which is the call that is
 * decided.
 *
 * <p>The steps need not be next to each other. How far a session has come is one number, so an event costs the same however
 * long the session is. The farther, the stricter: of two numbers that may be right, the larger is. Where something takes a session back, the events are counted too, so that it excuses none that came after it
 * was called.
 *
 * @param id its name, unlike that of any control or rule
 * @param steps what comes one after the other; the last waits for no answer
 * @param unless what takes a session back to the beginning; null where nothing does
 * @param until what ends the sequence for a session; null where nothing does
 * @param then {@link Strength#ASK} or {@link Strength#DENY}
 * @param because why, in the operator's words; empty where nobody said
 */
public record Sequence(
        String id,
        List<Step> steps,
        @Nullable Step unless,
        @Nullable Step until,
        Strength then,
        String because) {

    /** How far a session is in which {@link #until} came: nothing follows any more. */
    public static final int OVER = -1;

    /**
     * Which events a step is about.
     *
     * @param on which calls
     * @param when true of the call; null for every one
     * @param answer true of what came back; null where the step is taken by the call alone
     * @param times how many such events it takes, at least 1
     */
    public record Step(
            Rule.Selector on,
            @Nullable Expression when,
            @Nullable Expression answer,
            int times) {

        /** Returns whether this and {@code other} are about the same events, however many. */
        boolean isAboutTheSame(@Nullable Step other) {
            return other != null
                    && on.equals(other.on)
                    && java.util.Objects.equals(when, other.when)
                    && java.util.Objects.equals(answer, other.answer);
        }
    }

    public Sequence {
        steps = List.copyOf(steps);
    }

    /** Returns how many events it takes, the last of which is the call that is decided. */
    public int length() {
        return steps.stream().mapToInt(Step::times).sum();
    }

    /** Returns the state of a session of which nobody knows how far it has come: all may have happened. */
    public int unknown() {
        return length() - 1;
    }

    /** Returns the name of its states: another one where the states mean something else. */
    public String automaton() {
        StringBuilder text = new StringBuilder();
        text.append(steps.size()).append(';');
        steps.forEach(step -> add(text, step));
        add(text, unless);
        add(text, until);
        return Digest.sha256(text.toString().getBytes(StandardCharsets.UTF_8)).text();
    }

    /** Each part after its length: names and expressions may hold any sign, and two sequences must not read the same. */
    private static void add(StringBuilder text, @Nullable Step step) {
        if (step == null) {
            text.append('-');
            return;
        }
        add(text, step.on().servers());
        add(text, step.on().tools());
        add(text, step.on().effects().stream().map(Effect::name).toList());
        add(text, step.when() == null ? List.of() : List.of(step.when().text()));
        add(text, step.answer() == null ? List.of() : List.of(step.answer().text()));
        text.append(step.times()).append(';');
    }

    private static void add(StringBuilder text, Collection<String> parts) {
        text.append(parts.size()).append(';');
        parts.forEach(part -> text.append(part.length()).append(':').append(part));
    }

    /** Returns the name of the number of events that may have been a step before the last call. */
    String counter() {
        return automaton() + "#";
    }

    /** Returns the steps that events before the last call can take. */
    Stream<Step> early() {
        int last = steps.size() - 1;
        return steps.get(last).times() > 1 ? steps.stream() : steps.stream().limit(last);
    }

    /** Returns the step that is waited for in {@code state}. */
    Step at(int state) {
        int left = state;
        for (Step step : steps) {
            if (left < step.times()) {
                return step;
            }
            left -= step.times();
        }
        return steps.get(steps.size() - 1);
    }
}
