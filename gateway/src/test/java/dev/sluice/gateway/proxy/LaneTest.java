package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

final class LaneTest {

    private final List<String> logged = Collections.synchronizedList(new ArrayList<>());
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final Lane lane = new Lane(logged::add);

    private void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS), "it hangs");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void run(Runnable work) {
        assertTrue(lane.run(1, work));
    }

    private void run(BooleanSupplier mustWait, Runnable slow, Runnable quick) {
        assertTrue(lane.run(1, mustWait, slow, quick));
    }

    /** Fills the lane behind work that waits; returns how many messages of that length it takes. */
    private int taken(long length) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        run(
                () -> true,
                () -> {
                    begun.countDown();
                    await(release);
                },
                () -> done.add("wrong"));
        await(begun);
        int taken = 0;
        while (taken < 100_000 && lane.run(length, () -> {})) {
            taken++;
        }
        release.countDown();
        CountDownLatch end = new CountDownLatch(1);
        while (!lane.run(1, end::countDown)) {
            Thread.onSpinWait();
        }
        await(end);
        return taken;
    }

    @Test
    void whatWaits_isBounded_inBytesAndInNumber_andWhatWasDoneMakesRoom() {
        assertEquals(16, taken(1 << 20));
        assertEquals(16, taken(1 << 20), "nothing of before counts");
        assertEquals(Lane.MOST, taken(0));
        assertEquals(1, taken(1 << 30), "one message may be as long as any");
    }

    @Test
    void quickWork_isDoneAtOnceOnTheCallersThread() {
        Thread[] ran = new Thread[1];
        run(() -> ran[0] = Thread.currentThread());
        assertSame(Thread.currentThread(), ran[0]);
        run(() -> false, () -> done.add("slow"), () -> done.add("quick"));
        assertEquals(List.of("quick"), done);
    }

    @Test
    void workBehindSlowWork_waitsAndKeepsItsOrder() {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        run(
                () -> true,
                () -> {
                    await(release);
                    done.add("1");
                },
                () -> done.add("wrong"));
        run(() -> done.add("2"));
        run(() -> false, () -> done.add("3"), () -> done.add("wrong"));
        run(end::countDown);
        assertEquals(List.of(), done, "nothing overtakes");
        release.countDown();
        await(end);
        assertEquals(List.of("1", "2", "3"), done);
    }

    @Test
    void fault_isLoggedAndStopsNothing() {
        CountDownLatch end = new CountDownLatch(1);
        run(
                () -> true,
                () -> {
                    throw new IllegalStateException("broken");
                },
                () -> done.add("wrong"));
        run(end::countDown);
        await(end);
        run(() -> {
            throw new IllegalStateException("broken too");
        });
        // The lane may still be winding down, and then does this work itself: wait for whatever stands behind it.
        CountDownLatch last = new CountDownLatch(1);
        run(last::countDown);
        await(last);
        assertEquals(
                List.of(
                        "handling a message of the client failed: broken",
                        "handling a message of the client failed: broken too"),
                logged);
    }
}
