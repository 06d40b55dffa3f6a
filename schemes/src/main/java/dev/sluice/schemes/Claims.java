package dev.sluice.schemes;

import dev.sluice.labels.DataClass;
import dev.sluice.wire.Claim;
import dev.sluice.wire.ResultClaims;
import dev.sluice.wire.Sensitivity;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What is claimed of data, in the words of labels.
 *
 * @param untrusted whether somebody outside may have written it
 * @param sensitive whether it must not be shown to everybody
 * @param classes which kinds of data it holds; none where nothing is said
 */
public record Claims(Claim untrusted, Claim sensitive, SortedSet<DataClass> classes) {

    /** Nothing is claimed. */
    public static final Claims NONE = new Claims(Claim.ABSENT, Claim.ABSENT, new TreeSet<>());

    /** The strictest that can be claimed without naming a class. */
    public static final Claims STRICTEST = new Claims(Claim.TRUE, Claim.TRUE, new TreeSet<>());

    /** Takes a copy of the classes. */
    public Claims {
        classes = Collections.unmodifiableSortedSet(new TreeSet<>(classes));
    }

    /** Returns what a result claims by itself; kinds of SEP-2061 become the classes of the same name. */
    public static Claims of(ResultClaims result) {
        SortedSet<DataClass> classes = new TreeSet<>();
        result.kinds().forEach(kind -> classes.addAll(classes(kind)));
        return new Claims(result.untrusted(), result.sensitive(), classes);
    }

    private static Collection<DataClass> classes(Sensitivity kind) {
        SortedSet<DataClass> classes = new TreeSet<>();
        switch (kind.kind()) {
            case NONE -> {}
            case USER, PII, FINANCIAL, CREDENTIALS ->
                classes.add(DataClass.of(kind.kind().name()));
            case REGULATED -> kind.scopes().forEach(scope -> classes.add(new DataClass("regulated", scope, "")));
            case UNRECOGNIZED -> classes.add(DataClass.of("unknown"));
        }
        return classes;
    }
}
