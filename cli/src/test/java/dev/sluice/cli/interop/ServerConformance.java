package dev.sluice.cli.interop;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite's scenarios for servers of one revision: what passes with the fixture server passes through
 * {@code sluice gateway} too, check by check, but for what {@code interop/conformance-baseline.json} says and why.
 */
@Tag("interop")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServerConformance {

    private final String revision;
    private final int scenarios;

    /** What the baseline's entries have as their {@code way}, before the way to the upstream. */
    private final String way;

    private final String[] empty;

    @TempDir
    private static Path temp;

    @TempDir
    private Path folder;

    private Map<String, Map<String, String>> direct = Map.of();

    /**
     * @param scenarios how many the revision asks of servers, with what the suite has beyond
     * @param empty those of them that the suite does not play yet
     */
    ServerConformance(String revision, int scenarios, String way, String... empty) {
        this.revision = revision;
        this.scenarios = scenarios;
        this.way = way;
        this.empty = empty;
    }

    /** Returns the command of the fixture server; over HTTP where a port is given. */
    abstract List<String> fixture(String... port);

    @BeforeAll
    void runDirectly() throws IOException {
        Interop.demand();
        try (HttpServer fixture = HttpServer.start(fixture("0"), temp)) {
            direct = suite(fixture.address(), temp).run();
        }
    }

    private Conformance suite(URI server, Path into) {
        return new Conformance(revision, into, "server", "--url", server.toString());
    }

    @Test
    void fixture_passesEveryCheck() {
        Conformance.assertAllPass(scenarios, direct, empty);
    }

    @Test
    void stdioUpstream_passesTheSameChecks() throws IOException {
        assertSame(way + "-stdio", HttpServer.freely(Map.of("fixture", fixture())));
    }

    @Test
    void httpUpstream_passesTheSameChecks() throws IOException {
        try (HttpServer fixture = HttpServer.start(fixture("0"), temp)) {
            assertSame(way + "-http", """
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

    private void assertSame(String upstream, String policy) throws IOException {
        try (HttpServer gateway = HttpServer.gateway(policy, folder)) {
            suite(gateway.address(), folder).assertSame(upstream, direct);
        }
    }
}
