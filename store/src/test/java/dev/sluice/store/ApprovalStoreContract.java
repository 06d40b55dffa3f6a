package dev.sluice.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every {@link ApprovalStore} does. */
public abstract class ApprovalStoreContract {

    private static final Instant AT = Instant.parse("2026-03-01T10:00:00.000000001Z");
    private static final Instant END = AT.plusSeconds(60);

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

    private <T> T in(Function<ApprovalStore, T> work) {
        return engine.transact(transaction -> work.apply(transaction.approvals()));
    }

    private boolean does(Predicate<ApprovalStore> work) {
        return in(work::test);
    }

    private static Approval question(String id, String call, Instant asked) {
        return new Approval(
                id,
                call,
                "flow of " + call,
                "ana",
                "s1",
                "{\"quoted\":\"\u00e9\"}",
                asked,
                asked.plusSeconds(60),
                Status.PENDING,
                Reach.CALL,
                0);
    }

    private Approval asked(String id, String call, Instant asked) {
        Approval question = question(id, call, asked);
        in(approvals -> {
            approvals.ask(question);
            return true;
        });
        return question;
    }

    private boolean approve(String id, Reach reach) {
        return does(approvals -> approvals.answer(id, Status.APPROVED, reach, END, AT));
    }

    private Approval byId(String id) {
        return in(approvals -> approvals.byId(id)).orElseThrow();
    }

    @Test
    void asked_isFoundWhole() {
        Approval question = asked("q1", "c1", AT);

        assertEquals(question, byId("q1"));
        assertEquals(Optional.of(question), in(approvals -> approvals.ofCall("c1", AT)));
        assertEquals(List.of(question), in(approvals -> approvals.open(AT)));
        assertEquals(Optional.empty(), in(approvals -> approvals.byId("q2")));
        assertEquals(Optional.empty(), in(approvals -> approvals.ofCall("c2", AT)));
        assertEquals(List.of(), in(approvals -> approvals.ofFlow("flow of c1", AT)), "nobody said yes");
    }

    @Test
    void sameId_isRefused_andTheFirstStands() {
        Approval question = asked("q1", "c1", AT);

        assertThrows(StoreException.class, () -> asked("q1", "c2", AT));
        assertEquals(question, byId("q1"));
    }

    @Test
    void overAtItsEnd_andNotBefore() {
        asked("q1", "c1", AT);

        assertTrue(in(approvals -> approvals.ofCall("c1", END.minusNanos(1))).isPresent());
        assertFalse(in(approvals -> approvals.ofCall("c1", END)).isPresent());
        assertEquals(List.of(), in(approvals -> approvals.open(END)));
        assertTrue(in(approvals -> approvals.byId("q1")).isPresent(), "what is over can still be looked at");
    }

    @Test
    void askedAgain_theLastCounts_andAllAreInOrder() {
        asked("q2", "c1", AT.plusSeconds(1));
        asked("q1", "c1", AT);
        asked("q0", "c1", AT.plusSeconds(1));

        assertEquals(
                "q2", in(approvals -> approvals.ofCall("c1", AT)).orElseThrow().id());
        assertEquals(
                List.of("q1", "q0", "q2"),
                in(approvals -> approvals.open(AT)).stream().map(Approval::id).toList());
    }

    @Test
    void yesToACall_isUsedOnce() {
        asked("q1", "c1", AT);
        assertFalse(does(approvals -> approvals.use("q1", AT)), "nobody has answered");

        assertTrue(approve("q1", Reach.CALL));
        assertTrue(does(approvals -> approvals.use("q1", AT)));
        assertFalse(does(approvals -> approvals.use("q1", AT)), "it is used");

        assertEquals(Status.USED, byId("q1").status());
        assertEquals(1, byId("q1").uses());
    }

    @Test
    void yesToAFlow_isUsedUntilItEnds() {
        asked("q1", "c1", AT);
        approve("q1", Reach.FLOW);

        assertEquals(
                List.of("q1"),
                in(approvals -> approvals.ofFlow("flow of c1", AT)).stream()
                        .map(Approval::id)
                        .toList());
        assertTrue(does(approvals -> approvals.use("q1", AT)));
        assertTrue(does(approvals -> approvals.use("q1", END.minusNanos(1))));
        assertFalse(does(approvals -> approvals.use("q1", END)));
        assertEquals(List.of(), in(approvals -> approvals.ofFlow("flow of c1", END)));
        assertEquals(2, byId("q1").uses());
    }

    @Test
    void yesToACall_isNoFlow() {
        asked("q1", "c1", AT);
        approve("q1", Reach.CALL);

        assertEquals(List.of(), in(approvals -> approvals.ofFlow("flow of c1", AT)));
    }

    @Test
    void no_isNeverUsed() {
        asked("q1", "c1", AT);

        assertTrue(does(approvals -> approvals.answer("q1", Status.DENIED, Reach.CALL, END, AT)));
        assertFalse(does(approvals -> approvals.use("q1", AT)));
        assertEquals(Status.DENIED, byId("q1").status());
    }

    @Test
    void answeredTwice_theFirstAnswerStands() {
        asked("q1", "c1", AT);
        in(approvals -> approvals.answer("q1", Status.DENIED, Reach.CALL, END, AT));

        assertFalse(approve("q1", Reach.FLOW));
        assertEquals(Status.DENIED, byId("q1").status());
    }

    @Test
    void answeredTooLate_isNotAnswered() {
        asked("q1", "c1", AT);

        assertFalse(does(approvals -> approvals.answer("q1", Status.APPROVED, Reach.CALL, END.plusSeconds(60), END)));
        assertEquals(Status.PENDING, byId("q1").status());
        assertFalse(approve("q2", Reach.CALL), "nobody asked that");
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.class,
            names = {"PENDING", "USED"})
    void neitherYesNorNo_isNoAnswer(Status status) {
        asked("q1", "c1", AT);

        IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class,
                () -> in(approvals -> approvals.answer("q1", status, Reach.CALL, END, AT)));
        assertEquals("`" + status + "` is no answer: say yes or no", refused.getMessage());
    }

    @Test
    void takenBack_isOverAtOnce() {
        asked("q1", "c1", AT);
        assertFalse(does(approvals -> approvals.revoke("q1", AT)), "there is nothing to take back yet");
        approve("q1", Reach.FLOW);

        assertTrue(does(approvals -> approvals.revoke("q1", AT)));
        assertFalse(does(approvals -> approvals.use("q1", AT)));
        assertFalse(does(approvals -> approvals.revoke("q1", AT)));
        assertEquals(List.of(), in(approvals -> approvals.ofFlow("flow of c1", AT)));
    }

    @Test
    void forgotten_isWhatWasOver() {
        asked("q1", "c1", AT);
        asked("q2", "c2", AT.plusSeconds(1));

        int forgotten = in(approvals -> approvals.forget(END));
        assertEquals(1, forgotten);
        assertEquals(Optional.empty(), in(approvals -> approvals.byId("q1")));
        assertTrue(in(approvals -> approvals.byId("q2")).isPresent());
    }

    @Test
    void failedWork_leavesNothing() {
        asked("q1", "c1", AT);
        approve("q1", Reach.CALL);

        assertThrows(
                IllegalStateException.class,
                () -> in(approvals -> {
                    approvals.use("q1", AT);
                    approvals.ask(question("q2", "c2", AT));
                    throw new IllegalStateException("on purpose");
                }));

        assertEquals(Status.APPROVED, byId("q1").status());
        assertEquals(Optional.empty(), in(approvals -> approvals.byId("q2")));
    }

    @Test
    void spent_isSpentOnce_untilItsEnd() {
        assertTrue(does(approvals -> approvals.spend("n1", END, AT)));
        assertFalse(does(approvals -> approvals.spend("n1", END, AT)));
        assertFalse(does(approvals -> approvals.spend("n1", END, END.minusNanos(1))));
        assertTrue(does(approvals -> approvals.spend("n2", END, AT)), "another one");
        assertTrue(does(approvals -> approvals.spend("n1", END, END)), "it is forgotten when it is over");
    }

    @Test
    void failedWork_spendsNothing_andKeepsNoSecret() {
        assertThrows(
                IllegalStateException.class,
                () -> in(approvals -> {
                    approvals.spend("n1", END, AT);
                    approvals.secret("one");
                    throw new IllegalStateException("on purpose");
                }));

        assertTrue(does(approvals -> approvals.spend("n1", END, AT)));
        assertEquals("two", in(approvals -> approvals.secret("two")));
    }

    @Test
    void secret_isTheFirstOneForEver() {
        assertEquals("one", in(approvals -> approvals.secret("one")));
        assertEquals("one", in(approvals -> approvals.secret("two")));
        in(approvals -> approvals.forget(END.plusSeconds(60)));
        assertEquals("one", in(approvals -> approvals.secret("three")));
    }

    @Test
    void spentByManyAtOnce_isSpentOnce() throws Exception {
        onceOfMany(() -> does(approvals -> approvals.spend("n1", END, AT)));
    }

    @Test
    void usedByManyAtOnce_isUsedOnce() throws Exception {
        asked("q1", "c1", AT);
        approve("q1", Reach.CALL);
        onceOfMany(() -> does(approvals -> approvals.use("q1", AT)));
    }

    private static void onceOfMany(Callable<Boolean> use) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Boolean>> all = threads.invokeAll(List.of(use, use, use, use, use, use, use, use));
            List<Boolean> done = new ArrayList<>();
            for (Future<Boolean> each : all) {
                done.add(each.get());
            }
            assertEquals(1, done.stream().filter(each -> each).count());
        } finally {
            threads.shutdownNow();
        }
    }
}
