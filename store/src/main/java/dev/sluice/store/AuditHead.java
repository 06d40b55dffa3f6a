package dev.sluice.store;

import dev.sluice.wire.canonical.Digest;

/**
 * What the log says its last record is.
 *
 * @param seq the last record's place; 0 where there is none
 * @param digest the last record's digest; of no bytes where there is none
 */
public record AuditHead(long seq, String digest) {

    /** The head of an empty log. */
    public static final AuditHead NONE =
            new AuditHead(0, Digest.sha256(new byte[0]).text());
}
