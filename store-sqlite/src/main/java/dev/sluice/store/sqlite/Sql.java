package dev.sluice.store.sqlite;

import dev.sluice.store.StoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sqlite.SQLiteErrorCode;

/**
 * One connection to a state file, with the statements it has prepared. For one thread.
 *
 * <p>After a statement failed, {@link #failed} holds why until {@link #forgive}, and nothing more runs: SQLite may have
 * rolled back by itself, and what ran next would be kept on its own.
 */
final class Sql implements AutoCloseable {

    /** Makes a value of a result, of the row that it stands on or of all. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static final String RIGHTS = "give this user the right to read and write it and its folder";

    private static final Map<SQLiteErrorCode, String> MENDS = Map.of(
            SQLiteErrorCode.SQLITE_BUSY,
            "another process has been writing to it for too long: end that process, or wait and try again",
            SQLiteErrorCode.SQLITE_NOTADB,
            "it is no sluice state file, or its beginning was overwritten: name another file, or restore it from a copy",
            SQLiteErrorCode.SQLITE_CORRUPT,
            "it is damaged: restore it from a copy, or move it away to begin anew",
            SQLiteErrorCode.SQLITE_FULL,
            "the disk is full: make room",
            SQLiteErrorCode.SQLITE_READONLY,
            "it can't be written: " + RIGHTS,
            SQLiteErrorCode.SQLITE_PERM,
            "it can't be used: " + RIGHTS,
            SQLiteErrorCode.SQLITE_CANTOPEN,
            "it can't be opened: " + RIGHTS,
            SQLiteErrorCode.SQLITE_IOERR,
            "the disk can't be read or written, check it: ");

    private final Path file;
    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final Remembered remembered = new Remembered();
    private Optional<StoreException> failed = Optional.empty();

    Sql(Path file, Connection connection) {
        this.file = file;
        this.connection = connection;
    }

    /** Returns what this connection knows without reading it again. */
    Remembered remembered() {
        return remembered;
    }

    /** Returns SQLite's count of changes by other connections. */
    long version() throws SQLException {
        try (ResultSet rows = prepare("PRAGMA data_version").executeQuery()) {
            return rows.getLong(1);
        }
    }

    /** Runs {@code sql}, one statement or several, without parameters. */
    void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /** Runs a statement that takes no parameters and gives nothing, again and again. */
    void step(String sql) throws SQLException {
        prepare(sql).execute();
    }

    /** Returns the first column of the first row as text, empty where there is none. */
    String text(String sql) throws SQLException {
        return first(sql, row -> row.getString(1)).orElse("");
    }

    /** Returns what {@code reader} makes of all rows of a query without parameters, which it reads one by one. */
    <T> T each(String sql, Row<T> reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return reader.read(rows);
        }
    }

    /** Returns the first row of a query without parameters, if there is one. */
    <T> Optional<T> first(String sql, Row<T> row) throws SQLException {
        return each(sql, rows -> rows.next() ? Optional.of(row.read(rows)) : Optional.empty());
    }

    /** Returns every row of a query; arguments are {@code String} or {@code Long}. */
    <T> List<T> all(String sql, Row<T> row, Object... arguments) {
        check();
        try {
            PreparedStatement statement = prepare(sql);
            bind(statement, arguments);
            List<T> all = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(row.read(rows));
                }
            }
            return all;
        } catch (SQLException e) {
            throw fail(e);
        }
    }

    /** Returns the only row of a query, if there is one. */
    <T> Optional<T> one(String sql, Row<T> row, Object... arguments) {
        return all(sql, row, arguments).stream().findFirst();
    }

    /** Changes rows; returns how many. */
    int change(String sql, Object... arguments) {
        check();
        try {
            PreparedStatement statement = prepare(sql);
            bind(statement, arguments);
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw fail(e);
        }
    }

    /** Returns why a statement failed since the last {@link #forgive}. */
    Optional<StoreException> failed() {
        return failed;
    }

    /** Lets statements run again, after whatever failed was rolled back. */
    void forgive() {
        failed = Optional.empty();
    }

    /** Returns what a failure means and how to mend it. */
    StoreException explain(SQLException e) {
        return new StoreException(meaning(file, e), e);
    }

    /** Returns a connection's failure in SQLite's own words, for a report on damage. */
    static String words(SQLException e) {
        return String.valueOf(e.getMessage()).replaceFirst("^\\[\\w+]\\s*", "").toLowerCase(Locale.ROOT);
    }

    /** Returns whether {@code e} says that another process is at work. */
    static boolean isBusy(SQLException e) {
        SQLiteErrorCode code = code(e);
        return code == SQLiteErrorCode.SQLITE_BUSY || code == SQLiteErrorCode.SQLITE_LOCKED;
    }

    /** Returns whether {@code e} says that the file's content is not what SQLite wrote. */
    static boolean isDamage(SQLException e) {
        SQLiteErrorCode code = code(e);
        return code == SQLiteErrorCode.SQLITE_CORRUPT
                || code == SQLiteErrorCode.SQLITE_NOTADB
                || code == SQLiteErrorCode.SQLITE_ERROR
                || code == SQLiteErrorCode.SQLITE_TOOBIG
                || code == SQLiteErrorCode.SQLITE_FORMAT;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Returns what a failure of {@code file} means and how to mend it. */
    static String meaning(Path file, SQLException e) {
        SQLiteErrorCode code = code(e);
        String mend = MENDS.getOrDefault(code, "");
        boolean ownWords = mend.isEmpty() || code == SQLiteErrorCode.SQLITE_IOERR;
        return "the state file `" + file + "` failed: " + mend + (ownWords ? words(e) : "");
    }

    /** Returns the primary code: the lower 8 bits of an extended one (sqlite.org/rescode.html). */
    private static SQLiteErrorCode code(SQLException e) {
        return SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff);
    }

    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    private static void bind(PreparedStatement statement, Object... arguments) throws SQLException {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof Long number) {
                statement.setLong(i + 1, number);
            } else {
                statement.setString(i + 1, writable((String) arguments[i]));
            }
        }
    }

    /** Refuses half a surrogate pair, which would be stored as `?` and then mean another session or tool. */
    private static String writable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isHighSurrogate(text.charAt(i))
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(text.charAt(i))) {
                throw new StoreException("a name holds half a surrogate pair, which can't be stored: correct it");
            }
        }
        return text;
    }

    private void check() {
        if (failed.isPresent()) {
            throw failed.get();
        }
    }

    private StoreException fail(SQLException e) {
        StoreException failure = explain(e);
        failed = Optional.of(failure);
        return failure;
    }
}
