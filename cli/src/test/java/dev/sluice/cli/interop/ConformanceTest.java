package dev.sluice.cli.interop;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite's scenarios for servers: what passes with the fixture server passes through
 * {@code sluice gateway} too, check by check, but for what {@code interop/conformance-baseline.json} says and why.
 */
@Tag("interop")
final class ConformanceTest {

    /** What the revision asks of servers, and what the suite has beyond. */
    private static final int SCENARIOS = 33;

    private static Map<String, Map<String, String>> direct = Map.of();

    @TempDir
    private static Path temp;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runDirectly() throws IOException {
        Interop.demand();
        try (HttpServer fixture = HttpServer.start(Interop.conformanceFixture("0"), temp)) {
            direct = suite(fixture.address(), temp).run();
        }
    }

    private static Conformance suite(URI server, Path folder) {
        return new Conformance(folder, "server", "--url", server.toString());
    }

    @Test
    void fixture_passesEveryCheck() {
        Conformance.assertAllPass(SCENARIOS, direct);
    }

    @Test
    void stdioUpstream_passesTheSameChecks() throws IOException {
        assertSame("server-stdio", HttpServer.freely(Map.of("fixture", Interop.conformanceFixture())));
    }

    @Test
    void httpUpstream_passesTheSameChecks() throws IOException {
        try (HttpServer fixture = HttpServer.start(Interop.conformanceFixture("0"), temp)) {
            assertSame("server-http", """
                    version: 1
                    mode: enforce
                    servers:
                      fixture:
                        known: none
                        url: %s
                        defaults: {integrity: trusted, confidentiality: public}
                    """.formatted(fixture.address()));
        }
    }

    private void assertSame(String way, String policy) throws IOException {
        try (HttpServer gateway = HttpServer.gateway(policy, folder)) {
            suite(gateway.address(), folder).assertSame(way, direct);
        }
    }
}
