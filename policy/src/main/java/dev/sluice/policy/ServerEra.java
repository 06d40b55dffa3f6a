package dev.sluice.policy;

/** Which of the two families of protocol revisions is spoken with a server. */
public enum ServerEra {
    /** The one that it speaks: it is asked. */
    AUTO,
    /** Those that begin with a handshake: 2025-11-25 and earlier. */
    LEGACY,
    /** Those whose every request says what the client can do: 2026-07-28 and later. */
    MODERN
}
