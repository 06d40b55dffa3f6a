package dev.sluice.labels;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The sources that restrict who may read: the more sources, the fewer readers.
 *
 * <p>Public is the empty set and the identity of the join (ruling D-IFC-1): mixing private data with public data gives
 * private data. The permitted readers are the intersection over the sources and are resolved only when a decision is
 * made.
 */
public record Confidentiality(SortedSet<Source> sources) {

    private static final int FEW = 8;

    /** What anybody may read. */
    public static final Confidentiality PUBLIC = new Confidentiality(new TreeSet<>());

    public Confidentiality {
        sources = Collections.unmodifiableSortedSet(new TreeSet<>(sources));
    }

    /** Returns what only those may read whom every one of {@code sources} permits. */
    public static Confidentiality of(Source... sources) {
        return new Confidentiality(new TreeSet<>(Arrays.asList(sources)));
    }

    /** Returns what only those may read whom every one of {@code sources} permits. */
    public static Confidentiality of(Collection<Source> sources) {
        return new Confidentiality(new TreeSet<>(sources));
    }

    /** Returns whether anybody may read it. */
    public boolean isPublic() {
        return sources.isEmpty();
    }

    /** Returns whether this may stand where {@code other} is expected, without looking up any reader. */
    public boolean canFlowTo(Confidentiality other) {
        return other.sources.size() <= FEW ? isAmongFew(other.sources) : other.sources.containsAll(sources);
    }

    /** To look through a few by what they are costs less than to order them by their texts, which are made for that. */
    private boolean isAmongFew(SortedSet<Source> few) {
        for (Source source : sources) {
            if (!isAmong(few, source)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAmong(SortedSet<Source> few, Source source) {
        for (Source each : few) {
            if (each.equals(source)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the confidentiality of mixed data: all sources of both. */
    public Confidentiality join(Confidentiality other) {
        if (other.canFlowTo(this)) {
            return this;
        }
        if (canFlowTo(other)) {
            return other;
        }
        SortedSet<Source> union = new TreeSet<>(sources);
        union.addAll(other.sources);
        return new Confidentiality(union);
    }
}
