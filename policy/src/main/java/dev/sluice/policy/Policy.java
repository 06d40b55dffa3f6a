package dev.sluice.policy;

import dev.sluice.labels.Vocabulary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the operator decided: one file, checked, or the safe defaults of a first use.
 *
 * @param source where it was read from, for people; empty for the defaults
 * @param digest the digest of its text; of no bytes for the defaults
 * @param mode what is done with decisions
 * @param profile how strong the controls are
 * @param vocabularies the organisation's own class names
 * @param servers what is said of upstreams, by name, in the order of the file
 */
public record Policy(
        String source,
        String digest,
        Mode mode,
        Profile profile,
        List<Vocabulary> vocabularies,
        Map<String, ServerPolicy> servers) {

    public Policy {
        vocabularies = List.copyOf(vocabularies);
        servers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    }

    /** Returns whether no file was given: pins are trusted on first use, and doubts within one server only warn. */
    public boolean isFirstUse() {
        return source.isEmpty();
    }

    /** Returns this, with what the owner said of tools at a first use; the digest is that of what was said. */
    public Policy with(Policy said) {
        return new Policy(source, said.digest, mode, profile, vocabularies, said.servers);
    }
}
