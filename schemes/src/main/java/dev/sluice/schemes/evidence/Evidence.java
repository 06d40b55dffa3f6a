package dev.sluice.schemes.evidence;

import dev.sluice.schemes.Claims;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.Finding;
import java.util.List;
import java.util.Locale;

/**
 * What became of one evidence reference.
 *
 * @param reference the reference
 * @param outcome how far it could be checked
 * @param claims what its record claims: the strictest for a mismatch; nothing where no record could be read
 * @param because why the outcome is no better, a sentence for people; empty for VERIFIED_BOUND
 * @param findings what in the record was malformed; pointers start at the record
 */
public record Evidence(EvidenceRef reference, Outcome outcome, Claims claims, String because, List<Finding> findings) {

    /** How far a reference could be checked. */
    public enum Outcome {
        /** The record has the digest, and a trusted signature binds it to this result. */
        VERIFIED_BOUND,
        /** The record has the digest; nothing that can be trusted says that it speaks of this result. */
        VERIFIED_UNBOUND,
        /** The record has another digest, or its signature or binding is false. Raises the label. */
        MISMATCH,
        /** The record can't be had, or its digest not be made. Adds nothing and lowers nothing. */
        UNRESOLVABLE,
        /** The record has the digest, and nobody here can read its type. Adds nothing and lowers nothing. */
        UNKNOWN_TYPE;

        /** Returns the name in records and reports, such as {@code verified-bound}. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Takes a copy of the findings. */
    public Evidence {
        findings = List.copyOf(findings);
    }
}
