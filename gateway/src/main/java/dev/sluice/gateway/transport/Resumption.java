package dev.sluice.gateway.transport;

import java.time.Duration;

/** Where a stream of events goes on after it ended, and when somebody may ask for that. */
final class Resumption {

    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int MOST_IN_VAIN = 5;

    private String lastId = "";
    private Duration retry = USUAL;
    private int inVain;

    /** Takes note of how far a stream went. */
    void after(EventStream stream) {
        if (!stream.lastId().isEmpty()) {
            lastId = stream.lastId();
        }
        stream.retry().ifPresent(said -> retry = said);
        inVain = stream.any() ? 0 : inVain + 1;
    }

    /** Takes note that nothing came at all. */
    void broke() {
        inVain++;
    }

    /** Returns the last event that came; empty text where none can be named. */
    String lastId() {
        return lastId;
    }

    /** Returns whether nobody was there too often. */
    boolean isHopeless() {
        inVain++;
        return inVain > MOST_IN_VAIN;
    }

    /** Returns how long to wait: what the server said, and longer each time that it was in vain. */
    Duration delay() {
        Duration least = retry.compareTo(SHORTEST) < 0 ? SHORTEST : retry;
        Duration longer = least.multipliedBy(1L << Math.max(0, Math.min(inVain - 1, 6)));
        Duration most = least.compareTo(LONGEST) > 0 ? least : LONGEST;
        return longer.compareTo(most) > 0 ? most : longer;
    }
}
