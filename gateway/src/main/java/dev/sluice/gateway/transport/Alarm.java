package dev.sluice.gateway.transport;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that is done once a time has passed, unless the alarm is set anew or put off before.
 *
 * <p>All share one thread that only tells the time; what is done runs on a virtual one.
 */
public final class Alarm {

    private static final ScheduledThreadPoolExecutor CLOCK = clock();

    private final Runnable what;
    private @Nullable Future<?> set;

    public Alarm(Runnable what) {
        this.what = what;
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("alarms").factory());
        clock.setRemoveOnCancelPolicy(true); // a line that is closed must not stay in memory until its alarm
        return clock;
    }

    /** Sets it to go off after {@code time}, in place of any time before. */
    public synchronized void in(Duration time) {
        off();
        set = CLOCK.schedule(
                () -> Thread.ofVirtual().name("alarm").start(what), Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
    }

    /** Puts it off. */
    public synchronized void off() {
        if (set != null) {
            set.cancel(false);
            set = null;
        }
    }
}
