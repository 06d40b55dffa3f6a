package dev.sluice.store.sqlite;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.Session;
import dev.sluice.store.SessionStore;
import dev.sluice.store.StoreException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The sessions in a state file. What is remembered of them is gone as soon as somebody else wrote to it. */
final class SqliteSessions implements SessionStore {

    private static final String SELECT =
            "SELECT id, key, principal, display, started, seen, client, label, witness FROM session ";

    /** What an index of the state file is for. */
    static final String OF_PRINCIPAL = "WHERE principal = ? AND ended IS NULL";

    private static final Sql.Row<Session> SESSION = row -> new Session(
            row.getString(1),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            instant(row.getLong(5)),
            instant(row.getLong(6)),
            row.getString(7),
            label(row.getString(1), row.getString(8)),
            row.getString(9));

    private static final Comparator<Session> LAST_FIRST =
            Comparator.comparing(Session::seen).reversed().thenComparing(Session::id);

    private final SqliteTransaction transaction;

    SqliteSessions(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Optional<Session> live(String key) {
        Sql sql = transaction.sql();
        Optional<Session> known = sql.remembered().live(key);
        return known.isPresent()
                ? known
                : sql.one(
                        SELECT + "WHERE key = ? AND ended IS NULL",
                        row -> {
                            Session session = SESSION.read(row);
                            sql.remembered().put(session, row.getString(8).length());
                            return session;
                        },
                        key);
    }

    @Override
    public Optional<Session> byId(String id) {
        return transaction.sql().one(SELECT + "WHERE id = ?", SESSION, id);
    }

    @Override
    public List<Session> live() {
        return transaction.sql().all(SELECT + "WHERE ended IS NULL", SESSION).stream()
                .sorted(LAST_FIRST)
                .toList();
    }

    @Override
    public List<Session> ofPrincipal(String principal) {
        Sql sql = transaction.sql();
        Optional<List<Session>> known = sql.remembered().ofPrincipal(principal);
        if (known.isPresent()) {
            return known.get();
        }
        List<Session> found = sql.all(SELECT + OF_PRINCIPAL, SESSION, principal).stream()
                .sorted(LAST_FIRST)
                .toList();
        sql.remembered().ofPrincipal(principal, found);
        return found;
    }

    @Override
    public void begin(Session session) {
        if (exists("SELECT 1 FROM session WHERE id = ?", session.id())) {
            throw new StoreException("a session `" + session.id() + "` was begun before: give each another id");
        }
        if (exists("SELECT 1 FROM session WHERE key = ? AND ended IS NULL", session.key())) {
            throw new StoreException("the session key `" + session.key() + "` is in use: end that session first");
        }
        String label = LabelCodec.text(session.label());
        transaction
                .sql()
                .change(
                        "INSERT INTO session (id, key, principal, display, started, seen, client, label, witness)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        session.id(),
                        session.key(),
                        session.principal(),
                        session.display(),
                        nanos(session.started()),
                        nanos(session.seen()),
                        session.client(),
                        label,
                        session.witness());
        transaction.sql().remembered().begun(session.principal());
        transaction.sql().remembered().put(session, label.length());
    }

    @Override
    public SessionLabel join(String id, SessionLabel entered) {
        Sql sql = transaction.sql();
        SessionLabel old = sql.remembered()
                .label(id)
                .or(() -> sql.one("SELECT label FROM session WHERE id = ?", row -> label(id, row.getString(1)), id))
                .orElseThrow(() -> unknown(id));
        SessionLabel joined = old.join(entered);
        if (!joined.equals(old)) {
            String text = LabelCodec.text(joined);
            sql.change("UPDATE session SET label = ? WHERE id = ?", text, id);
            sql.remembered().changed(id);
            sql.remembered().label(id, joined, text.length());
        }
        return joined;
    }

    @Override
    public void witness(String id, String witness) {
        Sql sql = transaction.sql();
        if (sql.change("UPDATE session SET witness = ? WHERE id = ?", witness, id) == 0) {
            throw unknown(id);
        }
        sql.remembered().changed(id);
        sql.remembered().witness(id, witness);
    }

    @Override
    public void touch(String id, Instant at, String client) {
        int changed = transaction
                .sql()
                .change(
                        "UPDATE session SET seen = max(seen, ?1), client = CASE ?2 WHEN '' THEN client ELSE ?2 END"
                                + " WHERE id = ?3",
                        nanos(at),
                        client,
                        id);
        if (changed == 0) {
            throw unknown(id);
        }
        transaction.sql().remembered().changed(id);
        transaction.sql().remembered().touch(id, at, client);
    }

    @Override
    public boolean end(String id, Instant at) {
        transaction.sql().remembered().changed(id);
        transaction.sql().remembered().drop(id);
        SqliteVariables.forget(transaction, id);
        boolean ended =
                transaction.sql().change("UPDATE session SET ended = ? WHERE id = ? AND ended IS NULL", nanos(at), id)
                        > 0;
        transaction.sql().change("DELETE FROM prompt WHERE session = ?", id);
        return ended;
    }

    private boolean exists(String query, String argument) {
        return transaction.sql().one(query, row -> true, argument).isPresent();
    }

    private static SessionLabel label(String id, String text) {
        try {
            return KnownLabels.of(text);
        } catch (StoreException e) {
            throw new StoreException("session `" + id + "`: " + e.getMessage(), e);
        }
    }

    static StoreException unknown(String id) {
        return new StoreException("no session `" + id + "` was ever begun: begin one");
    }

    static Instant instant(long nanos) {
        return Instant.ofEpochSecond(0, nanos);
    }

    /** Returns nanoseconds since 1970, which 64 bits hold from 1677 to 2262. */
    static long nanos(Instant at) {
        try {
            if (at.getEpochSecond() < 0) { // so that the earliest second, which holds only some nanoseconds, fits
                return Math.addExact(
                        Math.multiplyExact(at.getEpochSecond() + 1, 1_000_000_000L), at.getNano() - 1_000_000_000L);
            }
            return Math.addExact(Math.multiplyExact(at.getEpochSecond(), 1_000_000_000L), at.getNano());
        } catch (ArithmeticException e) {
            throw new StoreException("the time `" + at + "` can't be stored: give one between 1678 and 2261", e);
        }
    }
}
