package dev.sluice.store.sqlite;

import static dev.sluice.store.sqlite.StateFiles.assertWhole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.Engine;
import dev.sluice.store.Session;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That nothing is told from memory which is not in the file. */
class RememberedTest {

    @TempDir
    Path folder;

    private static Engine open(Path file) {
        return SqliteEngine.open(file, SqliteEngine.Options.DEFAULT);
    }

    /** What one engine remembers of a session is not told once another wrote to the file. */
    @Test
    void labelThatAnotherEngineRaised_isReadByTheFirst_andEndsAreSeen() {
        Path file = folder.resolve("state.db");
        try (Engine one = open(file);
                Engine other = open(file)) {
            one.transact(transaction -> {
                transaction.sessions().begin(StateFiles.session("s"));
                return true;
            });
            SessionLabel seen =
                    other.transact(transaction -> transaction.sessions().join("s", StateFiles.entered("mail")));
            assertEquals(seen, live(one, "s").orElseThrow().label());
            SessionLabel more =
                    one.transact(transaction -> transaction.sessions().join("s", StateFiles.entered("files")));
            assertEquals(more, live(other, "s").orElseThrow().label());
            boolean ended = other.transact(transaction -> transaction.sessions().end("s", Instant.EPOCH));
            assertTrue(ended);
            assertEquals(Optional.empty(), live(one, "s"));
        }
    }

    private static Optional<Session> live(Engine engine, String id) {
        return engine.transact(transaction -> transaction.sessions().live("key of " + id));
    }

    /** A work that is undone takes back what is remembered of it as well. */
    @Test
    void refusedWork_leavesNothingInMemory() {
        Path file = folder.resolve("state.db");
        try (Engine engine = open(file)) {
            StateFiles.append(engine, 1);
            engine.transact(transaction -> {
                transaction.sessions().begin(StateFiles.session("s"));
                return true;
            });
            SessionLabel before = live(engine, "s").orElseThrow().label();
            assertThrows(
                    IllegalStateException.class,
                    () -> engine.transact(transaction -> {
                        transaction.sessions().join("s", StateFiles.entered("mail"));
                        transaction.sessions().begin(StateFiles.session("t"));
                        transaction.audit().append(StateFiles.event(2));
                        throw new IllegalStateException("changed its mind");
                    }));
            assertEquals(before, live(engine, "s").orElseThrow().label());
            assertEquals(Optional.empty(), live(engine, "t"));
            StateFiles.append(engine, 2);
        }
        assertWhole(2, SqliteEngine.verifyAudit(file));
    }
}
