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
     * <p>When this returns, what was done survives the death of the process. The work must be short, must not wait for
     * anything outside the engine, and must not keep the transaction.
     *
     * @throws StoreException where the state can't be read or written; nothing was done
     */
    <T> T transact(Function<Transaction, T> work);

    /** Waits for what was begun and releases what is held. Afterwards every call throws {@link StoreException}. */
    @Override
    void close();
}
