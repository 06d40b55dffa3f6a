package dev.sluice.store;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * An engine whose state lives and dies with this object.
 *
 * <p>Transactions run one after another in their callers' threads.
 */
public final class MemoryEngine implements Engine {

    private final ReentrantLock lock = new ReentrantLock();
    private final MemoryTransaction.State state;
    private boolean closed;

    /** Makes an engine that keeps every audit record. */
    public MemoryEngine() {
        this(Integer.MAX_VALUE);
    }

    private MemoryEngine(int mostRecords) {
        this.state = new MemoryTransaction.State(mostRecords);
    }

    /**
     * Returns an engine whose audit log forgets its oldest records, so that a process can live long.
     *
     * @param mostRecords how many records it keeps, at least 1: the next one is chained to the last
     */
    public static MemoryEngine keeping(int mostRecords) {
        if (mostRecords < 1) {
            throw new IllegalArgumentException("`" + mostRecords + "` records can't be kept: give 1 or more");
        }
        return new MemoryEngine(mostRecords);
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public <T> T transact(Function<Transaction, T> work) {
        if (lock.isHeldByCurrentThread()) {
            throw new StoreException("a transaction can't be begun inside another: use the one that is given");
        }
        lock.lock();
        try {
            if (closed) {
                throw new StoreException("the store is closed: open it again");
            }
            MemoryTransaction transaction = new MemoryTransaction(state);
            boolean done = false;
            try {
                T result = work.apply(transaction);
                done = true;
                return result;
            } finally {
                transaction.end(done);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        if (lock.isHeldByCurrentThread()) {
            throw new StoreException("the store can't be closed inside a transaction: close it afterwards");
        }
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
