package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The official conformance suite, for revision 2025-11-25: what passes with the fixture server passes through
 * {@code sluice gateway} too, check by check, but for what {@code interop/conformance-baseline.json} says and why.
 */
@Tag("interop")
final class ConformanceTest {

    private static final String REVISION = "2025-11-25";

    /** What that revision asks of servers, and what the suite has beyond: a run with fewer would show nothing. */
    private static final int SCENARIOS = 33;

    private static final Path BASELINE = Path.of("../interop/conformance-baseline.json");

    /**
     * The suite gives up on some answers after seconds, and through the gateway each session starts a program, which a
     * machine with much to do may take longer for. So what differs is asked again, alone.
     */
    private static final int TRIES = 5;

    private static final String NONE = "no such check";

    /** The worst word of each check, by scenario. */
    private static Map<String, Map<String, String>> direct = Map.of();

    @TempDir
    private static Path temp;

    @TempDir
    private Path folder;

    @BeforeAll
    static void runDirectly() throws IOException {
        Interop.demand();
        try (HttpServer fixture = HttpServer.start(Interop.conformanceFixture("0"), temp)) {
            direct = run(fixture.address(), temp);
        }
    }

    @Test
    void fixture_passesEveryCheck() {
        assertEquals(SCENARIOS, direct.size(), direct.keySet().toString());
        direct.forEach((scenario, checks) -> {
            assertFalse(checks.isEmpty(), scenario);
            checks.forEach((check, word) -> assertEquals("SUCCESS", word, scenario + ": " + check));
        });
    }

    @Test
    void stdioUpstream_passesTheSameChecks() throws Exception {
        compare("stdio", HttpServer.freely(Map.of("fixture", Interop.conformanceFixture())));
    }

    @Test
    void httpUpstream_passesTheSameChecks() throws Exception {
        try (HttpServer fixture = HttpServer.start(Interop.conformanceFixture("0"), temp)) {
            compare("http", """
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

    /** Runs the suite through a gateway with this policy, and holds what it says against the direct run. */
    private void compare(String upstream, String policy) throws Exception {
        Map<String, String> expected = new TreeMap<>();
        direct.forEach(
                (scenario, checks) -> checks.forEach((check, word) -> expected.put(scenario + ": " + check, word)));
        for (JsonNode each : JsonMapper.shared().readTree(Files.readString(BASELINE))) {
            if (each.path("upstream").asString("").equals(upstream)) {
                String check = each.path("scenario").asString("") + ": "
                        + each.path("check").asString("");
                assertTrue(expected.containsKey(check), "the baseline names what the suite does not have: " + check);
                assertFalse(each.path("because").asString("").isEmpty(), "the baseline has no reason for " + check);
                expected.put(check, each.path("through").asString(""));
            }
        }
        try (HttpServer gateway = HttpServer.gateway(policy, folder)) {
            Map<String, Map<String, String>> through = run(gateway.address(), folder);
            assertEquals(direct.keySet(), through.keySet(), "the same scenarios ran");
            for (String scenario : direct.keySet()) {
                for (int i = 1;
                        i < TRIES && !differing(scenario, expected, through).isEmpty();
                        i++) {
                    through.putAll(run(
                            gateway.address(),
                            Files.createTempDirectory(folder, "again"),
                            "--scenario",
                            scenario,
                            "--spec-version",
                            REVISION));
                }
            }
            List<String> differences = new ArrayList<>();
            direct.keySet().forEach(scenario -> differences.addAll(differing(scenario, expected, through)));
            assertEquals(List.of(), differences, "what differs, and is not in " + BASELINE);
        }
    }

    private static List<String> differing(
            String scenario, Map<String, String> expected, Map<String, Map<String, String>> through) {
        Map<String, String> actual = through.getOrDefault(scenario, Map.of());
        List<String> differences = new ArrayList<>();
        direct.getOrDefault(scenario, Map.of()).keySet().forEach(check -> {
            String wanted = expected.getOrDefault(scenario + ": " + check, NONE);
            String word = actual.getOrDefault(check, NONE);
            if (!word.equals(wanted)) {
                differences.add(scenario + ": " + check + ": " + word + ", not " + wanted);
            }
        });
        actual.forEach((check, word) -> {
            if (!word.equals("SUCCESS")
                    && !direct.getOrDefault(scenario, Map.of()).containsKey(check)) {
                differences.add(scenario + ": " + check + ": " + word);
            }
        });
        return differences;
    }

    /** Runs the suite, or what the options name of it, and returns what it wrote. */
    private static Map<String, Map<String, String>> run(URI server, Path folder, String... options) throws IOException {
        Path results = folder.resolve("results");
        List<String> command = new ArrayList<>(
                List.of(Interop.node().toString(), Interop.conformance().toString(), "server"));
        command.addAll(List.of("--url", server.toString(), "--output-dir", results.toString()));
        command.addAll(options.length == 0 ? List.of("--requirements", REVISION) : List.of(options));
        Interop.Ended ended = Interop.run(command, Interop.environment(folder), folder);
        Map<String, Map<String, String>> words = new TreeMap<>();
        try (Stream<Path> folders = Files.list(results)) {
            for (Path each : folders.toList()) {
                String scenario = each.getFileName()
                        .toString()
                        .replaceFirst("^server-", "")
                        .replaceFirst("-\\d{4}-\\d\\d-\\d\\dT.*$", "");
                words.put(scenario, checks(each.resolve("checks.json")));
            }
        }
        assertFalse(words.isEmpty(), ended.out() + ended.err());
        return words;
    }

    private static Map<String, String> checks(Path file) throws IOException {
        List<String> worse = List.of("SUCCESS", "SKIPPED", "WARNING", "FAILURE");
        Map<String, String> words = new TreeMap<>();
        for (JsonNode check : JsonMapper.shared().readTree(Files.readString(file))) {
            String word = check.path("status").asString("");
            if (!word.equals("INFO")) {
                words.merge(
                        check.path("id").asString(""),
                        word,
                        (one, other) -> worse.indexOf(one) > worse.indexOf(other) ? one : other);
            }
        }
        return words;
    }
}
