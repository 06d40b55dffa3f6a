package dev.sluice.store;

/**
 * One record of the audit log.
 *
 * @param seq its place, from 1
 * @param json its canonical text
 * @param digest the sha256 of that text as UTF-8, written {@code sha256:} and 64 hex digits
 */
public record AuditRecord(long seq, String json, String digest) {}
