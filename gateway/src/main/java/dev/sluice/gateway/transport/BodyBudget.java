package dev.sluice.gateway.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes the messages of all clients may have together, from when they arrive until they are dealt with.
 *
 * <p>Without it, a few hundred long messages at once would take the memory that everybody's calls need. The first
 * {@link #FREE} bytes of a message are not counted: short ones, such as answers that others wait for, always have room, and
 * connections are limited.
 */
public final class BodyBudget {

    /** So much of each message is not counted, in bytes. */
    static final int FREE = 64 << 10;

    private final long most;
    private final AtomicLong held = new AtomicLong();

    /** Makes one of so many bytes. */
    public BodyBudget(long most) {
        this.most = most;
    }

    /**
     * Returns how many bytes there usually are: an eighth of the heap, and at least two messages: one that
     * is being read and taken apart needs several times its length.
     *
     * @param heap the most that the heap may have, in bytes
     * @param longest the longest message, in bytes
     */
    public static long usual(long heap, int longest) {
        return Math.max(heap / 8, 2L * longest);
    }

    /** Takes so many bytes; returns whether they were there, else takes none. */
    boolean take(long bytes) {
        long before = held.getAndUpdate(now -> now + bytes <= most ? now + bytes : now);
        return before + bytes <= most;
    }

    /** Returns how many bytes are taken now. */
    public long held() {
        return held.get();
    }

    void give(long bytes) {
        held.addAndGet(-bytes);
    }
}
