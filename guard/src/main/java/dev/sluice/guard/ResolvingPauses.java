package dev.sluice.guard;

import java.time.Duration;
import java.time.Instant;

/** When a server that fails to say what calls do is asked again: not with each call, and ever more rarely. */
final class ResolvingPauses {

    /** One failure in a row is nothing yet. */
    private static final int MANY = 2;

    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 6;

    private int failures;
    private Instant until = Instant.MIN;

    synchronized boolean isOver(Instant now) {
        return !now.isBefore(until);
    }

    synchronized void failed(Instant now) {
        failures++;
        if (failures >= MANY) {
            until = now.plus(FIRST.multipliedBy(1L << Math.min(failures - MANY, MOST_DOUBLINGS)));
        }
    }

    synchronized void worked() {
        failures = 0;
        until = Instant.MIN;
    }
}
