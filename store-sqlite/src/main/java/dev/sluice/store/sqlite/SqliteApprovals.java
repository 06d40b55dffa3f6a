package dev.sluice.store.sqlite;

import dev.sluice.store.ApprovalStore;
import dev.sluice.store.StoreException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The questions in a state file. */
final class SqliteApprovals implements ApprovalStore {

    private static final String SELECT =
            "SELECT id, call, flow, principal, session, question, asked, ends, status, reach, uses FROM approval ";

    private static final Sql.Row<Approval> APPROVAL = row -> new Approval(
            row.getString(1),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getString(6),
            SqliteSessions.instant(row.getLong(7)),
            SqliteSessions.instant(row.getLong(8)),
            Status.valueOf(row.getString(9)),
            Reach.valueOf(row.getString(10)),
            row.getLong(11));

    private final SqliteTransaction transaction;

    SqliteApprovals(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public void ask(Approval approval) {
        if (byId(approval.id()).isPresent()) {
            throw new StoreException("a question `" + approval.id() + "` was asked before: give each another id");
        }
        transaction
                .sql()
                .change(
                        "INSERT INTO approval"
                                + " (id, call, flow, principal, session, question, asked, ends, status, reach, uses)"
                                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        approval.id(),
                        approval.call(),
                        approval.flow(),
                        approval.principal(),
                        approval.session(),
                        approval.question(),
                        SqliteSessions.nanos(approval.asked()),
                        SqliteSessions.nanos(approval.ends()),
                        approval.status().name(),
                        approval.reach().name(),
                        approval.uses());
    }

    @Override
    public Optional<Approval> byId(String id) {
        return transaction.sql().one(SELECT + "WHERE id = ?", APPROVAL, id);
    }

    @Override
    public Optional<Approval> ofCall(String call, Instant now) {
        return all("WHERE call = ? AND ends > ?", call, SqliteSessions.nanos(now)).stream()
                .reduce((first, second) -> second);
    }

    @Override
    public List<Approval> ofFlow(String flow, Instant now) {
        return all(
                "WHERE flow = ? AND status = 'APPROVED' AND reach = 'FLOW' AND ends > ?",
                flow,
                SqliteSessions.nanos(now));
    }

    @Override
    public List<Approval> open(Instant now) {
        return all("WHERE ends > ?", SqliteSessions.nanos(now));
    }

    private List<Approval> all(String where, Object... values) {
        return transaction.sql().all(SELECT + where, APPROVAL, values).stream()
                .sorted(Approval.ORDER)
                .toList();
    }

    @Override
    public boolean answer(String id, Status answer, Reach reach, Instant ends, Instant now) {
        if (answer != Status.APPROVED && answer != Status.DENIED) {
            throw new IllegalArgumentException("`" + answer + "` is no answer: say yes or no");
        }
        return changed(
                "UPDATE approval SET status = ?, reach = ?, ends = ? WHERE id = ? AND status = 'PENDING' AND ends > ?",
                answer.name(),
                reach.name(),
                SqliteSessions.nanos(ends),
                id,
                SqliteSessions.nanos(now));
    }

    @Override
    public boolean use(String id, Instant now) {
        return changed(
                "UPDATE approval SET uses = uses + 1,"
                        + " status = CASE reach WHEN 'CALL' THEN 'USED' ELSE status END"
                        + " WHERE id = ? AND status = 'APPROVED' AND ends > ?",
                id,
                SqliteSessions.nanos(now));
    }

    @Override
    public boolean revoke(String id, Instant now) {
        long at = SqliteSessions.nanos(now);
        return changed("UPDATE approval SET ends = ? WHERE id = ? AND status = 'APPROVED' AND ends > ?", at, id, at);
    }

    @Override
    public boolean spend(String nonce, Instant ends, Instant now) {
        transaction.sql().change("DELETE FROM spent WHERE ends <= ?", SqliteSessions.nanos(now));
        return changed(
                "INSERT INTO spent (nonce, ends) VALUES (?, ?) ON CONFLICT DO NOTHING",
                nonce,
                SqliteSessions.nanos(ends));
    }

    @Override
    public String secret(String fresh) {
        transaction.sql().change("INSERT INTO secret (one, value) VALUES (1, ?) ON CONFLICT DO NOTHING", fresh);
        return transaction
                .sql()
                .one("SELECT value FROM secret WHERE one = 1", row -> row.getString(1))
                .orElseThrow();
    }

    @Override
    public int forget(Instant before) {
        return transaction.sql().change("DELETE FROM approval WHERE ends <= ?", SqliteSessions.nanos(before));
    }

    private boolean changed(String statement, Object... values) {
        return transaction.sql().change(statement, values) == 1;
    }
}
