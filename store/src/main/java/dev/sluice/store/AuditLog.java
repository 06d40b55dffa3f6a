package dev.sluice.store;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The record of what was decided, as a hash chain.
 *
 * <p>Each record is the canonical text (RFC 8785) of its event with two members more, {@code seq} (from 1) and
 * {@code prev} (the digest of the record before; of no bytes for the first). The digest of the last record is kept apart
 * as the head, so that a log cut short is noticed too. {@link AuditChain} has the rules.
 */
public interface AuditLog {

    /**
     * Appends {@code event}.
     *
     * @throws IllegalArgumentException where the event has a member {@code seq} or {@code prev}, or can't be canonicalised
     */
    AuditRecord append(ObjectNode event);

    /**
     * Returns at most {@code limit} records from number {@code from} on, in order.
     *
     * @throws IllegalArgumentException where {@code limit} is below 0
     */
    List<AuditRecord> read(long from, int limit);

    /** Returns what the log says its last record is; empty for an empty log. */
    Optional<AuditHead> head();
}
