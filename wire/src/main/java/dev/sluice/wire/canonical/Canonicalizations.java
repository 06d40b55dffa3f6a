package dev.sluice.wire.canonical;

import java.util.Optional;

/** The canonical forms that Sluice knows. */
public final class Canonicalizations {

    private Canonicalizations() {}

    /** Returns the form of that name; empty where it is not known. */
    public static Optional<Canonicalization> of(String id) {
        return Optional.empty();
    }

    public static java.util.List<String> ids() {
        return java.util.List.of();
    }
}
