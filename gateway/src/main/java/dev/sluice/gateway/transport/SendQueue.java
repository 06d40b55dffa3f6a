package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Messages that wait to be sent, in order. Whoever adds to one that is full waits until there is room. */
final class SendQueue {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long MOST_BYTES = 32L << 20;
    private static final int MOST_MESSAGES = 2_048;

    /**
     * A message.
     *
     * @param headers headers that stand for its arguments
     */
    record Outgoing(RpcMessage message, Map<String, String> headers) {}

    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean closed;

    /**
     * Adds a message; returns false where the queue is closed, or has no room for {@link #PATIENCE}: whoever adds may hold what
     * those need who make room. One message is taken however long it is.
     */
    synchronized boolean add(Outgoing message) throws InterruptedException {
        int length = message.message().bytes().length;
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!closed && !waiting.isEmpty() && (bytes + length > MOST_BYTES || waiting.size() >= MOST_MESSAGES)) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        if (closed) {
            return false;
        }
        waiting.addLast(message);
        bytes += length;
        notifyAll();
        return true;
    }

    /** Takes the oldest message and waits until there is one; empty once the queue is closed. */
    synchronized Optional<Outgoing> take() throws InterruptedException {
        while (!closed && waiting.isEmpty()) {
            wait();
        }
        if (closed) {
            return Optional.empty();
        }
        Outgoing message = waiting.removeFirst();
        bytes -= message.message().bytes().length;
        notifyAll();
        return Optional.of(message);
    }

    /** Gives up what waits, and lets go whoever does. */
    synchronized void close() {
        closed = true;
        waiting.clear();
        notifyAll();
    }
}
