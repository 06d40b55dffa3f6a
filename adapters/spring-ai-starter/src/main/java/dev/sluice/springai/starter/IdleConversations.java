package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import dev.sluice.store.StoreException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends conversations that nobody uses any more, looking once a minute. */
final class IdleConversations implements AutoCloseable {

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "sluice-idle");
        thread.setDaemon(true);
        return thread;
    });

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the application
    IdleConversations(Sluice sluice) {
        clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        sluice.endIdle();
                    } catch (StoreException e) {
                        System.getLogger("dev.sluice")
                                .log(System.Logger.Level.ERROR, "idle conversations can't be ended", e);
                    }
                },
                1,
                1,
                TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
