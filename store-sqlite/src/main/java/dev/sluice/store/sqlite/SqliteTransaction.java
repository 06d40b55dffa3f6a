package dev.sluice.store.sqlite;

import dev.sluice.store.ApprovalStore;
import dev.sluice.store.AuditChain;
import dev.sluice.store.AuditHead;
import dev.sluice.store.AuditLog;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.PinStore;
import dev.sluice.store.PromptStore;
import dev.sluice.store.SequenceStore;
import dev.sluice.store.SessionStore;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import dev.sluice.store.VariableStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The stores of one work, on the writer's connection. */
final class SqliteTransaction implements Transaction {

    private final Sql sql;
    private final Thread owner = Thread.currentThread();
    private boolean open = true;

    SqliteTransaction(Sql sql) {
        this.sql = sql;
    }

    @Override
    public SessionStore sessions() {
        return new SqliteSessions(this);
    }

    @Override
    public AuditLog audit() {
        return new Audit();
    }

    @Override
    public PinStore pins() {
        return new Pins();
    }

    @Override
    public VariableStore variables() {
        return new SqliteVariables(this);
    }

    @Override
    public SequenceStore sequences() {
        return new Sequences();
    }

    @Override
    public ApprovalStore approvals() {
        return new SqliteApprovals(this);
    }

    @Override
    public PromptStore prompts() {
        return new SqlitePrompts(this);
    }

    /** Returns the connection, to whoever may still use it. */
    Sql sql() {
        if (Thread.currentThread() != owner || !open) {
            throw new StoreException("a transaction was used outside its work: begin another");
        }
        return sql;
    }

    void end() {
        open = false;
    }

    /** Writes what need not be written more than once for all works of a commit. */
    static void beforeCommit(Sql sql) {
        sql.remembered()
                .unwritten()
                .ifPresent(head -> sql.change(
                        "INSERT INTO audit_head (one, seq, digest) VALUES (1, ?, ?)"
                                + " ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, digest = excluded.digest",
                        head.seq(),
                        head.digest()));
    }

    private final class Audit implements AuditLog {

        @Override
        public AuditRecord append(ObjectNode event) {
            AuditRecord record = AuditChain.next(head().orElse(AuditHead.NONE), event);
            sql().change(
                            "INSERT INTO audit (seq, json, digest) VALUES (?, ?, ?)",
                            record.seq(),
                            record.json(),
                            record.digest());
            sql().remembered().append(AuditChain.headAt(record));
            return record;
        }

        @Override
        public List<AuditRecord> read(long from, int limit) {
            if (limit < 0) {
                throw new IllegalArgumentException("`" + limit + "` is no number of records: give 0 or more");
            }
            return sql().all(
                            "SELECT seq, json, digest FROM audit WHERE seq >= ? ORDER BY seq LIMIT ?",
                            row -> new AuditRecord(row.getLong(1), row.getString(2), row.getString(3)),
                            from,
                            (long) limit);
        }

        @Override
        public Optional<AuditHead> head() {
            Remembered remembered = sql().remembered();
            return remembered.head().orElseGet(() -> {
                Optional<AuditHead> found = sql().one(
                                "SELECT seq, digest FROM audit_head WHERE one = 1",
                                row -> new AuditHead(row.getLong(1), row.getString(2)));
                remembered.read(found);
                return found;
            });
        }
    }

    private final class Pins implements PinStore {

        private static final Sql.Row<Pin> PIN = row -> new Pin(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                SqliteSessions.instant(row.getLong(5)));

        @Override
        public Optional<Pin> find(String server, String kind, String name) {
            return sql().one(
                            "SELECT server, kind, name, digest, at FROM pin WHERE server = ? AND kind = ? AND name = ?",
                            PIN,
                            server,
                            kind,
                            name);
        }

        @Override
        public List<Pin> all() {
            // SQLite orders text by code points, everybody else here by UTF-16 code units.
            return sql().all("SELECT server, kind, name, digest, at FROM pin", PIN).stream()
                    .sorted(Pin.ORDER)
                    .toList();
        }

        @Override
        public void pin(Pin pin) {
            sql().change(
                            "INSERT INTO pin (server, kind, name, digest, at) VALUES (?, ?, ?, ?, ?)"
                                    + " ON CONFLICT DO UPDATE SET digest = excluded.digest, at = excluded.at",
                            pin.server(),
                            pin.kind(),
                            pin.name(),
                            pin.digest(),
                            SqliteSessions.nanos(pin.at()));
        }
    }

    private final class Sequences implements SequenceStore {

        @Override
        public Map<String, Integer> of(String id) {
            return sql().remembered().states(id, this::read);
        }

        private Map<String, Integer> read(String id) {
            Map<String, Integer> states = new HashMap<>();
            sql().all(
                            "SELECT automaton, state FROM sequence WHERE session = ?",
                            row -> states.put(row.getString(1), row.getInt(2)) == null,
                            id);
            return states;
        }

        @Override
        public Map<String, Farthest> farthest(List<String> ids) {
            return sql().remembered().farthest(ids, this::read);
        }

        private Map<String, Farthest> read(List<String> ids) {
            ArrayNode all = JsonNodeFactory.instance.arrayNode();
            ids.forEach(all::add);
            Map<String, Farthest> farthest = new HashMap<>();
            sql().all(
                            "SELECT automaton, max(state), count(*) FROM sequence"
                                    + " WHERE session IN (SELECT value FROM json_each(?)) GROUP BY automaton",
                            row -> farthest.put(row.getString(1), new Farthest(row.getInt(2), row.getInt(3))) == null,
                            all.toString());
            return farthest;
        }

        @Override
        public void put(String id, String automaton, int state) {
            int known = sql().change(
                            "INSERT INTO sequence (session, automaton, state) SELECT id, ?2, ?3 FROM session WHERE id = ?1"
                                    + " ON CONFLICT DO UPDATE SET state = excluded.state",
                            id,
                            automaton,
                            (long) state);
            if (known == 0) {
                throw SqliteSessions.unknown(id);
            }
            sql().remembered().moved(id);
        }
    }
}
