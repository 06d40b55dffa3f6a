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

    /** Most classes that one result may name by itself: a label stays with its session for good. */
    static final int MOST_CLASSES = 256;

    /** What a class or a regulation is called that can't be kept or that nobody here knows. */
    private static final String UNKNOWN = "unknown";

    /** Takes a copy of the classes. */
    public Claims {
        classes = Collections.unmodifiableSortedSet(new TreeSet<>(classes));
    }

    /**
     * Returns what a result claims by itself; kinds of SEP-2061 become the classes of the same name. A scope that can't be
     * kept in a label, and what is over {@value #MOST_CLASSES} classes, becomes {@code unknown}.
     */
    public static Claims of(ResultClaims result) {
        SortedSet<DataClass> classes = new TreeSet<>();
        for (Sensitivity kind : result.kinds()) {
            for (DataClass each : classes(kind)) {
                classes.add(classes.size() < MOST_CLASSES - 1 ? each : DataClass.of(UNKNOWN));
            }
        }
        return new Claims(result.untrusted(), result.sensitive(), classes);
    }

    private static Collection<DataClass> classes(Sensitivity kind) {
        SortedSet<DataClass> classes = new TreeSet<>();
        switch (kind.kind()) {
            case NONE -> {}
            case USER, PII, FINANCIAL, CREDENTIALS ->
                classes.add(DataClass.of(kind.kind().name()));
            case REGULATED ->
                kind.scopes()
                        .forEach(scope ->
                                classes.add(new DataClass("regulated", DataClass.isName(scope) ? scope : UNKNOWN, "")));
            case UNRECOGNIZED -> classes.add(DataClass.of(UNKNOWN));
        }
        return classes;
    }
}
