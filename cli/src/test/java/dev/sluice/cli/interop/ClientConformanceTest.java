package dev.sluice.cli.interop;

/** {@link ClientConformance} of 2025-11-25, with a client on the TypeScript SDK 1.x. */
final class ClientConformanceTest extends ClientConformance {

    ClientConformanceTest() {
        super(Conformance.LEGACY, 5, "client");
    }
}
