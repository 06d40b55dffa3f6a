package dev.sluice.policy;

import dev.sluice.labels.Label;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call, or one message that came by itself, as the steps of sequences ask about it. */
public final class Occurrence {

    /** An event that no sequence asks about. */
    public static final Occurrence NONE = new Occurrence(null, null, Circumstances.UNKNOWN);

    /** The server whose tool this is an event of, where it is not known of which. */
    private final @Nullable String anyOf;

    private final @Nullable ToolProfile profile;
    private final @Nullable Supplier<Map<String, Object>> variables;
    private final Circumstances before;
    private @Nullable Map<String, Object> made;

    Occurrence(@Nullable ToolProfile profile, @Nullable Supplier<Map<String, Object>> variables, Circumstances before) {
        this(profile, variables, before, null);
    }

    private Occurrence(
            @Nullable ToolProfile profile,
            @Nullable Supplier<Map<String, Object>> variables,
            Circumstances before,
            @Nullable String anyOf) {
        this.anyOf = anyOf;
        this.profile = profile;
        this.variables = variables;
        this.before = before;
    }

    /** Returns the event of a message that a server sent by itself; of a call it knows nothing. */
    public static Occurrence message(String server, String method) {
        return new Occurrence(
                ToolProfiles.resolve(ToolDefinition.unlisted(server, method), ToolStatement.READ, false),
                null,
                Circumstances.UNKNOWN);
    }

    /** Returns the event of an answer of whose call only the server is known. */
    public static Occurrence ofAnyTool(String server) {
        return new Occurrence(null, null, Circumstances.UNKNOWN, server);
    }

    /** Returns how far the session was in {@code sequence} when this was called. */
    int stateBefore(Sequence sequence) {
        return before.state(sequence);
    }

    /** Returns how many events of {@code sequence} there were when this was called. */
    int countBefore(Sequence sequence) {
        return before.count(sequence);
    }

    /**
     * Returns whether this is a call of {@code step}, whatever its answer.
     *
     * @throws Expression.Failure where that can't be evaluated
     */
    boolean is(Sequence.Step step) throws Expression.Failure {
        return profile != null
                && step.on().matches(profile)
                && (step.when() == null || holds(step.when(), variables()));
    }

    /** Returns whether this is a call of {@code step}, or that can't be known. */
    boolean mayBe(Sequence.Step step) {
        if (anyOf != null) {
            return step.on().mayBeOf(anyOf);
        }
        try {
            boolean unknown = variables == null && profile != null && step.on().matches(profile);
            return unknown || is(step);
        } catch (Expression.Failure e) {
            return true;
        }
    }

    /** Returns whether this is a call of {@code step} with such an answer, or that can't be known. */
    boolean mayHaveBeen(Sequence.Step step, Label label) {
        try {
            return mayBe(step) && (step.answer() == null || holds(step.answer(), answer(label)));
        } catch (Expression.Failure e) {
            return true;
        }
    }

    /** Returns whether this is surely a call of {@code step} with such an answer. */
    boolean surelyWas(Sequence.@Nullable Step step, Label label) {
        try {
            return step != null
                    && variables != null
                    && is(step)
                    && (step.answer() == null || holds(step.answer(), answer(label)));
        } catch (Expression.Failure e) {
            return false;
        }
    }

    private synchronized Map<String, Object> variables() {
        if (made == null) {
            made = variables == null ? Map.of() : variables.get();
        }
        return made;
    }

    private static Map<String, Object> answer(Label label) {
        return Map.of("answer", Map.of("label", CallVariables.label(label)));
    }

    private static boolean holds(@Nullable Expression condition, Map<String, Object> variables)
            throws Expression.Failure {
        return condition != null && Rules.holds(condition, variables);
    }
}
