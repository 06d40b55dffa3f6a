package dev.sluice.guard;

import dev.sluice.guard.provenance.Stretch;
import dev.sluice.labels.Label;
import java.util.List;

/**
 * One text of an answer.
 *
 * @param text the text, or a number as text
 * @param label what it is, all of it
 * @param vouched whether the operator says that the service itself made it
 * @param named whether it is also the only one that a call could give, of which the user named every argument
 * @param stretches what its parts are, in order and without gaps; empty where they are alike
 */
record Part(String text, Label label, boolean vouched, boolean named, List<Stretch> stretches) {

    Part {
        stretches = List.copyOf(stretches);
    }

    Part(String text, Label label, boolean vouched, boolean named) {
        this(text, label, vouched, named, List.of());
    }

    Part(String text, Label label, boolean vouched) {
        this(text, label, vouched, false);
    }

    /** Returns the same, with {@code more} in every label. */
    Part joined(Label more) {
        return new Part(
                text,
                label.join(more),
                vouched,
                named,
                stretches.stream()
                        .map(each ->
                                new Stretch(each.from(), each.to(), each.label().join(more)))
                        .toList());
    }
}
