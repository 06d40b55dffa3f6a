package dev.sluice.store.sqlite;

import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The one place of this process that writes to a state file, one transaction of SQLite at a time.
 *
 * <p>A caller that finds nobody at work does its own, which spares two changes of threads. What comes meanwhile waits for a
 * thread that takes all of it into one transaction, each work in its own savepoint, and answers the callers once that is
 * committed. Where a commit waits for the disk all work is that thread's: it is a platform thread, since a virtual one
 * would not leave its carrier meanwhile.
 */
final class GroupCommit {

    /** How much work one commit holds, so that other processes get their turn. */
    private static final int LARGEST_GROUP = 256;

    private final StateFile file;
    private final int capacity;
    private final boolean waitsForDisk;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final Condition notFull = lock.newCondition();
    private final Deque<Job<?>> waiting = new ArrayDeque<>();
    private final Thread writer;
    private final Checkpoints checkpoints;
    private boolean closed;

    /** Who is at the connection now. */
    private Optional<Thread> working = Optional.empty();

    /** The connection; empty after a failure, until the next work needs it. Only who is at work touches it. */
    private Optional<Sql> connection;

    GroupCommit(StateFile file, int capacity, boolean waitsForDisk) {
        this.file = file;
        this.capacity = capacity;
        this.waitsForDisk = waitsForDisk;
        connection = Optional.of(file.open());
        checkpoints = new Checkpoints(file);
        writer = new Thread(this::write, "sluice-store-writer");
        writer.setDaemon(true);
        writer.start();
    }

    /** Does {@code work} and returns its result once it is committed. An interrupt is kept for later. */
    <T> T submit(Function<Transaction, T> work) {
        Job<T> job = new Job<>(work);
        boolean mine;
        lock.lock();
        try {
            checkOutside("a transaction can't be begun inside another: use the one that is given");
            checkOpen();
            mine = working.isEmpty()
                    && waiting.isEmpty()
                    && connection.isPresent() // opening the file can take long
                    && !waitsForDisk
                    && !Thread.currentThread().isInterrupted();
            if (mine) {
                working = Optional.of(Thread.currentThread());
            } else {
                while (!closed && waiting.size() >= capacity) {
                    notFull.awaitUninterruptibly();
                }
                checkOpen();
                waiting.add(job);
                if (working.isEmpty()) { // else whoever is at work tells the writer afterwards
                    notEmpty.signal();
                }
            }
        } finally {
            lock.unlock();
        }
        if (mine) {
            try {
                work(List.of(job));
            } finally {
                leave();
            }
        }
        return job.await();
    }

    private void checkOutside(String why) {
        if (working.isPresent() && working.get() == Thread.currentThread()) {
            throw new StoreException(why);
        }
    }

    private void leave() {
        lock.lock();
        try {
            working = Optional.empty();
            if (closed || !waiting.isEmpty()) {
                notEmpty.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    void checkOpen() {
        lock.lock();
        try {
            if (closed) {
                throw new StoreException("the store is closed: open it again");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more work, and returns when what waits is done and the file released. */
    void close() {
        lock.lock();
        try {
            checkOutside("the store can't be closed inside a transaction: close it afterwards");
            closed = true;
            notEmpty.signalAll();
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (true) {
            try {
                writer.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void write() {
        for (List<Job<?>> group = take(); !group.isEmpty(); group = take()) {
            try {
                work(group);
            } finally {
                leave();
            }
        }
        checkpoints.close();
        connection.ifPresent(sql -> {
            try {
                file.checkpoint(sql);
            } catch (SQLException e) {
                // All is committed; whoever opens the file next does this.
            }
        });
        discard();
    }

    /** Returns the work that waits, at least one, for the caller to do; none when there will be no more. */
    private List<Job<?>> take() {
        lock.lock();
        try {
            while (working.isPresent() || (waiting.isEmpty() && !closed)) {
                notEmpty.awaitUninterruptibly();
            }
            List<Job<?>> group = new ArrayList<>();
            while (!waiting.isEmpty() && group.size() < LARGEST_GROUP) {
                group.add(waiting.remove());
            }
            if (!group.isEmpty()) {
                working = Optional.of(Thread.currentThread());
            }
            notFull.signalAll();
            return group;
        } finally {
            lock.unlock();
        }
    }

    private void work(List<Job<?>> group) {
        try {
            commit(group);
        } catch (Throwable e) { // Whatever it is, the callers must not wait for ever.
            StoreException failure = e instanceof StoreException known
                    ? known
                    : new StoreException("the state file `" + file.path() + "` failed: " + e, e);
            try {
                discard();
            } finally {
                group.forEach(job -> job.fail(failure));
            }
        }
    }

    private void commit(List<Job<?>> group) {
        Sql sql = connection.orElseGet(file::open);
        connection = Optional.of(sql);
        try {
            checkpoints.before(sql);
            file.begin(sql);
            if (group.size() == 1) {
                run(sql, group.get(0));
                if (group.get(0).isRefused()) {
                    sql.step("ROLLBACK"); // fails where SQLite did that by itself
                    sql.remembered().undo();
                }
            } else {
                for (Job<?> job : group) {
                    each(sql, job);
                }
            }
            if (group.size() > 1 || !group.get(0).isRefused()) {
                SqliteTransaction.beforeCommit(sql);
                sql.step("COMMIT");
                checkpoints.committed();
            }
        } catch (SQLException e) {
            throw sql.explain(e);
        }
        group.forEach(Job::answer);
    }

    private void each(Sql sql, Job<?> job) throws SQLException {
        sql.step("SAVEPOINT work");
        run(sql, job);
        if (job.isRefused()) {
            sql.step("ROLLBACK TO work"); // fails where SQLite rolled back all: then nobody's work was done
            sql.remembered().undo();
        }
        sql.step("RELEASE work");
    }

    private void run(Sql sql, Job<?> job) {
        sql.remembered().mark();
        SqliteTransaction transaction = new SqliteTransaction(sql);
        job.run(transaction);
        transaction.end();
        if (Thread.currentThread() == writer) {
            Thread.interrupted(); // what the work left on this thread is not the next one's
        }
        sql.failed().ifPresent(job::refuse);
        sql.forgive();
    }

    /** Closes the connection, which rolls back what is not committed. */
    private void discard() {
        connection.ifPresent(sql -> {
            try {
                sql.close();
            } catch (SQLException e) {
                // Nothing more can be done with it, and nothing more is.
            }
        });
        connection = Optional.empty();
    }

    /** One caller's work and what came of it. */
    private static final class Job<T> {
        private final Function<Transaction, T> work;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private Optional<Runnable> done = Optional.empty();
        private Optional<Throwable> refused = Optional.empty();

        Job(Function<Transaction, T> work) {
            this.work = work;
        }

        void run(Transaction transaction) {
            try {
                T result = work.apply(transaction);
                done = Optional.of(() -> answer.complete(result));
            } catch (Throwable e) { // belongs to the caller, whatever it is
                refused = Optional.of(e);
            }
        }

        void refuse(StoreException reason) {
            if (refused.isEmpty()) {
                refused = Optional.of(reason);
            }
        }

        boolean isRefused() {
            return refused.isPresent();
        }

        void answer() {
            refused.ifPresentOrElse(answer::completeExceptionally, () -> done.ifPresent(Runnable::run));
        }

        /** Whoever was refused before is told why that was. */
        void fail(StoreException reason) {
            answer.completeExceptionally(refused.orElse(reason));
        }

        T await() {
            try {
                return answer.join(); // waits through interrupts and leaves them set
            } catch (CompletionException e) {
                Throwable cause = e.getCause();
                if (cause instanceof RuntimeException own) {
                    throw own;
                }
                if (cause instanceof Error own) {
                    throw own;
                }
                throw new StoreException("the work failed: " + cause, e);
            }
        }
    }
}
