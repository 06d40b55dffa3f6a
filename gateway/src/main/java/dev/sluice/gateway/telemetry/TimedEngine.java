package dev.sluice.gateway.telemetry;

import dev.sluice.store.Engine;
import dev.sluice.store.Transaction;
import java.util.function.Function;

/** An engine whose transactions are timed. */
final class TimedEngine implements Engine {

    private final Engine engine;
    private final Family times;

    TimedEngine(Engine engine, Family times) {
        this.engine = engine;
        this.times = times;
    }

    @Override
    public <T> T transact(Function<Transaction, T> work) {
        long from = System.nanoTime();
        String outcome = "failed";
        try {
            T done = engine.transact(work);
            outcome = "done";
            return done;
        } finally {
            times.observe((System.nanoTime() - from) / 1e9, outcome);
        }
    }

    @Override
    public boolean isShared() {
        return engine.isShared();
    }

    @Override
    public void close() {
        engine.close();
    }
}
