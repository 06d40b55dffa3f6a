package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.UpstreamLink;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What waits to be handed on to one session of a shared line, in order and bounded. */
final class TapQueue {

    private static final int MOST = 2_048;
    private static final long MOST_BYTES = 64L << 20;

    private record Thing(long bytes, Consumer<UpstreamLink.Receiver> what) {}

    private final Deque<Thing> waiting = new ArrayDeque<>();
    private long bytes;
    private @Nullable String ended;

    /** Adds something; returns false where there is no room. */
    synchronized boolean add(long size, Consumer<UpstreamLink.Receiver> what) {
        if (ended != null) {
            return true; // for nobody
        }
        if (waiting.size() >= MOST || (bytes + size > MOST_BYTES && !waiting.isEmpty())) {
            return false;
        }
        waiting.addLast(new Thing(size, what));
        bytes += size;
        notifyAll();
        return true;
    }

    /** Says that nothing more will come. */
    synchronized void end(String why) {
        if (ended == null) {
            ended = why;
            notifyAll();
        }
    }

    /** Gives up what waits. */
    synchronized void clear() {
        waiting.clear();
        bytes = 0;
    }

    synchronized boolean isClosed() {
        return ended != null;
    }

    /** Hands on until the end, and that too. */
    void drainTo(UpstreamLink.Receiver receiver) {
        while (true) {
            Thing next;
            String why;
            synchronized (this) {
                while (waiting.isEmpty() && ended == null) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        ended = "interrupted";
                    }
                }
                next = waiting.poll();
                why = ended;
                bytes = next == null ? 0 : Math.max(0, bytes - next.bytes());
            }
            if (next == null) {
                receiver.ended(String.valueOf(why));
                return;
            }
            next.what().accept(receiver);
        }
    }
}
