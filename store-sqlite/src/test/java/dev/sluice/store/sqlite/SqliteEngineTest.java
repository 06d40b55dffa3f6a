// This file has more than 400 lines because each step of the schema stands here with its test.
package dev.sluice.store.sqlite;

import static dev.sluice.store.sqlite.StateFiles.assertWhole;
import static dev.sluice.store.sqlite.StateFiles.sql;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.store.Engine;
import dev.sluice.store.PinStore;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteEngineTest {

    @TempDir
    Path folder;

    private static Engine open(Path file) {
        return SqliteEngine.open(file, SqliteEngine.Options.DEFAULT);
    }

    private static StoreException refused(Path file) {
        return assertThrows(StoreException.class, () -> open(file).close());
    }

    private static long records(Engine engine) {
        return engine.transact(transaction ->
                (long) transaction.audit().read(1, Integer.MAX_VALUE).size());
    }

    @Test
    void closedFile_keepsEverythingInOneFile() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 5);
        try (var left = Files.list(folder)) {
            assertEquals(List.of(file), left.toList());
        }
        try (Engine engine = open(file)) {
            assertEquals(5, records(engine));
            assertEquals(
                    StateFiles.entered("fs"),
                    engine.transact(transaction ->
                                    transaction.sessions().live("key of s").orElseThrow())
                            .label());
        }
    }

    @Test
    void newFileAndFolders_arePrivate() throws Exception {
        assumeTrue(folder.getFileSystem().supportedFileAttributeViews().contains("posix"));
        Path file = folder.resolve("a/b/state.db");
        try (Engine engine = open(file)) {
            StateFiles.append(engine, 1);
            for (Path path : List.of(folder.resolve("a"), folder.resolve("a/b"))) {
                assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            }
            try (var files = Files.list(folder.resolve("a/b"))) {
                for (Path path : files.toList()) { // the log and the shared memory beside it too
                    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
                }
            }
        }
    }

    @Test
    void oddFileName_isTakenAsItIs() {
        Path file = folder.resolve("a?mode=memory #1 %20/s t'?.db");
        StateFiles.fill(file, 1);
        assertTrue(Files.isRegularFile(file));
        assertWhole(1, SqliteEngine.verifyAudit(file));
    }

    @Test
    void fileOfTheFirstSchema_isBroughtToTheNewest() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 1);
        for (String later : List.of("sequence", "approval", "variable", "prompt", "spent", "secret")) {
            sql(file, "DROP TABLE " + later);
        }
        toSchema6(file);
        sql(file, "PRAGMA user_version = 1");
        try (SqliteEngine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT)) {
            assertEquals(
                    java.util.Map.of(), engine.transact(tx -> tx.sequences().of("none")));
        }
        assertWhole(1, SqliteEngine.verifyAudit(file));
    }

    private static void toSchema6(Path file) throws Exception {
        sql(
                file,
                "DROP INDEX session_live_principal",
                "ALTER TABLE session DROP COLUMN witness",
                "PRAGMA user_version = 6");
    }

    @Test
    void sessionOfTheSixthSchema_hasNoWitnessUntilOneComes() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 1);
        toSchema6(file);
        try (Engine engine = open(file)) {
            assertEquals("", StateFiles.live(engine, "s").orElseThrow().witness());
            engine.transact(tx -> {
                tx.sessions().witness("s", "one");
                return true;
            });
        }
        try (Engine engine = open(file)) {
            assertEquals("one", StateFiles.live(engine, "s").orElseThrow().witness());
        }
    }

    private static List<String> ofAna(Engine engine) {
        return engine.transact(tx -> tx.sessions().ofPrincipal("ana").stream()
                .map(session -> session.id() + " "
                        + session.label().label().confidentiality().sources().size())
                .toList());
    }

    /** Schema 6 looked through the live sessions of everybody for those of one principal. */
    @Test
    void fileOfTheSixthSchema_findsTheSessionsOfAPrincipalWithoutLookingAtOthers() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 1);
        toSchema6(file);

        try (Engine engine = open(file)) {
            assertEquals(List.of("s 1"), ofAna(engine));
            assertEquals(
                    List.of("SEARCH session USING INDEX session_live_principal (principal=?)"),
                    StateFiles.plan(file, "SELECT id FROM session " + SqliteSessions.OF_PRINCIPAL));
        }
        assertWhole(1, SqliteEngine.verifyAudit(file));
    }

    @Test
    void newerFile_isRefusedAndLeftAlone() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 1);
        sql(file, "PRAGMA user_version = 99");
        byte[] before = Files.readAllBytes(file);
        assertTrue(refused(file).getMessage().contains("newer sluice"));
        assertThrows(StoreException.class, () -> SqliteEngine.verifyAudit(file));
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    @Test
    void anotherProgramsDatabase_isRefusedAndLeftAlone() throws Exception {
        Path file = folder.resolve("other.db");
        sql(file, "CREATE TABLE t (a)");
        byte[] before = Files.readAllBytes(file);
        assertTrue(refused(file).getMessage().contains("another program"));
        assertThrows(StoreException.class, () -> SqliteEngine.verifyAudit(file));
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    @Test
    void otherFile_isRefusedAndLeftAlone() throws Exception {
        Path file = folder.resolve("policy.yaml");
        Files.writeString(file, "version: 1\nmode: enforce\n".repeat(100));
        byte[] before = Files.readAllBytes(file);
        assertTrue(refused(file).getMessage().contains("no sluice state file"));
        assertArrayEquals(before, Files.readAllBytes(file));
    }

    @Test
    void folderInPlaceOfFile_isRefused() {
        assertTrue(refused(folder).getMessage().contains("folder"));
    }

    @Test
    void fileInPlaceOfFolder_isRefused() throws Exception {
        Files.writeString(folder.resolve("a"), "x");
        assertTrue(refused(folder.resolve("a/state.db")).getMessage().contains("in the way"));
    }

    @Test
    void replacedFile_isNoticed() throws Exception {
        Path file = folder.resolve("state.db");
        try (Engine engine = open(file)) {
            StateFiles.append(engine, 1);
            Files.move(file, folder.resolve("old.db"));
            assertThrows(StoreException.class, () -> StateFiles.append(engine, 2));
            Files.copy(folder.resolve("old.db"), file);
            assertThrows(StoreException.class, () -> StateFiles.append(engine, 2));
        }
    }

    @Test
    void otherProcessThatKeepsTheLock_isNamedInTheEnd_andThenWorkGoesOn() throws Exception {
        Path file = folder.resolve("state.db");
        try (Engine engine = SqliteEngine.open(file, SqliteEngine.Options.DEFAULT.with(Duration.ofMillis(50)));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            StoreException busy = assertThrows(StoreException.class, () -> StateFiles.append(engine, 1));
            assertTrue(busy.getMessage().contains("another process"), busy.getMessage());
            statement.execute("ROLLBACK");
            StateFiles.append(engine, 1);
            assertEquals(1, records(engine));
        }
    }

    @Test
    void damageUnderAWork_failsItAndLetsTheOthersGoOn() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 3);
        sql(file, "DROP TABLE pin");
        try (Engine engine = open(file)) {
            StoreException failed = assertThrows(
                    StoreException.class,
                    () -> engine.transact(transaction -> {
                        StateFiles.session("x");
                        transaction.sessions().begin(StateFiles.session("x"));
                        try {
                            return transaction.pins().all().size();
                        } catch (StoreException swallowed) {
                            return transaction.sessions().end("s", Instant.EPOCH) ? 1 : 0;
                        }
                    }));
            assertTrue(failed.getMessage().contains("pin"), failed.getMessage());
            // Even one that swallows the failure and does nothing more has not succeeded.
            assertThrows(
                    StoreException.class,
                    () -> engine.transact(transaction -> {
                        transaction.sessions().begin(StateFiles.session("y"));
                        assertThrows(
                                StoreException.class, () -> transaction.pins().all());
                        return true;
                    }));
            StateFiles.append(engine, 4);
            assertEquals(
                    List.of("s"),
                    engine.transact(transaction -> transaction.sessions().live()).stream()
                            .map(Session::id)
                            .toList());
            assertEquals(4, records(engine));
        }
    }

    @Test
    void unreadableLabel_stopsItsSessionUntilThatIsEnded() throws Exception {
        Path file = folder.resolve("state.db");
        StateFiles.fill(file, 0);
        sql(file, "UPDATE session SET label = replace(label, 'confidentiality', 'confidentialitx')");
        try (Engine engine = open(file)) {
            StoreException unreadable = assertThrows(
                    StoreException.class,
                    () -> engine.transact(transaction -> transaction.sessions().live("key of s")));
            assertTrue(unreadable.getMessage().startsWith("session `s`: "), unreadable.getMessage());
            assertThrows(
                    StoreException.class,
                    () -> engine.transact(transaction -> transaction.sessions().join("s", StateFiles.entered("mail"))));
            boolean ended =
                    engine.transact(transaction -> transaction.sessions().end("s", Instant.EPOCH));
            assertTrue(ended);
            assertEquals(
                    List.of(),
                    engine.transact(transaction -> transaction.sessions().live()));
        }
    }

    @Test
    void nameWithHalfASurrogatePair_isRefused() {
        try (Engine engine = open(folder.resolve("state.db"))) {
            assertThrows(
                    StoreException.class,
                    () -> engine.transact(transaction -> {
                        transaction.pins().pin(new PinStore.Pin("fs", "tool", "\udc00", "d", Instant.EPOCH));
                        return true;
                    }));
            boolean found = engine.transact(
                    transaction -> transaction.pins().find("fs", "tool", "?").isPresent());
            assertFalse(found);
        }
    }

    @Test
    void twoEnginesOfOneProcess_seeEachOther() {
        Path file = folder.resolve("state.db");
        try (Engine one = open(file);
                Engine other = open(file)) {
            for (int n = 1; n <= 20; n++) {
                StateFiles.append(n % 2 == 0 ? one : other, n);
            }
            assertEquals(20, records(one));
        }
        assertWhole(20, SqliteEngine.verifyAudit(file));
    }

    @Test
    void interruptedCallersAtAFullQueue_getInOnce() throws Exception {
        Path file = folder.resolve("state.db");
        int callers = 12;
        ExecutorService pool = Executors.newFixedThreadPool(callers);
        try (Engine engine = SqliteEngine.open(
                file, new SqliteEngine.Options(SqliteEngine.Durability.NORMAL, Duration.ofSeconds(10), 1))) {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<Boolean>> running = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                running.add(pool.submit(() -> {
                    go.await();
                    boolean kept = true;
                    for (int n = 0; n < 30; n++) {
                        Thread.currentThread().interrupt();
                        StateFiles.append(engine, n);
                        kept &= Thread.interrupted();
                    }
                    return kept;
                }));
            }
            go.countDown();
            for (Future<Boolean> one : running) {
                assertTrue(one.get());
            }
            assertEquals(callers * 30L, records(engine));
        } finally {
            pool.shutdown();
        }
    }

    /** Those that find nobody at work and those that wait for the writer, some of them undone, make one log. */
    @Test
    void worksOfManyCallers_someOfThemRefused_leaveAWholeLog() throws Exception {
        Path file = folder.resolve("state.db");
        int callers = 8;
        int each = 50;
        ExecutorService pool = Executors.newFixedThreadPool(callers);
        AtomicInteger kept = new AtomicInteger();
        try (Engine engine = open(file)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                SplittableRandom random = new SplittableRandom(i);
                running.add(pool.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        boolean refuse = random.nextInt(3) == 0;
                        try {
                            engine.transact(transaction -> {
                                transaction.audit().append(StateFiles.event(1));
                                if (refuse) {
                                    throw new IllegalStateException("changed its mind");
                                }
                                return transaction.audit().append(StateFiles.event(2));
                            });
                            kept.addAndGet(2);
                        } catch (IllegalStateException expected) {
                            assertTrue(refuse, "only those that refuse fail");
                        }
                    }
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            pool.shutdown();
        }
        assertTrue(kept.get() > 0 && kept.get() < 2 * callers * each);
        assertWhole(kept.get(), SqliteEngine.verifyAudit(file));
    }

    @Test
    void workInsideAWork_isRefused_whoeverDoesIt() {
        try (Engine engine = open(folder.resolve("state.db"))) {
            StoreException nested =
                    assertThrows(StoreException.class, () -> engine.transact(outer -> engine.transact(inner -> true)));
            assertTrue(nested.getMessage().contains("inside another"), nested.getMessage());
            Runnable close = engine::close;
            StoreException closing = assertThrows(
                    StoreException.class,
                    () -> engine.transact(outer -> {
                        close.run();
                        return true;
                    }));
            assertTrue(closing.getMessage().contains("inside a transaction"), closing.getMessage());
            StateFiles.append(engine, 1);
        }
    }
}
