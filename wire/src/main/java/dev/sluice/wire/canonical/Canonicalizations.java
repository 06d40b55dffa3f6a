package dev.sluice.wire.canonical;

import java.util.List;
import java.util.Optional;

/** The canonical forms that Sluice knows. */
public final class Canonicalizations {

    /** RFC 8785, refusing integers that it would round. */
    public static final JcsCanonicalizer JCS = new JcsCanonicalizer(JcsCanonicalizer.LargeIntegers.REFUSED);

    /** RFC 8785 as it stands, rounding large integers; {@link JcsCanonicalizer.Written#rounded()} tells whether it did. */
    public static final JcsCanonicalizer JCS_ROUNDING = new JcsCanonicalizer(JcsCanonicalizer.LargeIntegers.ROUNDED);

    /** RFC 8949, core deterministic encoding. */
    public static final CborCanonicalizer CBOR = new CborCanonicalizer();

    private static final List<Canonicalization> KNOWN = List.of(JCS, CBOR);

    private Canonicalizations() {}

    /** Returns the form of that name; empty where it is not known. */
    public static Optional<Canonicalization> of(String id) {
        return KNOWN.stream().filter(known -> known.id().equals(id)).findFirst();
    }

    /** Returns the names of all forms. */
    public static List<String> ids() {
        return KNOWN.stream().map(Canonicalization::id).toList();
    }
}
