package dev.sluice.store.sqlite;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Moves the log beside a state file into it while others write to the log, so that no commit waits for the disk.
 *
 * <p>The log begins anew only once all of it was moved at one moment (sqlite.org/wal.html, section 2.4.3). Where writers
 * leave no such moment, and it became long, the next of them is told to move the little that is left.
 */
final class Checkpoints {

    /** After so many commits of this process it is worth while. */
    private static final int COMMITS = 500;

    /** From so many pages on the log is long: some 16 MB. */
    private static final long LONG_LOG = 4_000;

    private final StateFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition due = lock.newCondition();
    private Optional<Thread> thread = Optional.empty();
    private int commits;
    private boolean closed;
    private volatile boolean isLong;

    Checkpoints(StateFile file) {
        this.file = file;
    }

    /** Does what is left of a long log, on the connection of a writer that is about to begin. */
    void before(Sql sql) {
        if (isLong) {
            isLong = false;
            try {
                passive(sql);
            } catch (SQLException e) {
                // Nothing is lost by that: what the writer is about to do says whether the file can be used.
            }
        }
    }

    /** Takes note of a commit. */
    void committed() {
        lock.lock();
        try {
            if (++commits < COMMITS || closed) {
                return;
            }
            if (thread.isEmpty()) {
                commits = 0; // where no thread is to be had now, it is tried again later
                Thread started = new Thread(this::run, "sluice-store-checkpoints");
                started.setDaemon(true);
                started.start();
                thread = Optional.of(started);
                commits = COMMITS;
            }
            due.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns once nothing is moved any more. */
    void close() {
        Optional<Thread> last;
        lock.lock();
        try {
            closed = true;
            due.signal();
            last = thread;
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        while (last.isPresent() && last.get().isAlive()) {
            try {
                last.get().join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean await() {
        lock.lock();
        try {
            while (commits < COMMITS && !closed) {
                due.awaitUninterruptibly();
            }
            commits = 0;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        Optional<Sql> connection = Optional.empty();
        while (await()) {
            try {
                Sql sql = connection.orElseGet(file::openForCheckpoints);
                connection = Optional.of(sql);
                isLong = passive(sql) > LONG_LOG;
            } catch (SQLException | RuntimeException e) {
                // All is committed, and stays in the log until somebody can move it: a writer tries next.
                isLong = true;
            }
        }
        connection.ifPresent(sql -> {
            try {
                sql.close();
            } catch (SQLException e) {
                // Nothing more can be done with it, and nothing more is.
            }
        });
    }

    /** Moves what can be moved without waiting for anybody; returns how many pages the log has. */
    private static long passive(Sql sql) throws SQLException {
        return sql.first("PRAGMA wal_checkpoint(PASSIVE)", row -> row.getLong(2))
                .orElse(0L);
    }
}
