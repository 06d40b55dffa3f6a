package dev.sluice.store.sqlite;

import static dev.sluice.store.sqlite.StateFiles.assertWhole;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.SessionLabel;
import dev.sluice.store.Engine;
import dev.sluice.store.SequenceStore;
import dev.sluice.store.Session;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
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
            assertEquals(seen, StateFiles.live(one, "s").orElseThrow().label());
            SessionLabel more =
                    one.transact(transaction -> transaction.sessions().join("s", StateFiles.entered("files")));
            assertEquals(more, StateFiles.live(other, "s").orElseThrow().label());
            boolean ended = other.transact(transaction -> transaction.sessions().end("s", Instant.EPOCH));
            assertTrue(ended);
            assertEquals(Optional.empty(), StateFiles.live(one, "s"));
        }
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
            SessionLabel before = StateFiles.live(engine, "s").orElseThrow().label();
            assertThrows(
                    IllegalStateException.class,
                    () -> engine.transact(transaction -> {
                        transaction.sessions().join("s", StateFiles.entered("mail"));
                        transaction.sessions().begin(StateFiles.session("t"));
                        transaction.audit().append(StateFiles.event(2));
                        throw new IllegalStateException("changed its mind");
                    }));
            assertEquals(before, StateFiles.live(engine, "s").orElseThrow().label());
            assertEquals(Optional.empty(), StateFiles.live(engine, "t"));
            StateFiles.append(engine, 2);
        }
        assertWhole(2, SqliteEngine.verifyAudit(file));
    }

    private static Session of(String principal, String id) {
        return new Session(
                id, "key of " + id, principal, "host", StateFiles.START, StateFiles.START, "", SessionLabel.EMPTY);
    }

    private static List<Session> list(String principal, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> of(principal, principal + n))
                .toList();
    }

    /** What changes of one principal is no reason to read the sessions of another again. */
    @Test
    void listOfAPrincipal_isKept_untilOneOfItsOwnSessionsChanges() {
        Remembered remembered = new Remembered();
        remembered.ofPrincipal("ana", list("ana", 2));
        remembered.ofPrincipal("bo", list("bo", 1));

        remembered.changed("bo0");
        remembered.changed("a session in no list");
        remembered.begun("cy");
        assertEquals(Optional.of(list("ana", 2)), remembered.ofPrincipal("ana"));
        assertEquals(Optional.empty(), remembered.ofPrincipal("bo"));

        remembered.begun("ana");
        assertEquals(Optional.empty(), remembered.ofPrincipal("ana"));
        remembered.ofPrincipal("ana", list("ana", 3));
        remembered.changed("ana2");
        assertEquals(Optional.empty(), remembered.ofPrincipal("ana"));
        remembered.ofPrincipal("ana", list("ana", 3));
        remembered.undo();
        assertEquals(Optional.empty(), remembered.ofPrincipal("ana"));
    }

    /** What is asked again while no session moved is not read again. */
    @Test
    void statesOfSequences_areReadOnce_untilASessionMoves() {
        Remembered remembered = new Remembered();
        List<String> reads = new ArrayList<>();
        Runnable ask = () -> {
            remembered.states("one", id -> reads.add(id) ? Map.of("a", 1) : Map.of());
            remembered.farthest(
                    List.of("one", "two"),
                    ids -> reads.add("both") ? Map.of("a", new SequenceStore.Farthest(1, 1)) : Map.of());
        };
        ask.run();
        ask.run();
        assertEquals(List.of("one", "both"), reads);
        remembered.moved("two");
        ask.run();
        assertEquals(List.of("one", "both", "both"), reads);
        remembered.moved("one");
        ask.run();
        assertEquals(List.of("one", "both", "both", "one", "both"), reads);
        remembered.begin(1);
        ask.run();
        assertEquals(7, reads.size(), "somebody else wrote to the file");
    }

    /** Those of principals that were not asked about for the longest make room. */
    @Test
    void listsOfPrincipals_areBoundedTogether() {
        Remembered remembered = new Remembered();
        remembered.ofPrincipal("ana", list("ana", 1_024));
        remembered.ofPrincipal("bo", list("bo", 1_025));
        assertEquals(Optional.empty(), remembered.ofPrincipal("bo"), "too many of one");
        for (String other : List.of("cy", "di", "el")) {
            remembered.ofPrincipal(other, list(other, 1_024));
        }
        assertTrue(remembered.ofPrincipal("ana").isPresent());
        remembered.ofPrincipal("flo", list("flo", 1));
        assertTrue(remembered.ofPrincipal("ana").isPresent());
        assertEquals(Optional.empty(), remembered.ofPrincipal("cy"));
        for (int i = 0; i < 1_100; i++) {
            remembered.ofPrincipal("nobody " + i, List.of());
        }
        assertEquals(Optional.empty(), remembered.ofPrincipal("nobody 0"), "names take room too");
    }
}
