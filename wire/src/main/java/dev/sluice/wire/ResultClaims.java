package dev.sluice.wire;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What one result claims about itself, from whichever vocabulary.
 *
 * @param sensitive whether it must not be shown to everybody
 * @param untrusted whether somebody outside may have written it
 * @param kinds the kinds of sensitive data that it names, without NONE; empty where it names none
 * @param evidence references to records that support the claims, each once
 */
public record ResultClaims(Claim sensitive, Claim untrusted, Set<Sensitivity> kinds, List<EvidenceRef> evidence) {

    /** Takes copies of the set and of the list. */
    public ResultClaims {
        kinds = Collections.unmodifiableSet(new LinkedHashSet<>(kinds));
        evidence = List.copyOf(evidence);
    }
}
