package dev.sluice.store.sqlite;

import dev.sluice.store.AuditChain;
import dev.sluice.store.AuditChain.Fault;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.store.AuditHead;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Checks the audit log of a state file through a connection that can't write. */
final class AuditFile {

    private AuditFile() {}

    static Outcome verify(Path file) {
        try (Sql sql = StateFile.openForReading(file)) {
            try {
                sql.run("PRAGMA busy_timeout = 10000");
                StateFile.checkedSchema(file, sql);
                sql.run("BEGIN"); // so that the head and the records are of one moment
                return records(sql);
            } catch (SQLException e) {
                if (!Sql.isDamage(e)) {
                    throw sql.explain(e);
                }
                return broken(1, "record 1 and all after it can't be read: " + Sql.words(e));
            }
        } catch (SQLException e) {
            throw new StoreException(Sql.meaning(file, e), e);
        }
    }

    private static Outcome records(Sql sql) throws SQLException {
        AuditHead head = sql.first(
                        "SELECT seq, digest FROM audit_head WHERE one = 1",
                        row -> new AuditHead(row.getLong(1), String.valueOf(row.getString(2))))
                .orElse(AuditHead.NONE);
        // As bytes, for a driver that reads text replaces what is no UTF-8; by type, for a blob reads like text.
        Outcome chain = sql.each(
                "SELECT seq, typeof(json), CAST(json AS BLOB), typeof(digest), digest FROM audit ORDER BY seq",
                rows -> AuditChain.verify(new Rows(rows), head));
        return chain instanceof Outcome.Whole whole ? around(sql, whole) : chain;
    }

    /** Returns {@code whole}, unless the file around the records is damaged. */
    private static Outcome around(Sql sql, Outcome.Whole whole) {
        String found;
        try {
            found = sql.text("PRAGMA quick_check(1)");
        } catch (SQLException e) {
            found = Sql.words(e);
        }
        return found.equals("ok")
                ? whole
                : broken(
                        whole.count() + 1,
                        "the " + whole.count() + " records are whole, but the file around them is damaged: " + found);
    }

    private static Outcome.Broken broken(long seq, String reason) {
        return new Outcome.Broken(seq, Fault.UNREADABLE, reason);
    }

    private static final class Rows implements Iterator<AuditRecord> {

        private final ResultSet rows;
        private boolean ahead;

        Rows(ResultSet rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            try {
                ahead = ahead || rows.next();
                return ahead;
            } catch (SQLException e) {
                throw new StoreException(Sql.words(e), e);
            }
        }

        @Override
        public AuditRecord next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ahead = false;
            try {
                if (!"text".equals(rows.getString(2)) || !"text".equals(rows.getString(4))) {
                    throw new StoreException("it is kept as something else than text");
                }
                String json = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(rows.getBytes(3)))
                        .toString();
                return new AuditRecord(rows.getLong(1), json, rows.getString(5));
            } catch (CharacterCodingException e) {
                throw new StoreException("its text is no UTF-8", e);
            } catch (SQLException e) {
                throw new StoreException(Sql.words(e), e);
            }
        }
    }
}
