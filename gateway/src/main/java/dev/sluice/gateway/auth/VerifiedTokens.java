package dev.sluice.gateway.auth;

import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Access tokens that were verified a moment ago, by their digests, so that not every request pays for a signature.
 *
 * <p>One counts for {@link #KEPT} at most, never at or after its end, and only under the reading of the issuer's keys that
 * it was verified with. What was refused is not kept.
 */
final class VerifiedTokens {

    static final Duration KEPT = Duration.ofSeconds(60);

    /** Beyond these the oldest is forgotten, which costs its bearer one more signature. */
    static final int MOST = 10_000;

    private record Entry(String principal, IssuerKeys keys, int reading, Instant from, Instant until) {}

    private final Clock clock;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    VerifiedTokens(Clock clock) {
        this.clock = clock;
    }

    /** Returns on whose behalf the bearer calls, where that was verified a moment ago and still holds. */
    Optional<String> principal(String token) {
        String digest = digest(token);
        Instant now = clock.instant();
        synchronized (entries) {
            Entry entry = entries.get(digest);
            if (entry == null) {
                return Optional.empty();
            }
            // A clock that was set back says nothing of how long ago that was.
            boolean holds = !now.isBefore(entry.from())
                    && now.isBefore(entry.until())
                    && entry.keys().isCurrent(entry.reading());
            if (!holds) {
                entries.remove(digest);
                return Optional.empty();
            }
            return Optional.of(entry.principal());
        }
    }

    /**
     * Takes note of a token that was verified.
     *
     * @param reading the reading of the keys with one of which it is signed
     * @param at when it was verified
     * @param end from when on it is refused, skew and all
     */
    void add(String token, String principal, IssuerKeys keys, int reading, Instant at, Instant end) {
        Instant longest = at.plus(KEPT);
        Entry entry = new Entry(principal, keys, reading, at, longest.isBefore(end) ? longest : end);
        String digest = digest(token);
        synchronized (entries) {
            entries.remove(digest); // else it would keep its old place in the order
            entries.put(digest, entry);
            if (entries.size() > MOST) {
                entries.remove(entries.keySet().iterator().next());
            }
        }
    }

    private static String digest(String token) {
        return Digest.sha256(token.getBytes(StandardCharsets.UTF_8)).text();
    }
}
