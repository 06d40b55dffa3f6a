package dev.sluice.cli.interop;

import java.util.List;

/** {@link ServerConformance} of 2025-11-25, with a fixture on the TypeScript SDK 1.x. */
final class ConformanceTest extends ServerConformance {

    ConformanceTest() {
        super(Conformance.LEGACY, 33, "server");
    }

    @Override
    List<String> fixture(String... port) {
        return Interop.conformanceFixture(port);
    }
}
