package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The official conformance suite for one revision, asked one way and held against another. */
final class Conformance {

    static final String LEGACY = "2025-11-25";
    static final String MODERN = "2026-07-28";

    private static final Path BASELINE = Path.of("../interop/conformance-baseline.json");

    /**
     * The suite gives up on some answers after seconds, and through the gateway each session starts a program, which a
     * machine with much to do may take longer for. So what differs is asked again, alone.
     */
    private static final int TRIES = 5;

    /** The suite's own 30 are too few where all scenarios start a JVM at once on a machine with much to do. */
    private static final long SCENARIO_SECONDS = 120;

    private static final String NONE = "no such check";

    private final String revision;

    /** What the suite is told to test: {@code server} or {@code client}, and the options that say which. */
    private final List<String> tested;

    private final Path folder;

    Conformance(String revision, Path folder, String... tested) {
        this.revision = revision;
        this.folder = folder;
        this.tested = List.of(tested);
    }

    /** Runs all that the revision has, and returns the worst word of each check, by scenario. */
    Map<String, Map<String, String>> run() throws IOException {
        return run(folder, List.of("--requirements", revision));
    }

    private Map<String, Map<String, String>> run(Path into, List<String> which) throws IOException {
        Path results = into.resolve("results");
        List<String> command = new ArrayList<>(
                List.of(Interop.node().toString(), Interop.conformance().toString()));
        command.addAll(tested);
        command.addAll(List.of("--output-dir", results.toString()));
        command.addAll(List.of("--timeout", String.valueOf(TimeUnit.SECONDS.toMillis(SCENARIO_SECONDS))));
        command.addAll(which);
        Map<String, String> environment = Interop.environment(into);
        environment.put("TMPDIR", into.toString());
        Interop.Ended ended = Interop.run(command, environment, into);
        Map<String, Map<String, String>> words = new TreeMap<>();
        try (Stream<Path> folders = Files.list(results)) {
            for (Path each : folders.toList()) {
                String scenario = each.getFileName()
                        .toString()
                        .replaceFirst("^server-", "")
                        .replaceFirst("-\\d{4}-\\d\\d-\\d\\dT.*$", "");
                Path checks = each.resolve("checks.json");
                if (Files.exists(checks)) { // the suite groups some scenarios in folders, and nothing here plays those
                    words.put(scenario, checks(checks));
                }
            }
        }
        assertFalse(words.isEmpty(), ended.out() + ended.err());
        return words;
    }

    private static Map<String, String> checks(Path file) throws IOException {
        List<String> worse = List.of("SKIPPED", "SUCCESS", "WARNING", "FAILURE");
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

    /**
     * Asserts that so many scenarios ran and that each check passed: else a comparison would show nothing.
     *
     * @param empty the scenarios that the suite has and does not play yet
     */
    static void assertAllPass(int scenarios, Map<String, Map<String, String>> words, String... empty) {
        assertEquals(scenarios, words.size(), words.keySet().toString());
        List<String> skipped = List.of(empty);
        words.forEach((scenario, checks) -> {
            assertFalse(checks.isEmpty(), scenario);
            String expected = skipped.contains(scenario) ? "SKIPPED" : "SUCCESS";
            checks.forEach((check, word) -> assertEquals(expected, word, scenario + ": " + check));
        });
    }

    /**
     * Runs the suite and asserts that it says what it said of the direct run, but for what the baseline has.
     *
     * @param way what the baseline's entries of this run have as their {@code way}
     */
    void assertSame(String way, Map<String, Map<String, String>> direct) throws IOException {
        Map<String, Map<String, String>> expected = expected(way, direct);
        Map<String, Map<String, String>> through = run();
        assertEquals(direct.keySet(), through.keySet(), "the same scenarios ran");
        List<String> differences = new ArrayList<>();
        for (String scenario : direct.keySet()) {
            List<String> left = differing(scenario, expected, through);
            for (int i = 1; i < TRIES && !left.isEmpty(); i++) {
                through.putAll(run(
                        Files.createTempDirectory(folder, "again"),
                        List.of("--scenario", scenario, "--spec-version", revision, "--force")));
                left = differing(scenario, expected, through);
            }
            differences.addAll(left);
        }
        assertEquals(List.of(), differences, "what differs, and is not in " + BASELINE);
    }

    private static Map<String, Map<String, String>> expected(String way, Map<String, Map<String, String>> direct)
            throws IOException {
        Map<String, Map<String, String>> expected = new TreeMap<>();
        direct.forEach((scenario, checks) -> expected.put(scenario, new TreeMap<>(checks)));
        for (JsonNode each : JsonMapper.shared().readTree(Files.readString(BASELINE))) {
            if (each.path("way").asString("").equals(way)) {
                String check = each.path("check").asString("");
                Map<String, String> checks =
                        expected.getOrDefault(each.path("scenario").asString(""), Map.of());
                assertTrue(checks.containsKey(check), "the baseline names what the suite does not have: " + each);
                assertFalse(each.path("because").asString("").isEmpty(), "the baseline has no reason for " + each);
                checks.put(check, each.path("through").asString(""));
            }
        }
        return expected;
    }

    /** What the direct run does not have must have passed. */
    private static List<String> differing(
            String scenario, Map<String, Map<String, String>> expected, Map<String, Map<String, String>> through) {
        Map<String, String> wanted = expected.getOrDefault(scenario, Map.of());
        Map<String, String> actual = through.getOrDefault(scenario, Map.of());
        List<String> differences = new ArrayList<>();
        wanted.forEach((check, word) -> {
            String said = actual.getOrDefault(check, NONE);
            if (!said.equals(word)) {
                differences.add(scenario + ": " + check + ": " + said + ", not " + word);
            }
        });
        actual.forEach((check, word) -> {
            if (!word.equals("SUCCESS") && !wanted.containsKey(check)) {
                differences.add(scenario + ": " + check + ": " + word);
            }
        });
        return differences;
    }
}
