package dev.sluice.schemes.evidence;

import java.time.Duration;
import java.util.List;

/**
 * What an operator trusts of one source of evidence.
 *
 * @param source the name that the source gives itself in what it signs
 * @param keys the keys that may sign for it; none where nothing that it signs is trusted
 * @param oldest how old a signed binding may be: an old one may speak of data that has changed hands since
 */
public record TrustStore(String source, List<TrustedKey> keys, Duration oldest) {

    /** How old a binding may be where nobody says otherwise. */
    public static final Duration ONE_DAY = Duration.ofDays(1);

    /** Nothing is trusted. */
    public static final TrustStore EMPTY = new TrustStore("", List.of(), ONE_DAY);

    /** Takes a copy of the keys. */
    public TrustStore {
        keys = List.copyOf(keys);
    }
}
