package dev.sluice.store;

import java.util.List;
import java.util.Map;

/**
 * How far each session is in sequences of calls, by the name of the automaton whose states these are.
 *
 * <p>What is not there is not known. States are kept as long as their session's record is.
 */
public interface SequenceStore {

    /** Returns the states of the session {@code id}; empty where none was ever put. */
    Map<String, Integer> of(String id);

    /**
     * How far the farthest of some sessions is.
     *
     * @param state the largest state
     * @param sessions of how many of them a state is known
     */
    record Farthest(int state, int sessions) {

        /** Returns the same with one session more. */
        Farthest and(Farthest other) {
            return new Farthest(Math.max(state, other.state), sessions + other.sessions);
        }
    }

    /**
     * Returns how far the farthest of the sessions {@code ids} is, by automaton; without those of which no state is known. It
     * costs one look at the store, however many sessions these are.
     *
     * @param ids without repetition
     */
    Map<String, Farthest> farthest(List<String> ids);

    /**
     * Notes how far the session {@code id} is, in place of what was noted before.
     *
     * @throws StoreException where no session has that id
     */
    void put(String id, String automaton, int state);
}
