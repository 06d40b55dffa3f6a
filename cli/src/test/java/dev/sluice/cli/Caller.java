package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** A raw client and the {@code sluice} that it speaks to, over whatever it speaks. */
sealed interface Caller extends AutoCloseable permits StdioHost, HttpClientSide {

    /** Shakes hands, and has a new session then. */
    Caller initialize() throws IOException, InterruptedException;

    /** Returns the result of a tool call. */
    JsonNode call(String tool, String arguments) throws IOException, InterruptedException;

    /** What it has logged so far. */
    String errors() throws IOException;

    boolean isRunning();

    /** Returns when the log holds these words. */
    default void awaitLogged(String words) throws IOException, InterruptedException {
        long hangs = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!errors().contains(words)) {
            assertTrue(isRunning() && System.nanoTime() < hangs, errors());
            Thread.sleep(50);
        }
    }

    @Override
    void close();
}
