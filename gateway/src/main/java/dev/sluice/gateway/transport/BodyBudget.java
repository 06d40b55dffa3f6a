package dev.sluice.gateway.transport;

import java.util.HashMap;
import java.util.Map;

/**
 * How many bytes the messages of all clients may have together, from when they arrive until they are dealt with.
 *
 * <p>Without it, a few hundred long messages at once would take the memory that everybody's calls need. The first
 * {@link #FREE} bytes of a message are not counted: short ones, such as answers that others wait for, always have room, and
 * connections are limited. Calls that wait for their clients count here too, all of them. One principal may hold a half of it at most, so that nobody can take the room of all others.
 */
public final class BodyBudget {

    /** So much of each message is not counted, in bytes. */
    static final int FREE = 64 << 10;

    private final long most;
    private final Map<String, Long> held = new HashMap<>();
    private long all;

    /** Makes one of so many bytes. */
    public BodyBudget(long most) {
        this.most = most;
    }

    /**
     * Returns how many bytes there usually are: an eighth of the heap, and at least four messages: one that
     * is being read and taken apart needs several times its length.
     *
     * @param heap the most that the heap may have, in bytes
     * @param longest the longest message, in bytes
     */
    public static long usual(long heap, int longest) {
        return Math.max(heap / 8, 4L * longest);
    }

    /** Takes so many bytes for {@code principal}; returns whether they were there, else takes none. */
    public synchronized boolean take(String principal, long bytes) {
        long own = held.getOrDefault(principal, 0L) + bytes;
        if (all + bytes > most || own > most / 2) {
            return false;
        }
        all += bytes;
        held.put(principal, own);
        return true;
    }

    /** Returns how many bytes are taken now. */
    public synchronized long held() {
        return all;
    }

    /** Gives back what {@code principal} took. */
    public synchronized void give(String principal, long bytes) {
        all -= bytes;
        held.computeIfPresent(principal, (who, own) -> own == bytes ? null : own - bytes);
    }
}
