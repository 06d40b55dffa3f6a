package dev.sluice.store.sqlite;

import dev.sluice.store.StoreException;
import dev.sluice.store.VariableStore;
import java.util.Optional;

/** Values in a state file. */
final class SqliteVariables implements VariableStore {

    private final SqliteTransaction transaction;

    SqliteVariables(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Optional<Variable> find(String session, String id) {
        return transaction
                .sql()
                .one(
                        "SELECT session, id, value, about, at FROM variable WHERE session = ? AND id = ?",
                        row -> new Variable(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                SqliteSessions.instant(row.getLong(5))),
                        session,
                        id);
    }

    @Override
    public Room taken(String session) {
        return transaction
                .sql()
                .one(
                        "SELECT count(*), coalesce(sum(size), 0) FROM variable WHERE session = ?",
                        row -> new Room(row.getLong(1), row.getLong(2)),
                        session)
                .orElseThrow();
    }

    @Override
    public void keep(Variable variable) {
        boolean live = transaction
                .sql()
                .one("SELECT 1 FROM session WHERE id = ? AND ended IS NULL", row -> true, variable.session())
                .isPresent();
        if (!live) {
            throw new StoreException(
                    "the session `" + variable.session() + "` is not live: keep values of live sessions only");
        }
        if (find(variable.session(), variable.id()).isPresent()) {
            throw new StoreException("a handle was given twice: make another");
        }
        transaction
                .sql()
                .change(
                        "INSERT INTO variable (session, id, value, about, at, size) VALUES (?, ?, ?, ?, ?, ?)",
                        variable.session(),
                        variable.id(),
                        variable.value(),
                        variable.about(),
                        SqliteSessions.nanos(variable.at()),
                        variable.size());
    }

    /** Forgets the values of a session that ends. */
    static void forget(SqliteTransaction transaction, String session) {
        transaction.sql().change("DELETE FROM variable WHERE session = ?", session);
    }
}
