package dev.sluice.store.sqlite;

import dev.sluice.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/**
 * A state file on disk: made private, opened, brought to the newest schema.
 *
 * <p>Nothing here opens the file except SQLite: closing any other handle on it would drop the locks that this process
 * holds (sqlite.org/howtocorrupt.html, section 2.2).
 */
final class StateFile {

    /** The newest {@code schema-<n>.sql} beside this class. */
    static final int SCHEMA = 8;

    /** Marks our files (sqlite.org/pragma.html#pragma_application_id): "Slce". */
    static final int APPLICATION = 0x536c6365;

    private static final Duration LONGEST_CHECKPOINT_WAIT = Duration.ofMillis(500);

    private final Path file;
    private final SqliteEngine.Options options;
    private final Optional<Object> identity;

    private StateFile(Path file, SqliteEngine.Options options) {
        this.file = file;
        this.options = options;
        identity = identity(file);
    }

    /** Makes the file and its folder where they are missing, for this user alone, and the tables in it. */
    static StateFile prepare(Path file, SqliteEngine.Options options) {
        Path absolute = file.toAbsolutePath().normalize();
        create(absolute);
        return new StateFile(absolute, options);
    }

    Path path() {
        return file;
    }

    /** Opens a connection for writing. What a killed process left in the log beside the file is moved into it. */
    Sql open() {
        checkIdentity();
        Sql sql = connect(file, false);
        try {
            long deadline = System.nanoTime() + options.patience().toNanos();
            while (!tryReady(sql, deadline)) {
                pause();
            }
            return sql;
        } catch (SQLException e) {
            throw closing(sql, sql.explain(e));
        } catch (StoreException e) {
            throw closing(sql, e);
        }
    }

    /** Opens a connection that moves the log into the file, and waits for nobody. */
    Sql openForCheckpoints() {
        checkIdentity();
        Sql sql = connect(file, false);
        try {
            sql.run("PRAGMA busy_timeout = 0");
            sql.run("PRAGMA synchronous = " + options.durability().name());
            return sql;
        } catch (SQLException e) {
            throw closing(sql, sql.explain(e));
        }
    }

    /** Opens a connection that can't write. */
    static Sql openForReading(Path file) {
        Path absolute = file.toAbsolutePath().normalize();
        if (!Files.isRegularFile(absolute)) {
            throw new StoreException("there is no state file `" + absolute + "`: name another");
        }
        return connect(absolute, true);
    }

    /** Begins a write transaction, waiting for other processes as long as the options say. */
    void begin(Sql sql) throws SQLException {
        checkIdentity();
        long deadline = System.nanoTime() + options.patience().toNanos();
        while (true) {
            try {
                sql.step("BEGIN IMMEDIATE");
                sql.remembered().begin(sql.version());
                return;
            } catch (SQLException e) {
                if (!Sql.isBusy(e) || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                // SQLite's own waiting sleeps up to 100 ms a time and so loses against processes that are always busy.
                pause();
            }
        }
    }

    /** Moves the log beside the file into it and empties it, if no other process needs it. */
    void checkpoint(Sql sql) throws SQLException {
        sql.run("PRAGMA busy_timeout = " + LONGEST_CHECKPOINT_WAIT.toMillis());
        try {
            sql.text("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch (SQLException e) {
            if (!Sql.isBusy(e)) {
                throw e;
            }
        }
        sql.run("PRAGMA busy_timeout = 0");
    }

    /** Refuses a file that a newer version wrote. */
    static int checkedSchema(Path file, Sql sql) throws SQLException {
        int schema = Integer.parseInt(sql.text("PRAGMA user_version"));
        int application = Integer.parseInt(sql.text("PRAGMA application_id"));
        if (application != APPLICATION
                && !sql.text("SELECT count(*) FROM sqlite_schema").equals("0")) {
            throw new StoreException("the file `" + file + "` belongs to another program: name another file");
        }
        if (schema > SCHEMA) {
            throw new StoreException("the state file `" + file + "` was written by a newer sluice (schema " + schema
                    + ", this one knows " + SCHEMA + "): install that version, or name another file");
        }
        return schema;
    }

    private boolean tryReady(Sql sql, long deadline) throws SQLException {
        try {
            sql.run("PRAGMA busy_timeout = " + options.patience().toMillis());
            checkedSchema(file, sql);
            String mode = sql.text("PRAGMA journal_mode = WAL");
            if (!mode.equals("wal")) {
                throw new StoreException(
                        "the state file `" + file
                                + "` lies where processes can't share memory, such as a network folder: name a file on a local disk");
            }
            sql.run("PRAGMA synchronous = " + options.durability().name());
            sql.run("PRAGMA trusted_schema = OFF");
            sql.run("PRAGMA journal_size_limit = 67108864");
            // Some 32 MB, in case Checkpoints does not get to it: a commit that meets one waits for it.
            sql.run("PRAGMA wal_autocheckpoint = 8000");
            migrate(sql);
            checkpoint(sql);
            return true;
        } catch (SQLException e) {
            // Two processes that turn a new file to WAL at once fail without waiting.
            if (Sql.isBusy(e) && System.nanoTime() - deadline < 0) {
                return false;
            }
            throw e;
        }
    }

    private void migrate(Sql sql) throws SQLException {
        if (checkedSchema(file, sql) == SCHEMA) {
            return;
        }
        sql.run("BEGIN IMMEDIATE");
        try {
            for (int next = checkedSchema(file, sql) + 1; next <= SCHEMA; next++) {
                sql.run(script(next));
                sql.run("PRAGMA user_version = " + next);
            }
            sql.run("PRAGMA application_id = " + APPLICATION);
            sql.run("COMMIT");
        } catch (SQLException | StoreException e) {
            sql.run("ROLLBACK");
            throw e;
        }
    }

    private static String script(int number) {
        String name = "schema-" + number + ".sql";
        try (InputStream in = StateFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new StoreException("this installation lacks `" + name + "`: install it again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreException("this installation can't read `" + name + "`: install it again", e);
        }
    }

    /** A file put in the place of ours has lower labels, and what we wrote to the old one would be lost. */
    private void checkIdentity() {
        if (!identity(file).equals(identity)) {
            throw new StoreException("the state file `" + file + "` was replaced while in use: start again");
        }
    }

    private static Optional<Object> identity(Path file) {
        try {
            return Optional.ofNullable(
                    Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        } catch (IOException e) {
            throw new StoreException(
                    "the state file `" + file + "` is gone or can't be looked at: put it back, or start again", e);
        }
    }

    private static void create(Path file) {
        Path folder = file.getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw new StoreException("the state file `" + file + "` is a folder: name a file in it");
        }
        boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            Files.createDirectories(folder, mode(posix, "rwx------"));
            if (!Files.exists(file)) {
                Files.createFile(file, mode(posix, "rw-------"));
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(file)) {
                throw new StoreException(
                        "the state file `" + file + "` can't be made: `" + e.getMessage()
                                + "` is in the way and no folder: name another file",
                        e);
            }
            // Another process was faster.
        } catch (IOException e) {
            throw new StoreException(
                    "the state file `" + file + "` can't be made: give this user the right to write to `" + folder
                            + "`, or name another file",
                    e);
        }
    }

    private static FileAttribute<?>[] mode(boolean posix, String permissions) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static Sql connect(Path file, boolean readOnly) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(readOnly);
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setGetGeneratedKeys(false); // else each change is followed by a query for them
        try {
            // A URI, since the driver takes what follows a `?` in a plain name for settings.
            return new Sql(
                    file,
                    config.createConnection("jdbc:sqlite:file:" + file.toUri().getRawPath()));
        } catch (SQLException e) {
            throw new StoreException(Sql.meaning(file, e), e);
        }
    }

    private static StoreException closing(Sql sql, StoreException failure) {
        try {
            sql.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    private static void pause() {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(200_000, 2_000_000));
    }
}
