package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What every engine does. */
public abstract class EngineContract {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private Engine engine;

    /** Returns a new engine with nothing in it. */
    protected abstract Engine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private static ObjectNode event(String what) {
        return JsonNodeFactory.instance.objectNode().put("what", what);
    }

    private static SessionLabel entered(String server) {
        return SessionLabel.EMPTY.observe(
                Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer(server))),
                new Origin(START, "c1", server, "read"));
    }

    private static Session session(String id) {
        return new Session(id, "key of " + id, "ana", "host", START, START, "", SessionLabel.EMPTY);
    }

    private static int everything(Transaction transaction) {
        return transaction.sessions().live().size()
                + transaction.audit().read(1, 100).size()
                + transaction.pins().all().size();
    }

    private int stored() {
        return engine.transact(EngineContract::everything);
    }

    /** Does one of everything that can be done. */
    private static void touchAll(Transaction transaction) {
        transaction.sessions().begin(session("new"));
        transaction.sessions().join("old", entered("fs"));
        transaction.sessions().touch("old", START.plusSeconds(5), "{}");
        transaction.sessions().end("old", START.plusSeconds(6));
        transaction.audit().append(event("one"));
        transaction.audit().append(event("two"));
        transaction.pins().pin(new PinStore.Pin("fs", "tool", "read", "sha256:1", START));
        transaction.pins().pin(new PinStore.Pin("fs", "tool", "write", "sha256:2", START));
    }

    private void givenOldState() {
        engine.transact(transaction -> {
            transaction.sessions().begin(session("old"));
            transaction.audit().append(event("zero"));
            transaction.pins().pin(new PinStore.Pin("fs", "tool", "read", "sha256:0", START));
            return true;
        });
    }

    @Test
    void result_isReturnedAndKept() {
        givenOldState();
        assertEquals("done", engine.transact(transaction -> {
            touchAll(transaction);
            return "done";
        }));
        engine.transact(transaction -> {
            assertEquals(3, transaction.audit().read(1, 100).size());
            assertEquals(2, transaction.pins().all().size());
            assertEquals(
                    List.of("new"),
                    transaction.sessions().live().stream().map(Session::id).toList());
            assertEquals(
                    entered("fs"),
                    transaction.sessions().byId("old").orElseThrow().label());
            return true;
        });
    }

    @Test
    void workThatThrows_leavesNothing_andItsOwnExceptionComesOut() {
        givenOldState();
        RuntimeException thrown = new UnsupportedOperationException("on purpose");
        assertSame(
                thrown,
                assertThrows(
                        UnsupportedOperationException.class,
                        () -> engine.transact(transaction -> {
                            touchAll(transaction);
                            throw thrown;
                        })));
        engine.transact(transaction -> {
            assertEquals(3, everything(transaction));
            assertEquals(
                    "sha256:0",
                    transaction.pins().find("fs", "tool", "read").orElseThrow().digest());
            assertEquals(1, transaction.audit().head().orElseThrow().seq());
            assertEquals(
                    session("old"), transaction.sessions().live("key of old").orElseThrow());
            transaction.sessions().begin(session("new"));
            return true;
        });
    }

    @Test
    void workThatDies_leavesNothing() {
        givenOldState();
        assertThrows(
                StackOverflowError.class,
                () -> engine.transact(transaction -> {
                    touchAll(transaction);
                    throw new StackOverflowError();
                }));
        assertEquals(3, stored());
    }

    @Test
    void refusedCall_doesNothing_andTheWorkMayGoOn() {
        givenOldState();
        engine.transact(transaction -> {
            assertThrows(StoreException.class, () -> transaction.sessions().begin(session("old")));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> transaction.audit().append(event("x").put("seq", 4)));
            return transaction.audit().append(event("one"));
        });
        AuditHead head =
                engine.transact(transaction -> transaction.audit().head().orElseThrow());
        assertEquals(2, head.seq());
    }

    @Test
    void closedEngine_refuses() {
        engine.close();
        engine.close();
        StoreException refused = assertThrows(StoreException.class, this::stored);
        assertTrue(refused.getMessage().contains("closed"), refused.getMessage());
    }

    @Test
    void transactionInsideAnother_isRefused() {
        assertThrows(StoreException.class, () -> engine.transact(outer -> engine.transact(EngineContract::everything)));
        assertEquals(0, stored());
    }

    @Test
    void closingInsideATransaction_isRefused() {
        assertThrows(
                StoreException.class,
                () -> engine.transact(outer -> {
                    engine.close();
                    return true;
                }));
        assertEquals(0, stored());
    }

    @Test
    void keptTransaction_isOver() {
        AtomicReference<SessionStore> sessions = new AtomicReference<>();
        Transaction kept = engine.transact(transaction -> {
            sessions.set(transaction.sessions());
            return transaction;
        });
        assertThrows(StoreException.class, () -> sessions.get().begin(session("late")));
        assertThrows(StoreException.class, () -> kept.audit().append(event("late")));
        assertThrows(StoreException.class, () -> kept.pins().all());
        assertEquals(0, stored());
    }

    @Test
    void transactionOfAnotherThread_isRefused() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            engine.transact(transaction -> {
                AuditLog audit = transaction.audit();
                Future<AuditRecord> late = other.submit(() -> audit.append(event("elsewhere")));
                Exception refused = assertThrows(Exception.class, late::get);
                assertInstanceOf(StoreException.class, refused.getCause());
                return true;
            });
        } finally {
            other.shutdown();
        }
        assertEquals(0, stored());
    }

    @Test
    void interruptedCaller_getsItsResultOnce_andStaysInterrupted() {
        for (int i = 1; i <= 50; i++) {
            Thread.currentThread().interrupt();
            long seq = engine.transact(
                    transaction -> transaction.audit().append(event("one")).seq());
            assertTrue(Thread.interrupted());
            assertEquals(i, seq);
        }
    }

    @Test
    void manyThreads_loseNothing() throws Exception {
        int threads = 8;
        int each = 25;
        engine.transact(transaction -> {
            transaction.sessions().begin(session("shared"));
            return true;
        });
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Integer>> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            String name = "t" + t;
            running.add(pool.submit(() -> {
                go.await();
                int done = 0;
                for (int i = 0; i < each; i++) {
                    String server = name + "-" + i;
                    boolean fails = i % 5 == 4;
                    try {
                        engine.transact(transaction -> {
                            transaction.sessions().join("shared", entered(server));
                            transaction.audit().append(event(server));
                            if (fails) {
                                throw new IllegalStateException("on purpose");
                            }
                            return true;
                        });
                        assertFalse(fails);
                        done++;
                    } catch (IllegalStateException e) {
                        assertTrue(fails);
                    }
                }
                return done;
            }));
        }
        go.countDown();
        int done = 0;
        for (Future<Integer> one : running) {
            done += one.get();
        }
        pool.shutdown();
        assertEquals(threads * each * 4 / 5, done);
        int expected = done;
        engine.transact(transaction -> {
            SessionLabel label =
                    transaction.sessions().byId("shared").orElseThrow().label();
            List<AuditRecord> records = transaction.audit().read(1, Integer.MAX_VALUE);
            assertEquals(expected, label.label().confidentiality().sources().size());
            assertEquals(expected, records.size());
            for (int t = 0; t < threads; t++) {
                assertFalse(label.label().confidentiality().sources().contains(new Source.OfServer("t" + t + "-4")));
            }
            assertInstanceOf(
                    AuditChain.Outcome.Whole.class,
                    AuditChain.verify(
                            records.iterator(), transaction.audit().head().orElseThrow()));
            return true;
        });
    }

    @Test
    void closingWhileOthersWork_keepsExactlyWhatReturned() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        CountDownLatch begun = new CountDownLatch(20);
        List<Future<Integer>> running = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            running.add(pool.submit(() -> {
                int done = 0;
                try {
                    while (true) {
                        engine.transact(transaction -> transaction.audit().append(event("one")));
                        done++;
                        begun.countDown();
                    }
                } catch (StoreException closed) {
                    return done;
                }
            }));
        }
        begun.await();
        engine.close();
        int done = 0;
        for (Future<Integer> one : running) {
            done += one.get();
        }
        pool.shutdown();
        assertTrue(done >= 20);
        assertKept(done);
    }

    /** Checks, where an engine outlives its closing, that the log has {@code records}; the one in memory does not. */
    protected void assertKept(int records) throws Exception {}
}
