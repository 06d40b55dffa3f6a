package dev.sluice.schemes.evidence;

import dev.sluice.wire.EvidenceRef;
import java.util.List;
import java.util.Optional;

/**
 * Where records are fetched from. Called by several threads at once, before the digest is checked: what it returns is
 * not believed yet.
 */
public interface EvidenceResolver {

    /** Most bytes of a record, as JSON. */
    int MOST_BYTES = 256 * 1024;

    /** Resolves what stands in the reference itself, {@link EvidenceRef#inlineRecord}. */
    EvidenceResolver INLINE = reference -> {
        Optional<byte[]> record = Optional.empty();
        if (reference.inlineRecord().isPresent()) {
            record = Optional.of(CanonicalBytes.json(reference.inlineRecord().get()));
        }
        return record;
    };

    /**
     * Returns the JSON text of the record that {@code reference} points to; empty where this resolver is not for such
     * references.
     *
     * @throws UnresolvableException where it is, and the record can't be had
     */
    Optional<byte[]> resolve(EvidenceRef reference) throws UnresolvableException;

    /** Returns the resolver that asks these in turn, until one is for the reference. */
    static EvidenceResolver inTurn(List<EvidenceResolver> resolvers) {
        List<EvidenceResolver> all = List.copyOf(resolvers);
        return reference -> {
            for (EvidenceResolver each : all) {
                Optional<byte[]> record = each.resolve(reference);
                if (record.isPresent()) {
                    return record;
                }
            }
            return Optional.empty();
        };
    }
}
