package dev.sluice.store;

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
     * Notes how far the session {@code id} is, in place of what was noted before.
     *
     * @throws StoreException where no session has that id
     */
    void put(String id, String automaton, int state);
}
