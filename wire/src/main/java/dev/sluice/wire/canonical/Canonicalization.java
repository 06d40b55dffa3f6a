package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;

/**
 * A way to write one JSON value as one sequence of bytes ({@code canonicalization} of an evidence reference).
 *
 * <p>The set is open: what a reference names and {@link Canonicalizations#of} does not know can't be checked.
 */
public interface Canonicalization {

    /** Returns the name in evidence references, such as {@code jcs/rfc8785}. */
    String id();

    /**
     * Returns the canonical bytes of {@code value}.
     *
     * @throws CanonicalizationException where the value has no form of this kind, or none that stands for it alone
     */
    byte[] canonicalize(JsonIndex.Value value);

    /**
     * Returns the canonical bytes of the JSON text in {@code json}.
     *
     * @throws MalformedJsonException where it is not one strict JSON text
     * @throws CanonicalizationException where the value has no form of this kind, or none that stands for it alone
     */
    default byte[] canonicalize(byte[] json) {
        return canonicalize(JsonIndex.parse(json).root());
    }
}
