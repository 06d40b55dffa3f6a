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
    private final MemoryTransaction.State state = new MemoryTransaction.State();
    private boolean closed;

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
