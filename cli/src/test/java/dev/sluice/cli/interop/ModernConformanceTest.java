package dev.sluice.cli.interop;

import java.util.List;

/** {@link ServerConformance} of 2026-07-28, with a fixture of ours without an SDK. */
final class ModernConformanceTest extends ServerConformance {

    ModernConformanceTest() {
        super(Conformance.MODERN, 50, "modern-server", "tasks-status-notifications");
    }

    @Override
    List<String> fixture(String... port) {
        return Interop.modernConformanceFixture(port);
    }
}
