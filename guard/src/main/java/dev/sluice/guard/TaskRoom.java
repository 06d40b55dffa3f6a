package dev.sluice.guard;

import java.util.Map;
import java.util.WeakHashMap;

/**
 * How much all sessions of one guard together may remember of the calls that made tasks, so that many sessions take no more
 * memory than some. Whoever forgets to give its room back loses it with its last reference.
 */
public final class TaskRoom {

    /** In bytes of requests, which take about ten times that as trees. */
    public static final long MOST = 16L << 20;

    private final long most;
    private final Map<Object, Long> taken = new WeakHashMap<>();
    private long total;

    /** Makes one of the usual size. */
    public TaskRoom() {
        this(MOST);
    }

    /** Makes one of {@code most} bytes. */
    public TaskRoom(long most) {
        this.most = most;
    }

    /**
     * Takes room in place of what {@code holder} had; where there is not that much, it keeps what it had.
     *
     * @param holder told apart from others as an object
     * @param bytes how much it has then
     * @return whether there is
     */
    public synchronized boolean take(Object holder, long bytes) {
        long before = taken.getOrDefault(holder, 0L);
        if (total - before + bytes > most) {
            total = taken.values().stream().mapToLong(Long::longValue).sum();
        }
        if (bytes > before && total - before + bytes > most) {
            return false;
        }
        total += bytes - before;
        taken.put(holder, bytes);
        return true;
    }

    /** Gives back all that {@code holder} has. */
    public synchronized void give(Object holder) {
        Long before = taken.remove(holder);
        total -= before == null ? 0 : before;
    }
}
