package dev.sluice.cli.interop;

/** {@link ClientConformance} of 2026-07-28, with a client on the TypeScript SDK 2.x. */
final class ModernClientConformanceTest extends ClientConformance {

    ModernClientConformanceTest() {
        super(Conformance.MODERN, 8, "modern-client");
    }
}
