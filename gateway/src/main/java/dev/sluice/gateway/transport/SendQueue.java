package dev.sluice.gateway.transport;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Messages that wait to be sent, in order. Whoever adds to one that is full waits until there is room. */
final class SendQueue {

    private static final long MOST_BYTES = 32L << 20;
    private static final int MOST_MESSAGES = 2_048;

    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private long bytes;
    private boolean closed;

    /** Adds a message; returns false where the queue is closed. One message is taken however long it is. */
    synchronized boolean add(byte[] message) throws InterruptedException {
        while (!closed
                && !waiting.isEmpty()
                && (bytes + message.length > MOST_BYTES || waiting.size() >= MOST_MESSAGES)) {
            wait();
        }
        if (closed) {
            return false;
        }
        waiting.addLast(message);
        bytes += message.length;
        notifyAll();
        return true;
    }

    /** Takes the oldest message and waits until there is one; empty once the queue is closed. */
    synchronized Optional<byte[]> take() throws InterruptedException {
        while (!closed && waiting.isEmpty()) {
            wait();
        }
        if (closed) {
            return Optional.empty();
        }
        byte[] message = waiting.removeFirst();
        bytes -= message.length;
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
