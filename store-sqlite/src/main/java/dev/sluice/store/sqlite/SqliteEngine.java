package dev.sluice.store.sqlite;

import dev.sluice.store.AuditChain;
import dev.sluice.store.Engine;
import dev.sluice.store.Transaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

/**
 * An engine on one SQLite file that many processes of this machine may share.
 *
 * <p>Transactions of all processes are serial: each begins with the file's write lock, so that a label is never older
 * than an answer. A transaction that returned survives the death of the process.
 */
public final class SqliteEngine implements Engine {

    /** What a transaction that returned survives beside the death of the process. */
    public enum Durability {
        /** A power cut may take the last transactions, in order from the end; the file stays whole. */
        NORMAL,
        /** Nothing is lost in a power cut, as far as the disk tells the truth. Several times slower. */
        FULL
    }

    /**
     * How a file is used.
     *
     * @param durability what survives a power cut
     * @param patience how long to wait while other processes write, up to an hour
     * @param queue how much work of this process may wait, from 1; beyond it callers wait to be let in
     */
    public record Options(Durability durability, Duration patience, int queue) {

        /** Survives the death of a process, waits 10 s for others, lets 1,024 wait. */
        public static final Options DEFAULT = new Options(Durability.NORMAL, Duration.ofSeconds(10), 1024);

        public Options {
            if (patience.isNegative() || patience.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("`" + patience + "` can't be waited: give up to one hour");
            }
            if (queue < 1) {
                throw new IllegalArgumentException("`" + queue + "` lets no work in: give 1 or more");
            }
        }

        /** Returns these options with another durability. */
        public Options with(Durability other) {
            return new Options(other, patience, queue);
        }

        /** Returns these options with another patience. */
        public Options with(Duration other) {
            return new Options(durability, other, queue);
        }
    }

    private final StateFile file;
    private final GroupCommit writer;

    private SqliteEngine(StateFile file, GroupCommit writer) {
        this.file = file;
        this.writer = writer;
    }

    /**
     * Opens {@code file}, and makes it (mode 600) and its folders (mode 700) where they are missing.
     *
     * @throws dev.sluice.store.StoreException where it can't be read or written, is no state file, or was written by a
     *     newer version
     */
    public static SqliteEngine open(Path file, Options options) {
        StateFile prepared = StateFile.prepare(file, options);
        return new SqliteEngine(
                prepared, new GroupCommit(prepared, options.queue(), options.durability() == Durability.FULL));
    }

    @Override
    public <T> T transact(Function<Transaction, T> work) {
        return writer.submit(work);
    }

    /**
     * Checks the whole audit log and the file around it, as {@link #verifyAudit(Path)} does, while others go on writing.
     */
    public AuditChain.Outcome verifyAudit() {
        writer.checkOpen();
        return AuditFile.verify(file.path());
    }

    /**
     * Checks the whole audit log in {@code file}, then the file itself, and changes nothing; for files too damaged to be
     * opened as well.
     *
     * <p>Where every record is whole and the file around them is not, the outcome names the place after the last record.
     *
     * @throws dev.sluice.store.StoreException where there is no such file, it can't be opened, it belongs to another
     *     program or was written by a newer version
     */
    public static AuditChain.Outcome verifyAudit(Path file) {
        return AuditFile.verify(file);
    }

    @Override
    public void close() {
        writer.close();
    }
}
