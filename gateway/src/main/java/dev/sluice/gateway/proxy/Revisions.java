package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.RequestMeta;
import java.util.List;
import java.util.Set;

/** The protocol revisions that are served. */
public final class Revisions {

    /** The newest that begins with {@code initialize}. */
    static final String NEWEST = "2025-11-25";

    /** Would oblige its servers to accept batches, which are refused here: it is answered with the next one. */
    private static final String WITH_BATCHES = "2025-03-26";

    private static final String AFTER_BATCHES = "2025-06-18";

    /** All, the newest first. */
    public static final List<String> ALL = List.of(RequestMeta.REVISION, NEWEST, AFTER_BATCHES, "2024-11-05");

    /** Those that begin with {@code initialize}. */
    static final Set<String> SERVED = Set.of("2024-11-05", AFTER_BATCHES, NEWEST);

    private Revisions() {}

    /** Returns whether that is a revision that is served and begins with {@code initialize}. */
    public static boolean isLegacy(String revision) {
        return SERVED.contains(revision);
    }

    /** Returns the revision to speak where one side names {@code revision} in a handshake. */
    static String spoken(String revision) {
        return revision.equals(WITH_BATCHES) ? AFTER_BATCHES : revision;
    }
}
