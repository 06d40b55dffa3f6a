package dev.sluice.guard;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Where a guard goes on that nobody gave an executor: a thread for each call that waited. What follows may block on a
 * server or a client, and must hold up neither the threads that look readers up nor the timer of the JDK.
 */
final class Later {

    static final Executor THREADS = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "sluice-later");
        thread.setDaemon(true);
        return thread;
    });

    private Later() {}
}
