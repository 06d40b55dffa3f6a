package dev.sluice.gateway.proxy;

/**
 * Which of two families of revisions a line speaks; the specification's own words.
 *
 * <p>Source: MCP revision 2026-07-28, Versioning, Terminology.
 */
enum Era {
    /** A handshake comes first, and holds for what comes after it: 2025-11-25 and earlier. */
    LEGACY,
    /** Every request says by itself all that its server must know of the client: 2026-07-28 and later. */
    MODERN
}
