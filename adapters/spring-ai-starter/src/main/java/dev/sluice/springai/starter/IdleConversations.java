package dev.sluice.springai.starter;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends conversations that nobody uses any more. */
final class IdleConversations implements AutoCloseable {

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "sluice-idle");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * @param end ends them
     * @param every how often to look
     */
    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the application
    IdleConversations(Runnable end, Duration every) {
        clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        end.run();
                    } catch (RuntimeException e) { // or none would be ended any more
                        System.getLogger("dev.sluice")
                                .log(System.Logger.Level.ERROR, "idle conversations can't be ended", e);
                    }
                },
                every.toMillis(),
                every.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
