package dev.sluice.store;

import dev.sluice.labels.SessionLabel;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What each session has seen.
 *
 * <p>Labels only grow. A session ends by {@link #end}; a later one under the same key is another
 * session and starts from what its opener says.
 */
public interface SessionStore {

    /** Returns the live session of {@code key}, or empty where there is none or it ended. */
    Optional<Session> live(String key);

    /** Returns the session that was ever given {@code id}, live or ended. */
    Optional<Session> byId(String id);

    /** Returns all live sessions, the last used first, those used at the same time by id. */
    List<Session> live();

    /** Returns the live sessions of {@code principal}, in the order of {@link #live()}. */
    List<Session> ofPrincipal(String principal);

    /**
     * Begins a session.
     *
     * @throws StoreException where a live session has {@code session.key()} already, or any has its id
     */
    void begin(Session session);

    /**
     * Joins {@code entered} into the label of the session {@code id}, live or ended, and returns the new one.
     *
     * @throws StoreException where no session has that id
     */
    SessionLabel join(String id, SessionLabel entered);

    /**
     * Notes that {@code witness} let something into the session {@code id}, live or ended, in place of whoever did before.
     *
     * @throws StoreException where no session has that id
     */
    void witness(String id, String witness);

    /**
     * Notes that the session {@code id} was used at {@code at}, and what its client last said of itself; an empty {@code
     * client} leaves what it said before. The time of last use never goes back. An ended session stays ended.
     *
     * @throws StoreException where no session has that id
     */
    void touch(String id, Instant at, String client);

    /**
     * Ends the session {@code id}; returns whether it was live. Its record and label are kept; its variables, and what its
     * user typed, are not.
     */
    boolean end(String id, Instant at);
}
