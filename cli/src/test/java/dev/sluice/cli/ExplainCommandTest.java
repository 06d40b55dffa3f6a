package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code sluice explain}: golden cases, each a folder with a policy, a trace, the decisions on it and the exit code. */
class ExplainCommandTest {

    private static final Path CASES = Path.of("src/test/resources/explain");
    private static final String POLICY =
            CASES.resolve("unknown-tool/policy.yaml").toString();
    private static final String CALL = "{\"server\":\"pages\",\"tool\":\"fetch\",\"arguments\":{}}";

    @TestFactory
    List<DynamicTest> cases_areDecidedAsWritten() throws IOException {
        try (Stream<Path> folders = Files.list(CASES)) {
            List<DynamicTest> tests = folders.sorted()
                    .map(folder -> DynamicTest.dynamicTest(folder.getFileName().toString(), () -> check(folder)))
                    .toList();
            assertTrue(tests.size() >= 8, "the cases are read");
            return tests;
        }
    }

    /** The sentences of a decision are for people and may be worded anew; all else is as written. */
    private static void check(Path folder) throws Exception {
        List<String> command = new ArrayList<>(List.of("explain", "--json"));
        command.addAll(List.of("--policy", folder.resolve("policy.yaml").toString()));
        if (Files.exists(folder.resolve("options"))) {
            command.addAll(
                    List.of(Files.readString(folder.resolve("options")).strip().split(" ", -1)));
        }
        command.add(folder.resolve("trace.jsonl").toString());
        Told told = Told.by(command.toArray(String[]::new));

        List<JsonNode> decisions = told.json();
        for (JsonNode decision : decisions) {
            JsonNode reason = ((ObjectNode) decision).remove("reason");
            assertTrue(reason.isString() && !reason.stringValue().isBlank(), told.out());
        }
        List<JsonNode> written = Files.readAllLines(folder.resolve("decisions.jsonl")).stream()
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();
        assertEquals(written, decisions, told.err());
        assertEquals(Files.readString(folder.resolve("exit")).strip(), String.valueOf(told.exit()));
    }

    private static Told explain(String trace, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("explain", "--policy", POLICY));
        command.addAll(List.of(options));
        command.add("-");
        return Told.reading(trace.getBytes(StandardCharsets.UTF_8), Map.of(), command.toArray(String[]::new));
    }

    @Test
    void withoutJson_isALineForEachCall() throws Exception {
        Told told = explain("\n" + CALL + "\r\n" + CALL.replace("fetch", "burn\\u001b[2J"));

        assertEquals(
                "line 2  allow  pages fetch  allowed" + System.lineSeparator()
                        + "line 3  allow  pages burn??2J  allowed" + System.lineSeparator(),
                told.out());
        assertEquals(0, told.exit());
    }

    @Test
    void lineThatIsNoCall_endsWith2AndDecidesNothing() throws Exception {
        String noCall = "is no call: give the texts `server` and `tool`, and the object `arguments`";
        for (String[] bad : new String[][] {
            {"{\"server\":\"pages\"", "is no strict JSON: "},
            {"[]", noCall},
            {CALL.replace("{}", "[]"), noCall},
            {CALL.replace("\"fetch\"", "7"), noCall},
            {CALL.replace("{}}", "{},\"result\":\"text\"}"), "has a `result` that is no object: "},
            {CALL.replace("{}}", "{},\"definition\":{}}"), "has a `definition` without a name: "},
            {CALL.replace("{}}", "{},\"prompt\":{}}"), "has a `prompt` that is no text: "}
        }) {
            Told told = explain(CALL + "\n\n" + bad[0] + "\n", "--json");

            assertEquals(2, told.exit(), bad[0]);
            assertEquals("", told.out(), bad[0]);
            assertTrue(told.err().startsWith("sluice: line 3 " + bad[1]), told.err());
            assertEquals(1, told.err().lines().count(), told.err());
        }
    }

    /** A tool of which nobody has said anything may be one that the model made up: that stands in none of its arguments. */
    @Test
    void callWithoutArguments_namesNoneThatTheUserDidNotName() throws Exception {
        String policy = CASES.resolve("denied-answer-stays-out/policy.yaml").toString();
        String read = Files.readString(CASES.resolve("denied-answer-stays-out/trace.jsonl"))
                .lines()
                .findFirst()
                .orElseThrow();
        Told told = Told.reading(
                (read + "\n{\"server\": \"mail\", \"tool\": \"nobody_said\", \"arguments\": {}}\n")
                        .getBytes(StandardCharsets.UTF_8),
                Map.of(),
                "explain",
                "--policy",
                policy,
                "-");
        assertTrue(told.out().contains("may have steered this call; private data came in"), told.out());
    }

    @Test
    void membersThatAreNull_areLeftOut() throws Exception {
        Told told = explain(CALL.replace("{}}", "{},\"result\":null,\"definition\":null,\"prompt\":null}"), "--json");

        assertEquals(0, told.exit(), told.err());
        assertEquals("allow", told.json().get(0).path("decision").stringValue());
    }

    @Test
    void policyWithAnError_endsWith1AndItsPlace() throws Exception {
        Path bad = CASES.resolve("unknown-tool/trace.jsonl");
        Told told = Told.by("explain", "--policy", bad.toString(), bad.toString());

        assertEquals(1, told.exit());
        assertEquals("", told.out());
        assertFalse(told.err().contains("Exception"), told.err());
        assertTrue(told.err().startsWith("sluice: " + bad + ":2: this is no YAML"), told.err());
    }
}
