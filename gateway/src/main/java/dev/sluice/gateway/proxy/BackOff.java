package dev.sluice.gateway.proxy;

import java.time.Duration;

/**
 * When an upstream may be tried again that could not be had: later each time, so that one that keeps dying is not started
 * without end.
 *
 * <p>One that worked and ended is tried again at once; the second time it waits a second, then two, and so on up to a
 * minute. One that can't be begun waits from the first time. A line that lived for a minute makes all forgotten.
 */
final class BackOff {

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** A line that lived as long is no failure of its beginning. */
    private static final Duration HEALTHY = Duration.ofMinutes(1);

    private int failures;
    private long next = System.nanoTime();
    private String why = "";

    /** Takes note that no line could be begun. */
    synchronized void failed(String reason) {
        failures++;
        after(failures, reason);
    }

    /** Takes note that a line ended of itself that had lived for that long. */
    synchronized void died(Duration lived, String reason) {
        failures = lived.compareTo(HEALTHY) >= 0 ? 1 : failures + 1;
        after(failures - 1, reason);
    }

    private void after(int steps, String reason) {
        Duration wait = steps == 0 ? Duration.ZERO : FIRST.multipliedBy(1L << Math.min(steps - 1, 10));
        next = System.nanoTime() + (wait.compareTo(LONGEST) > 0 ? LONGEST : wait).toNanos();
        why = reason;
    }

    /** Returns how long it must be left alone; zero where it may be tried. */
    synchronized Duration left() {
        return Duration.ofNanos(Math.max(0, next - System.nanoTime()));
    }

    /** Returns what happened last; empty text where nothing did. */
    synchronized String why() {
        return why;
    }

    /** Returns what happened and when it is tried again, after the server's name; empty text where nothing happened. */
    synchronized String told() {
        if (why.isEmpty()) {
            return "";
        }
        long seconds = (left().toMillis() + 999) / 1000;
        return why + "; it is tried again " + (seconds == 0 ? "with the next call" : "in " + seconds + " s");
    }
}
