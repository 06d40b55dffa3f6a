package dev.sluice.store;

import java.time.Instant;
import java.util.Optional;

/**
 * Values that a session's agent has not seen, by handles. They go when their session ends.
 */
public interface VariableStore {

    /**
     * One value.
     *
     * @param session the session whose handle it is; no other session finds it
     * @param id the handle; unlike any other ever given
     * @param value the value, as JSON text
     * @param about its label and where it came from, as text of whoever keeps it
     * @param at when it came in
     */
    record Variable(String session, String id, String value, String about, Instant at) {

        /** Returns what this takes up of a session's room, in characters. */
        public long size() {
            return (long) value.length() + about.length();
        }
    }

    /**
     * What the values of one session take up.
     *
     * @param count how many there are
     * @param size their {@link Variable#size} together
     */
    record Room(long count, long size) {}

    /** Returns the value of a handle in that session; empty where that session was never given it, or ended. */
    Optional<Variable> find(String session, String id);

    /** Returns what the values of a session take up. */
    Room taken(String session);

    /**
     * Keeps a value.
     *
     * @throws StoreException where the handle was given before, or the session is not live
     */
    void keep(Variable variable);
}
