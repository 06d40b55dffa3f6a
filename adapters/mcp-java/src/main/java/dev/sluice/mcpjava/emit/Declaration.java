package dev.sluice.mcpjava.emit;

import dev.sluice.wire.ActionMetadata;
import dev.sluice.wire.Claim;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Dimension;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity;
import dev.sluice.wire.TrustAnnotations;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a tool declares of its calls and results, checked. Immutable.
 *
 * <p>It has two effects: the tool's definition says it, and a result whose label says more is not sent: sensitive or
 * untrusted where that is excluded, or of a kind or under a regime that is not declared, in the words of SEP-2061. Classes
 * of other vocabularies can't be compared, nor can records that don't stand in their references. A result without a label
 * gets the worst of what is declared, records included, and what a label leaves unsaid is said so too; never is it claimed
 * that a result is harmless, which only its maker can know.
 */
public final class Declaration {

    private final ActionMetadata metadata;

    private Declaration(ActionMetadata metadata) {
        this.metadata = metadata;
    }

    /** Begins a declaration for a tool that is built by hand. */
    public static Builder builder() {
        return new Builder("a tool");
    }

    /**
     * Returns what stands on a method as {@link Action} and {@link Returns}.
     *
     * @throws IllegalArgumentException where one of them is missing or says what makes no sense
     */
    public static Declaration of(Method method) {
        String name = "`" + method.getName() + "`";
        Action action = method.getAnnotation(Action.class);
        Returns returns = method.getAnnotation(Returns.class);
        if (action == null || returns == null) {
            throw new IllegalArgumentException("the method " + name + " has no `@"
                    + (action == null ? "Action" : "Returns") + "`: a tool declares both, put it on the method");
        }
        Builder builder = new Builder("the tool of the method " + name)
                .destination(action.destination())
                .accepts(action.accepts())
                .outcome(action.outcome())
                .source(returns.source())
                .returns(returns.sensitivity());
        if (action.acceptsRegulated().length > 0) {
            builder.acceptsRegulated(action.acceptsRegulated());
        }
        if (returns.regulated().length > 0) {
            builder.returnsRegulated(returns.regulated());
        }
        return (action.requiresReview() ? builder.requiresReview() : builder).build();
    }

    /** Returns what is declared. */
    public ActionMetadata metadata() {
        return metadata;
    }

    /** Returns the {@code _meta} that says it, for a tool that has no other. */
    public Map<String, Object> meta() {
        return meta(null, "a tool");
    }

    /**
     * Returns {@code _meta} of a tool with what is declared in it.
     *
     * @throws IllegalArgumentException where it is declared already, otherwise
     */
    Map<String, Object> meta(@Nullable Map<String, Object> present, String tool) {
        Map<String, Object> meta = present == null ? new LinkedHashMap<>() : new LinkedHashMap<>(present);
        Map<String, Object> own = PlainJson.map(metadata.encode());
        Object before = meta.put(ActionMetadata.KEY, own);
        if (before != null && !before.equals(own)) {
            throw new IllegalArgumentException(
                    "`" + tool + "` has other action metadata in its `_meta`: declare it once");
        }
        return meta;
    }

    /**
     * Refuses hints of MCP that say the opposite.
     *
     * @throws IllegalArgumentException where one does
     */
    void check(String tool, @Nullable Boolean readOnly, @Nullable Boolean openWorld) {
        Set<Outcome> outcomes = metadata.outcome().values();
        if (Boolean.TRUE.equals(readOnly) && !outcomes.equals(Set.of(Outcome.BENIGN))) {
            throw contradiction(
                    tool,
                    "readOnlyHint",
                    "true",
                    "outcome",
                    metadata.gravestOutcome().map(Outcome::wire));
        }
        if (Boolean.FALSE.equals(openWorld)
                && metadata.input().destination().values().contains(Destination.PUBLIC)) {
            throw contradiction(tool, "openWorldHint", "false", "destination", Optional.of(Destination.PUBLIC.wire()));
        }
        if (Boolean.FALSE.equals(openWorld) && isOpen()) {
            throw contradiction(
                    tool, "openWorldHint", "false", "source", Optional.of(DataSource.UNTRUSTED_PUBLIC.wire()));
        }
    }

    private static IllegalArgumentException contradiction(
            String tool, String hint, String value, String member, Optional<String> declared) {
        return new IllegalArgumentException("`" + tool + "` has `" + hint + "` " + value + " and declares the " + member
                + " `" + declared.orElse("") + "`: only one of them can be so");
    }

    /**
     * Returns a result as it may be sent: with the declared label where it has none.
     *
     * @param <R> the SDK's type of results
     * @throws IllegalStateException where its label says what the tool declares never to return, or contradicts itself
     */
    <R> R admit(String tool, Outgoing<R> outgoing) {
        PresentLabels present = PresentLabels.read(outgoing);
        check(tool, present);
        List<EvidenceRecord> records = PresentLabels.sensitive(present.whole()) == Claim.FALSE ? List.of() : records();
        boolean untrusted = isOpen() && PresentLabels.untrusted(present.whole()) != Claim.FALSE;
        Map<String, Object> meta = outgoing.meta();
        if (meta != null && meta.get(TrustAnnotations.KEY) instanceof Map<?, ?> label) {
            Map<Object, Object> filled = new LinkedHashMap<>(label);
            if (!records.isEmpty()) {
                filled.putIfAbsent("sensitive", true);
            }
            if (untrusted) {
                filled.putIfAbsent("untrusted", true);
            }
            Map<String, Object> changed = new LinkedHashMap<>(meta);
            changed.put(TrustAnnotations.KEY, filled);
            return filled.equals(label) ? outgoing.result() : outgoing.withMeta(changed);
        }
        if (records.isEmpty() && !untrusted) {
            return outgoing.result();
        }
        Labels<R> label = new Labels<>(outgoing);
        records.forEach(label::evidence);
        return (untrusted ? label.untrusted() : label).build();
    }

    private void check(String tool, PresentLabels present) {
        if (present.isSensitive() && metadata.returns().sensitivity().values().equals(Set.of(Sensitivity.NONE))) {
            throw new IllegalStateException(
                    "`" + tool + "` declares that it returns nothing sensitive, and this result is"
                            + " labelled sensitive: declare in `sensitivity` what it may return; the result is not sent");
        }
        if (present.isUntrusted() && !isOpen()) {
            throw new IllegalStateException("`" + tool + "` declares no source `untrustedPublic`, and this result is"
                    + " labelled untrusted: declare it in `source`; the result is not sent");
        }
        Optional<String> beyond =
                new ReturnedKinds(metadata.returns().sensitivity().values()).beyond(present);
        if (beyond.isPresent()) {
            throw new IllegalStateException("`" + tool + "` " + beyond.get());
        }
        if (present.isSensitive() && present.deniesSensitive()) {
            throw twoMinds(tool, "not sensitive", "sensitive");
        }
        if (present.isUntrusted() && present.deniesUntrusted()) {
            throw twoMinds(tool, "trusted", "untrusted");
        }
    }

    private static IllegalStateException twoMinds(String tool, String denied, String said) {
        return new IllegalStateException(
                "a result of `" + tool + "` calls itself " + denied + ", and itself or a part of it " + said
                        + " in another of its labels: leave out which of them is wrong; the result is not sent");
    }

    /**
     * Refuses a definition that declares nothing.
     *
     * @param mend what would have declared it
     * @throws IllegalArgumentException where it has no action metadata
     */
    static void requireDeclared(String tool, @Nullable Map<String, Object> meta, String mend) {
        if (meta == null || !meta.containsKey(ActionMetadata.KEY)) {
            throw new IllegalArgumentException("the tool `" + tool + "` declares nothing: make it with `" + mend + "`");
        }
    }

    private boolean isOpen() {
        return metadata.returns().source().values().contains(DataSource.UNTRUSTED_PUBLIC);
    }

    /** Returns a record for each kind of data that may be there; the kinds are classes of the same names. */
    private List<EvidenceRecord> records() {
        List<EvidenceRecord> records = new ArrayList<>();
        for (Sensitivity kind : metadata.returns().sensitivity().values()) {
            if (!kind.equals(Sensitivity.NONE)) {
                records.add(EvidenceRecord.dataClass(
                        kind.kind().name().toLowerCase(Locale.ROOT),
                        kind.scopes().toArray(String[]::new)));
            }
        }
        return records;
    }

    /** Puts a declaration together. All of destination, accepts, outcome, source and returns must be stated. */
    public static final class Builder {

        private final String what;
        private final Set<Destination> destination = new LinkedHashSet<>();
        private final Set<Sensitivity> accepts = new LinkedHashSet<>();
        private final Set<Outcome> outcome = new LinkedHashSet<>();
        private final Set<DataSource> source = new LinkedHashSet<>();
        private final Set<Sensitivity> returns = new LinkedHashSet<>();
        private Claim requiresReview = Claim.ABSENT;

        private Builder(String what) {
            this.what = what;
        }

        /** Says who can see the arguments afterwards; any of these where there are several. */
        public Builder destination(Destination... possible) {
            destination.addAll(List.of(possible));
            return this;
        }

        /** Says what the tool accepts in the arguments; regulated data by {@link #acceptsRegulated}. */
        public Builder accepts(Sensitivity.Kind... kinds) {
            add(accepts, kinds, "acceptsRegulated");
            return this;
        }

        /** Says under which regimes data is that the tool accepts. */
        public Builder acceptsRegulated(String... scopes) {
            accepts.add(regulated("acceptsRegulated", scopes));
            return this;
        }

        /** Says what a call can do to the world; any of these where there are several. */
        public Builder outcome(Outcome... possible) {
            outcome.addAll(List.of(possible));
            return this;
        }

        /** Says that a human should confirm each call. */
        public Builder requiresReview() {
            requiresReview = Claim.TRUE;
            return this;
        }

        /** Says where results come from; any of these where there are several. */
        public Builder source(DataSource... possible) {
            source.addAll(List.of(possible));
            return this;
        }

        /** Says what may be in results; regulated data by {@link #returnsRegulated}. */
        public Builder returns(Sensitivity.Kind... kinds) {
            add(returns, kinds, "returnsRegulated");
            return this;
        }

        /** Says under which regimes data is that may be in results. */
        public Builder returnsRegulated(String... scopes) {
            returns.add(regulated("returnsRegulated", scopes));
            return this;
        }

        private void add(Set<Sensitivity> to, Sensitivity.Kind[] kinds, String regulated) {
            for (Sensitivity.Kind kind : kinds) {
                switch (kind) {
                    case NONE, USER, PII, FINANCIAL, CREDENTIALS -> to.add(new Sensitivity(kind, Set.of(), ""));
                    case REGULATED ->
                        throw new IllegalArgumentException(
                                what + " names regulated data without its regimes: name them in `" + regulated + "`");
                    case UNRECOGNIZED ->
                        throw new IllegalArgumentException(
                                what + " names data of a kind that is not recognised, which only"
                                        + " a reader can find: name its kind");
                }
            }
        }

        private Sensitivity regulated(String member, String... scopes) {
            Set<String> names = new LinkedHashSet<>(List.of(scopes));
            if (names.isEmpty() || names.stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException(
                        what + " has no regime in `" + member + "`, or an empty one: name each, such as `HIPAA`");
            }
            return Sensitivity.regulated(names);
        }

        /**
         * Returns the declaration.
         *
         * @throws IllegalArgumentException where one of the matters is not stated; SEP-1913 demands them all
         */
        public Declaration build() {
            require("destination", destination, "who can see the arguments afterwards");
            require("accepts", accepts, "what the arguments may hold, `NONE` at least");
            require("outcome", outcome, "what a call can do");
            require("source", source, "where results come from");
            require("returns", returns, "what results may hold, `NONE` at least");
            return new Declaration(new ActionMetadata(
                    new ActionMetadata.Input(Dimension.of(destination), Dimension.of(accepts), Map.of()),
                    new ActionMetadata.Returns(Dimension.of(source), Dimension.of(returns), Map.of()),
                    Dimension.of(outcome),
                    requiresReview,
                    Map.of()));
        }

        private void require(String member, Set<?> stated, String meaning) {
            if (stated.isEmpty()) {
                throw new IllegalArgumentException(
                        what + " does not say in `" + member + "` " + meaning + ": state it");
            }
        }
    }
}
