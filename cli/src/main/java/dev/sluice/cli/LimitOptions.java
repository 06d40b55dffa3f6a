package dev.sluice.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a wrapped server and its client may cost. */
final class LimitOptions {

    static final int MESSAGE_BYTES = 16 << 20;

    static final int LEAST_MESSAGE_BYTES = 1 << 10;

    static final long IDLE_MINUTES = 8 * 60;

    @Option(
            names = "--max-message",
            paramLabel = "<bytes>",
            description = "The longest message, in bytes; default 16777216, or what the policy says.")
    private @Nullable Integer messageBytes;

    @Option(
            names = "--idle",
            paramLabel = "<minutes>",
            description =
                    "A session ends after so many minutes without use, 0 for never; default 480, or what the policy says.")
    private @Nullable Long idleMinutes;

    int messageBytes() {
        return messageBytes(MESSAGE_BYTES);
    }

    /** Returns the longest message; {@code usual} where no option says. */
    int messageBytes(int usual) {
        Integer said = messageBytes;
        if (said != null && said < LEAST_MESSAGE_BYTES) {
            throw new Main.CommandFailure("`--max-message` must be 1024 at least");
        }
        return said == null ? usual : said;
    }

    long idleMinutes() {
        return idleMinutes(IDLE_MINUTES);
    }

    /** Returns how long a session lives without use; {@code usual} where no option says. */
    long idleMinutes(long usual) {
        Long said = idleMinutes;
        if (said != null && said < 0) {
            throw new Main.CommandFailure("`--idle` must be 0 or more");
        }
        return said == null ? usual : said;
    }
}
