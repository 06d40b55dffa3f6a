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
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite's scenarios for clients: what the fixture client passes, it passes with Sluice in between
 * too, which is then the client that the suite's server sees.
 */
@Tag("interop")
final class ClientConformanceTest {

    /** What the revision asks of clients and the suite has beyond, but for authorization, which is not Sluice's to do. */
    private static final int SCENARIOS = 5;

    private static Map<String, Map<String, String>> direct = Map.of();

    @TempDir
    private static Path temp;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runDirectly() throws IOException {
        Interop.demand();
        direct = suite(temp, "direct", List.of()).run();
    }

    /** The suite has a shell read the command, and starts it for scenarios too that nobody plays: those end at once. */
    private static Conformance suite(Path folder, String way, List<String> sluice) {
        String client = Stream.concat(Interop.conformanceClient(way).stream(), sluice.stream())
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        String command = "case $MCP_CONFORMANCE_SCENARIO in auth/*) exit 2;; esac; exec " + client;
        return new Conformance(folder, "client", "--command", command);
    }

    @Test
    void fixture_passesEveryCheck() {
        Conformance.assertAllPass(SCENARIOS, direct);
    }

    @Test
    void wrapper_passesTheSameChecks() throws IOException {
        suite(folder, "run", Interop.sluice()).assertSame("client-run", direct);
    }

    @Test
    void gateway_passesTheSameChecks() throws IOException {
        suite(folder, "gateway", Interop.sluice()).assertSame("client-gateway", direct);
    }
}
