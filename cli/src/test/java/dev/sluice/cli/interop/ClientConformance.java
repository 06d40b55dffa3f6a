package dev.sluice.cli.interop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite's scenarios for clients of one revision: what the fixture client passes, it passes with
 * Sluice in between too, which is then the client that the suite's server sees.
 */
@Tag("interop")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClientConformance {

    private final String revision;
    private final int scenarios;

    /** What the baseline's entries have as their {@code way}, before the way that Sluice is started. */
    private final String way;

    @TempDir
    private static Path temp;

    @TempDir
    private Path folder;

    private Map<String, Map<String, String>> direct = Map.of();

    /**
     * @param scenarios how many the revision asks of clients, with what the suite has beyond, but for authorization, which is
     *     not Sluice's to do
     */
    ClientConformance(String revision, int scenarios, String way) {
        this.revision = revision;
        this.scenarios = scenarios;
        this.way = way;
    }

    @BeforeAll
    void runDirectly() throws IOException {
        Interop.demand();
        direct = suite(temp, "direct", List.of()).run();
    }

    /** The suite has a shell read the command, and starts it for scenarios too that nobody plays: those end at once. */
    private Conformance suite(Path into, String started, List<String> sluice) {
        String client = Stream.concat(Interop.conformanceClient(started).stream(), sluice.stream())
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        String command = "case $MCP_CONFORMANCE_SCENARIO in auth/*) exit 2;; esac; exec " + client;
        return new Conformance(revision, into, "client", "--command", command);
    }

    @Test
    void fixture_passesEveryCheck() {
        Conformance.assertAllPass(scenarios, direct);
    }

    @Test
    void wrapper_passesTheSameChecks() throws IOException {
        suite(folder, "run", Interop.sluice()).assertSame(way + "-run", direct);
    }

    @Test
    void gateway_passesTheSameChecks() throws IOException {
        suite(folder, "gateway", Interop.sluice()).assertSame(way + "-gateway", direct);
    }
}
