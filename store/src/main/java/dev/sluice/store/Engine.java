package dev.sluice.store;

import java.util.function.Function;

/**
 * One state that decisions are made on, shared by everybody who opened it.
 *
 * <p>A label is read, a decision made on it and its audit record appended in one transaction, so that no decision is made
 * on a label older than any answer that was released before it, by this process or another.
 */
public interface Engine extends AutoCloseable {

    /**
     * Runs {@code work} alone and keeps all it did, or, if it throws, nothing of it.
     *
     * <p>When this returns, what was done survives the death of the process (an engine in memory aside). The work must be
     * short and must not wait for anything outside the engine. It may run on another thread than the caller's. The
     * transaction ends with it: used later or by another thread it throws {@link StoreException}. An interrupt does not cut
     * this short.
     *
     * @throws StoreException where the state can't be read or written, or a transaction of this engine is begun or the
     *     engine closed inside another; nothing was done
     */
    <T> T transact(Function<Transaction, T> work);

    /**
     * Returns whether others than the process that opened it can look at the same state, such as {@code sluice approvals}. An
     * engine in memory can be looked at by nobody else.
     */
    default boolean isShared() {
        return true;
    }

    /** Waits for what was begun and releases what is held. Afterwards every call throws {@link StoreException}. */
    @Override
    void close();
}
