package dev.sluice.gateway.auth;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyType;
import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import java.io.IOException;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The public keys of one issuer, kept for a while.
 *
 * <p>They are read again after {@link #FRESH}, and for a key that is not among them, at most every {@link #LEAST_WAIT}, so
 * that made-up key ids are no lever. While they can't be had, those that were had count for {@link #STALE} more; then
 * nobody is let in. Failures are tried again after 1 second, then twice as long each time, up to {@link #MOST_WAIT}.
 */
final class IssuerKeys {

    static final Duration FRESH = Duration.ofMinutes(10);
    static final Duration STALE = Duration.ofHours(1);
    static final Duration LEAST_WAIT = Duration.ofSeconds(10);
    static final Duration MOST_WAIT = Duration.ofSeconds(60);

    /** A set with more keys that fit one token is none that anybody serves. */
    private static final int MOST_FITTING = 8;

    /** The keys can't be had, so nothing can be said of a token. */
    static final class Unavailable extends Exception {
        Unavailable() {
            super("the keys of the issuer can't be had");
        }
    }

    /**
     * The keys that fit a token.
     *
     * @param reading which reading of the keys they are of
     */
    record Fitting(List<JWK> keys, int reading) {}

    /** One reading of the keys; two readings are two, whatever was read. */
    private record Kept(JWKSet keys, Instant at, int reading) {}

    private final String issuer;
    private final KeyPlace place;
    private final Clock clock;
    private final Log log;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Kept kept;
    private Instant next = Instant.MIN;
    private int failures;
    private int readings;

    IssuerKeys(String issuer, KeyPlace place, Clock clock, Log log) {
        this.issuer = issuer;
        this.place = place;
        this.clock = clock;
        this.log = log;
    }

    /**
     * Returns the keys that a token with this header may be signed with.
     *
     * @throws Unavailable where it can't be told
     */
    Fitting fitting(JWSHeader header) throws Unavailable {
        Kept now = kept;
        if (now == null || isOlder(now, FRESH)) {
            now = read(now);
        }
        List<JWK> fitting = select(now, header);
        if (fitting.isEmpty()) {
            now = read(now);
            fitting = select(now, header);
        }
        return new Fitting(fitting, now.reading());
    }

    /** Returns whether that reading of the keys is the last one, and need not be made again yet. */
    boolean isCurrent(int reading) {
        Kept now = kept;
        return now != null && now.reading() == reading && !isOlder(now, FRESH);
    }

    private static List<JWK> select(Kept kept, JWSHeader header) {
        JWKMatcher matcher = JWKMatcher.forJWSHeader(header);
        if (matcher == null) {
            return List.of();
        }
        List<JWK> all = new JWKSelector(matcher).select(kept.keys());
        return all.stream()
                .filter(key ->
                        key.getKeyType().equals(KeyType.RSA) || key.getKeyType().equals(KeyType.EC))
                .limit(MOST_FITTING)
                .toList();
    }

    private boolean isOlder(Kept keys, Duration age) {
        return !clock.instant().isBefore(keys.at().plus(age));
    }

    /** Reads the keys where that may be done now; else returns those that are there. */
    private Kept read(@Nullable Kept seen) throws Unavailable {
        reading.lock();
        try {
            Kept now = kept;
            boolean another = now != null && !now.equals(seen); // read while this waited for the lock
            if (!another && !clock.instant().isBefore(next)) {
                attempt();
                now = kept;
            }
            if (now == null || isOlder(now, FRESH.plus(STALE))) {
                throw new Unavailable();
            }
            return now;
        } finally {
            reading.unlock();
        }
    }

    private void attempt() {
        try {
            JWKSet keys = JWKSet.parse(place.read()).toPublicJWKSet();
            kept = new Kept(keys, clock.instant(), ++readings);
            failures = 0;
            next = clock.instant().plus(LEAST_WAIT);
        } catch (IOException | ParseException | RuntimeException e) {
            Duration wait = Duration.ofSeconds(1L << Math.min(failures, 6));
            failures++;
            next = clock.instant().plus(wait.compareTo(MOST_WAIT) < 0 ? wait : MOST_WAIT);
            log.line(
                    LogEvent.AUTH_KEYS_UNREACHABLE,
                    "the keys of the issuer `" + issuer + "` can't be had: "
                            + (e instanceof IOException ? e.getMessage() : "they are no key set"));
        }
    }
}
