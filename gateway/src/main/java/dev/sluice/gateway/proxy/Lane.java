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
 * so is everything after it, one by one, until nothing is left. What waits is bounded: a client can say much, and take all of
 * it back, while its server is asked for its tools.
 */
final class Lane {

    /** How many bytes of messages wait at most, but for one message, which may be as long as any. */
    static final long MOST_BYTES = 16 << 20;

    /** How many messages wait at most: more than there can be requests, so those are refused for their bytes only. */
    static final int MOST = 2 * InFlight.MOST;

    /** What waits, and how long the message is that it is about. */
    private record Waiting(Runnable work, long bytes) {}

    private final Log log;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean busy;

    Lane(Log log) {
        this.log = log;
    }

    /**
     * Does {@code work} after all that was given before it.
     *
     * @param length how long the message is that it is about, in bytes
     * @return false where too much waits already: then it is not done
     */
    boolean run(long length, Runnable work) {
        return run(length, () -> false, work, work);
    }

    /**
     * Does something after all that was given before it: {@code slow}, which may wait, where it must or where something is
     * waiting already; else {@code quick}, which must not.
     *
     * @param length how long the message is that it is about, in bytes
     * @return false where too much waits already: then nothing is done
     */
    boolean run(long length, BooleanSupplier mustWait, Runnable slow, Runnable quick) {
        synchronized (waiting) {
            if (busy || mustWait.getAsBoolean()) {
                if (waiting.size() >= MOST || (bytes > 0 && bytes + length > MOST_BYTES)) {
                    return false;
                }
                waiting.add(new Waiting(slow, length));
                bytes += length;
                if (!busy) {
                    busy = true;
                    Thread.ofVirtual().name("lane").start(this::drain);
                }
                return true;
            }
        }
        carefully(quick);
        return true;
    }

    private void drain() {
        while (true) {
            Waiting next;
            synchronized (waiting) {
                next = waiting.poll();
                if (next == null) {
                    busy = false;
                    return;
                }
                bytes -= next.bytes();
            }
            carefully(next.work());
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
