package dev.sluice.gateway.transport;

import java.util.HashMap;
import java.util.Map;

/** Counts what each principal has of something, and says when it is enough. */
public final class Tally {

    private final int most;
    private final Map<String, Integer> counts = new HashMap<>();

    /** Makes one that lets each have so many. */
    public Tally(int most) {
        this.most = most;
    }

    /** Counts one more; returns whether there may be one more. */
    public synchronized boolean take(String who) {
        int count = counts.getOrDefault(who, 0);
        if (count >= most) {
            return false;
        }
        counts.put(who, count + 1);
        return true;
    }

    /** Counts one more, however many there are. */
    public synchronized void add(String who) {
        counts.merge(who, 1, Integer::sum);
    }

    /** Counts one less. */
    public synchronized void give(String who) {
        counts.computeIfPresent(who, (key, count) -> count <= 1 ? null : count - 1);
    }
}
