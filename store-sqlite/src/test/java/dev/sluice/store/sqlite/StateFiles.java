package dev.sluice.store.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.store.AuditChain.Outcome;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** State files for tests, and hands that reach into them from outside. */
final class StateFiles {

    static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private StateFiles() {}

    /** Makes a file with {@code records} records and one session, and closes it. */
    static void fill(Path file, int records) {
        try (Engine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            engine.transact(transaction -> {
                transaction.sessions().begin(session("s"));
                return transaction.sessions().join("s", entered("fs"));
            });
            for (int n = 1; n <= records; n++) {
                append(engine, n);
            }
        }
    }

    static void append(Engine engine, int n) {
        engine.transact(transaction -> transaction.audit().append(event(n)));
    }

    static ObjectNode event(int n) {
        return JsonNodeFactory.instance.objectNode().put("what", "call \u00e9 number " + n);
    }

    static Session session(String id) {
        return new Session(id, "key of " + id, "ana", "host", START, START, "", SessionLabel.EMPTY);
    }

    /** Returns what enters with private data of {@code server}. */
    static SessionLabel entered(String server) {
        return SessionLabel.EMPTY.observe(
                Label.of(Integrity.TRUSTED, Confidentiality.of(new Source.OfServer(server))),
                new Origin(START, "c1", server, "read"));
    }

    /** Changes the file behind the engine's back. */
    static void sql(Path file, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.executeUpdate(sql);
            }
        }
    }

    static Optional<Session> live(Engine engine, String id) {
        return engine.transact(transaction -> transaction.sessions().live("key of " + id));
    }

    /** Returns how SQLite would answer a query. */
    static List<String> plan(Path file, String query) throws SQLException {
        List<String> steps = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("EXPLAIN QUERY PLAN " + query)) {
            while (rows.next()) {
                steps.add(rows.getString("detail"));
            }
        }
        return steps;
    }

    static void assertBroken(long seq, Outcome outcome) {
        Outcome.Broken broken = assertInstanceOf(Outcome.Broken.class, outcome);
        assertEquals(seq, broken.seq(), broken.reason());
        assertTrue(broken.reason().length() > 20, broken.reason());
    }

    static void assertWhole(long count, Outcome outcome) {
        assertEquals(
                count,
                assertInstanceOf(Outcome.Whole.class, outcome, outcome::toString)
                        .count());
    }
}
