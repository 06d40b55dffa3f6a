package dev.sluice.policy;

import java.util.Map;

/**
 * What a decision depends on besides the call and the label of its session. What is missing counts as the stricter.
 *
 * @param readers who may read resources, as far as it was asked
 * @param sequences how far the session is in each sequence, by {@link Sequence#automaton}, and how many of its
 *     events there were
 */
public record Circumstances(ResolvedReaders readers, Map<String, Integer> sequences) {

    /** Nothing is known. */
    public static final Circumstances UNKNOWN = new Circumstances(ResolvedReaders.NONE, Map.of());

    public Circumstances {
        sequences = Map.copyOf(sequences);
    }

    /** Returns how far the session is in {@code sequence}. */
    int state(Sequence sequence) {
        int state = sequences.getOrDefault(sequence.automaton(), sequence.unknown());
        return state < Sequence.OVER || state > sequence.unknown() ? sequence.unknown() : state;
    }

    /** Returns how many events there were that may have been a step of {@code sequence} before its last call. */
    int count(Sequence sequence) {
        return sequences.getOrDefault(sequence.counter(), 0);
    }
}
