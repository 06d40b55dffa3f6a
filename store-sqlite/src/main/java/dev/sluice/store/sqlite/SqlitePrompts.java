package dev.sluice.store.sqlite;

import dev.sluice.store.PromptStore;
import dev.sluice.store.StoreException;
import java.time.Instant;
import java.util.List;

/** What users typed, in a state file. */
final class SqlitePrompts implements PromptStore {

    private final SqliteTransaction transaction;

    SqlitePrompts(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public Prompt add(String session, String text, Instant at) {
        Sql sql = transaction.sql();
        if (sql.one("SELECT 1 FROM session WHERE id = ? AND ended IS NULL", row -> true, session)
                .isEmpty()) {
            throw new StoreException("no session `" + session + "` is live: begin one");
        }
        long bytes = Prompt.bytes(text);
        if (bytes > MOST_BYTES) {
            throw new StoreException("a prompt of " + bytes + " bytes can't be kept: give " + MOST_BYTES + " at most");
        }
        long number = 1
                + sql.one(
                                "SELECT coalesce(max(number), 0) FROM prompt WHERE session = ?",
                                row -> row.getLong(1),
                                session)
                        .orElse(0L);
        sql.change(
                "INSERT INTO prompt (session, number, text, bytes, at) VALUES (?, ?, ?, ?, ?)",
                session,
                number,
                text,
                bytes,
                SqliteSessions.nanos(at));
        sql.change(
                "DELETE FROM prompt WHERE session = ?1 AND (number <= ?2 OR number <= (SELECT max(number) FROM"
                        + " (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS newer FROM prompt WHERE session = ?1)"
                        + " WHERE newer > ?3))",
                session,
                number - MOST_PROMPTS,
                (long) MOST_BYTES);
        return new Prompt(number, text, at);
    }

    @Override
    public List<Prompt> after(String session, long number) {
        return transaction
                .sql()
                .all(
                        "SELECT number, text, at FROM prompt WHERE session = ? AND number > ? ORDER BY number",
                        row -> new Prompt(row.getLong(1), row.getString(2), SqliteSessions.instant(row.getLong(3))),
                        session,
                        number);
    }
}
