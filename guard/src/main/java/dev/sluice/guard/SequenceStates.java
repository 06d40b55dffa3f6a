package dev.sluice.guard;

import dev.sluice.policy.Circumstances;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ResolvedReaders;
import dev.sluice.policy.Sequence;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import java.util.List;
import java.util.Map;

/** How far sessions are in the sequences of a policy. A policy without sequences costs nothing here. */
final class SequenceStates {

    /** Stands where an automaton's name would while a session has begun and no policy counts in it yet. */
    private static final String UNJUDGED = "unjudged";

    private SequenceStates() {}

    /** Returns the circumstances of a decision for {@code session}. */
    static Circumstances of(Transaction tx, Policy policy, Session session, LookupNeeded.Asked asked) {
        return new Circumstances(
                new ResolvedReaders(asked.readers()),
                policy.sequences().isEmpty() ? Map.of() : tx.sequences().of(session.id()));
    }

    static void put(Transaction tx, Session session, Map<String, Integer> changed) {
        changed.forEach((automaton, state) -> tx.sequences().put(session.id(), automaton, state));
    }

    /** Notes that a session begins without a policy, and nothing can be called in it until it is {@link #opened}. */
    static void unjudged(Transaction tx, Session session) {
        tx.sequences().put(session.id(), UNJUDGED, 1);
    }

    /** Notes that calls are judged by {@code policy}: a session that nothing was called in begins so. */
    static void opened(Transaction tx, Policy policy, Session session) {
        if (tx.sequences().of(session.id()).getOrDefault(UNJUDGED, 0) == 1) {
            tx.sequences().put(session.id(), UNJUDGED, 0);
            begin(tx, policy, session, List.of());
        }
    }

    /** Notes that a session has come as far as the farthest of {@code others}, where it has not. */
    static void join(Transaction tx, Policy policy, Session session, List<Session> others) {
        for (Sequence sequence : policy.sequences()) {
            int own = state(tx, session, sequence);
            int farthest = own;
            for (Session other : others) {
                farthest = Math.max(farthest, state(tx, other, sequence));
            }
            if (farthest > own) {
                tx.sequences().put(session.id(), sequence.automaton(), farthest);
            }
        }
    }

    private static int state(Transaction tx, Session session, Sequence sequence) {
        return tx.sequences().of(session.id()).getOrDefault(sequence.automaton(), sequence.unknown());
    }

    /**
     * Notes that a session begins, which has come as far as the farthest of those from which it begins.
     *
     * @param from the sessions whose labels it begins with
     */
    static void begin(Transaction tx, Policy policy, Session session, List<Session> from) {
        for (Sequence sequence : policy.sequences()) {
            int farthest = from.isEmpty() ? 0 : Sequence.OVER;
            for (Session other : from) {
                farthest = Math.max(farthest, state(tx, other, sequence));
            }
            tx.sequences().put(session.id(), sequence.automaton(), farthest);
        }
    }
}
