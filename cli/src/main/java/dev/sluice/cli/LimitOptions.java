package dev.sluice.cli;

import picocli.CommandLine.Option;

/** What a wrapped server and its client may cost. */
final class LimitOptions {

    static final int MESSAGE_BYTES = 16 << 20;

    static final int LEAST_MESSAGE_BYTES = 1 << 10;

    static final long IDLE_MINUTES = 8 * 60;

    @Option(
            names = "--max-message",
            paramLabel = "<bytes>",
            description = "The longest message, in bytes; default ${DEFAULT-VALUE}.")
    private int messageBytes = MESSAGE_BYTES;

    @Option(
            names = "--idle",
            paramLabel = "<minutes>",
            description = "A session ends after so many minutes without use, 0 for never; default ${DEFAULT-VALUE}.")
    private long idleMinutes = IDLE_MINUTES;

    int messageBytes() {
        if (messageBytes < LEAST_MESSAGE_BYTES) {
            throw new Main.CommandFailure("`--max-message` must be 1024 at least");
        }
        return messageBytes;
    }

    long idleMinutes() {
        if (idleMinutes < 0) {
            throw new Main.CommandFailure("`--idle` must be 0 or more");
        }
        return idleMinutes;
    }
}
