package dev.sluice.guard;

import dev.sluice.guard.provenance.Stretch;
import dev.sluice.labels.Label;
import dev.sluice.policy.Redaction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A text of which the operator says more in some stretches than of the rest.
 *
 * @param text the text
 * @param around what it is where no stretch says more
 * @param stretches where it is more than that, in order; none overlap
 */
record Spanned(String text, Label around, List<Stretch> stretches) {

    Spanned {
        stretches = List.copyOf(stretches);
    }

    /** What is left of a text, and what its parts are. */
    private record Left(String text, List<Stretch> parts) {

        Label label() {
            return parts.stream().map(Stretch::label).reduce(Label.BOTTOM, Label::join);
        }
    }

    /** Returns what all of the text is together. */
    Label label() {
        return stretches.stream().map(Stretch::label).reduce(around, Label::join);
    }

    /** Returns the join over the stretches that agents may have, be it behind a handle. */
    Label notRedacted(Fates fates) {
        return stretches.stream()
                .map(Stretch::label)
                .filter(label -> fates.of(label).rule() == null)
                .reduce(Label.BOTTOM, Label::join);
    }

    /** Returns the text as the agent gets it, with a marker or a handle for each stretch that goes. */
    String left(Fates fates, String place) {
        return left(
                        fates,
                        (stretch, rule) ->
                                rule != null ? fates.marker(rule).stringValue() : handle(stretch, fates, place))
                .text;
    }

    /** Returns the text as it may stand behind a handle: what a rule takes out has none. */
    String redacted(Fates fates) {
        return left(
                        fates.withoutHiding(),
                        (stretch, rule) ->
                                rule == null ? "" : fates.marker(rule).stringValue())
                .text;
    }

    /** Returns what is remembered of the text where it stays, which {@code like} says more of. */
    Part part(Fates fates, Part like) {
        Left left = left(fates, (stretch, rule) -> rule != null ? Fates.text(rule) : " ");
        Label label = left.label();
        boolean raised = label.integrity() != like.label().integrity();
        return new Part(left.text, label, like.vouched() && !raised, like.named() && !raised, left.parts);
    }

    private String handle(Stretch stretch, Fates fates, String place) {
        return fates.hidden()
                .map(hidden -> hidden.handle(
                        JsonNodeFactory.instance.stringNode(text.substring(stretch.from(), stretch.to())),
                        new Part("", stretch.label(), false),
                        place,
                        new KnownShape()))
                .orElse(Hidden.WITHHELD);
    }

    private Left left(Fates fates, BiFunction<Stretch, @Nullable Redaction, String> instead) {
        StringBuilder left = new StringBuilder();
        List<Stretch> parts = new ArrayList<>();
        int at = 0;
        Fate before = Fate.KEPT;
        for (Stretch stretch : stretches) {
            add(left, parts, text.substring(at, stretch.from()), around);
            Fate fate = fates.of(stretch.label());
            if (fate.isKept()) {
                add(left, parts, text.substring(stretch.from(), stretch.to()), stretch.label());
            } else if (fate.rule() == null
                    || at < stretch.from()
                    || !fate.equals(before)) { // one marker for what touches
                add(left, parts, instead.apply(stretch, fate.rule()), around);
            }
            before = fate;
            at = stretch.to();
        }
        add(left, parts, text.substring(at), around);
        return new Left(left.toString(), parts);
    }

    private static void add(StringBuilder left, List<Stretch> parts, String text, Label label) {
        if (!text.isEmpty()) {
            parts.add(new Stretch(left.length(), left.length() + text.length(), label));
            left.append(text);
        }
    }
}
