package dev.sluice.guard;

import dev.sluice.policy.Circumstances;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ResolvedReaders;
import dev.sluice.policy.Sequence;
import dev.sluice.store.SequenceStore.Farthest;
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
        if (policy.sequences().isEmpty() || others.isEmpty()) {
            return;
        }
        Map<String, Integer> states = tx.sequences().of(session.id());
        Map<String, Farthest> farthest = farthest(tx, others);
        for (Sequence sequence : policy.sequences()) {
            int own = states.getOrDefault(sequence.automaton(), sequence.unknown());
            int most = farthest(farthest, sequence, others.size());
            if (most > own) {
                tx.sequences().put(session.id(), sequence.automaton(), most);
            }
        }
    }

    private static Map<String, Farthest> farthest(Transaction tx, List<Session> of) {
        return tx.sequences().farthest(of.stream().map(Session::id).toList());
    }

    /** Where it is not known of one of {@code sessions} how far it is, that one may be as far as can be. */
    private static int farthest(Map<String, Farthest> known, Sequence sequence, int sessions) {
        Farthest farthest = known.getOrDefault(sequence.automaton(), new Farthest(Sequence.OVER, 0));
        return farthest.sessions() < sessions ? Math.max(farthest.state(), sequence.unknown()) : farthest.state();
    }

    /**
     * Notes that a session begins, which has come as far as the farthest of those from which it begins.
     *
     * @param from the sessions whose labels it begins with
     */
    static void begin(Transaction tx, Policy policy, Session session, List<Session> from) {
        if (policy.sequences().isEmpty()) {
            return;
        }
        Map<String, Farthest> farthest = from.isEmpty() ? Map.of() : farthest(tx, from);
        for (Sequence sequence : policy.sequences()) {
            int most = from.isEmpty() ? 0 : farthest(farthest, sequence, from.size());
            tx.sequences().put(session.id(), sequence.automaton(), most);
        }
    }
}
