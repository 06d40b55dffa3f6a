package dev.sluice.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which evidence of a server may be fetched, and whose signatures on it are trusted.
 *
 * @param source the name that the server gives itself in what it signs
 * @param keys the Ed25519 keys that may sign for it, as {@code ed25519:} and base64, by the name envelopes call them
 * @param hours how old a signature may be, in hours; at least 1
 * @param https hosts from which records may be fetched over https; none is the default
 * @param files a folder from which {@code file:} references may be read; empty for none
 */
public record EvidenceTrust(String source, Map<String, String> keys, int hours, List<String> https, String files) {

    /** How old a signature may be where nobody says otherwise, in hours. */
    public static final int USUAL_HOURS = 24;

    public EvidenceTrust {
        keys = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(keys));
        https = List.copyOf(https);
    }

    /** Returns what holds for a server of which nothing is said: only what stands in references, no signature. */
    public static EvidenceTrust none(String server) {
        return new EvidenceTrust(server, Map.of(), USUAL_HOURS, List.of(), "");
    }
}
