package dev.sluice.labels;

import java.time.Instant;
import java.util.Comparator;

/**
 * One answer that brought a part of a label into a session.
 *
 * @param at when the answer was released
 * @param call the number of the call in the session's records, such as {@code c7}
 * @param server the upstream that answered
 * @param name what was called: a tool's name, or a method such as {@code resources/read}
 */
public record Origin(Instant at, String call, String server, String name) implements Comparable<Origin> {

    private static final Comparator<Origin> ORDER = Comparator.comparing(Origin::at)
            .thenComparing(Origin::call)
            .thenComparing(Origin::server)
            .thenComparing(Origin::name);

    @Override
    public int compareTo(Origin other) {
        return ORDER.compare(this, other);
    }
}
