package dev.sluice.store;

/**
 * What the log says its last record is.
 *
 * @param seq the last record's place
 * @param digest the last record's digest
 */
public record AuditHead(long seq, String digest) {}
