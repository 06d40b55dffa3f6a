package dev.sluice.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the operator decided: one file, checked, or the safe defaults of a first use.
 *
 * @param source where it was read from, for people; empty for the defaults
 * @param digest the digest of its text; of no bytes for the defaults
 * @param mode what is done with decisions
 * @param profile how strong the controls are
 * @param servers what is said of upstreams, by name, in the order of the file
 */
public record Policy(String source, String digest, Mode mode, Profile profile, Map<String, ServerPolicy> servers) {

    public Policy {
        servers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    }

    /** Returns whether no file was given: pins are trusted on first use, and doubts within one server only warn. */
    public boolean isFirstUse() {
        return source.isEmpty();
    }

    /** Returns this, with what the owner said of tools at a first use; the digest is that of what was said. */
    public Policy with(Policy said) {
        return new Policy(source, said.digest, mode, profile, said.servers);
    }
}
