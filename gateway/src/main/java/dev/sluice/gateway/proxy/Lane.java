package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Keeps what a client says to one upstream in order while a part of it has to wait.
 *
 * <p>What need not wait is done at once, on the thread that brings it. What must wait is done on a thread of its own, and
 * so is everything after it, one by one, until nothing is left.
 */
final class Lane {

    private final Log log;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean busy;

    Lane(Log log) {
        this.log = log;
    }

    /** Does {@code work} after all that was given before it. */
    void run(Runnable work) {
        run(() -> false, work, work);
    }

    /**
     * Does something after all that was given before it: {@code slow}, which may wait, where it must or where something is
     * waiting already; else {@code quick}, which must not.
     */
    void run(BooleanSupplier mustWait, Runnable slow, Runnable quick) {
        synchronized (waiting) {
            if (busy || mustWait.getAsBoolean()) {
                waiting.add(slow);
                if (!busy) {
                    busy = true;
                    Thread.ofVirtual().name("lane").start(this::drain);
                }
                return;
            }
        }
        carefully(quick);
    }

    private void drain() {
        while (true) {
            Runnable next;
            synchronized (waiting) {
                next = waiting.poll();
                if (next == null) {
                    busy = false;
                    return;
                }
            }
            carefully(next);
        }
    }

    /** A fault must not stop the lane. */
    private void carefully(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            log.fault(LogEvent.CALL_FAULT, "handling a message of the client failed", e);
        }
    }
}
