package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

    @Test
    void quickWork_isDoneAtOnceOnTheCallersThread() {
        Thread[] ran = new Thread[1];
        lane.run(() -> ran[0] = Thread.currentThread());
        assertSame(Thread.currentThread(), ran[0]);
        lane.run(() -> false, () -> done.add("slow"), () -> done.add("quick"));
        assertEquals(List.of("quick"), done);
    }

    @Test
    void workBehindSlowWork_waitsAndKeepsItsOrder() {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        lane.run(
                () -> true,
                () -> {
                    await(release);
                    done.add("1");
                },
                () -> done.add("wrong"));
        lane.run(() -> done.add("2"));
        lane.run(() -> false, () -> done.add("3"), () -> done.add("wrong"));
        lane.run(end::countDown);
        assertEquals(List.of(), done, "nothing overtakes");
        release.countDown();
        await(end);
        assertEquals(List.of("1", "2", "3"), done);
    }

    @Test
    void fault_isLoggedAndStopsNothing() {
        CountDownLatch end = new CountDownLatch(1);
        lane.run(
                () -> true,
                () -> {
                    throw new IllegalStateException("broken");
                },
                () -> done.add("wrong"));
        lane.run(end::countDown);
        await(end);
        lane.run(() -> {
            throw new IllegalStateException("broken too");
        });
        // The lane may still be winding down, and then does this work itself: wait for whatever stands behind it.
        CountDownLatch last = new CountDownLatch(1);
        lane.run(last::countDown);
        await(last);
        assertEquals(
                List.of(
                        "handling a message of the client failed: broken",
                        "handling a message of the client failed: broken too"),
                logged);
    }
}
