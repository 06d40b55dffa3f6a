package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.Ticket;
import dev.sluice.policy.Decision;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the Python SDK for trust annotations demonstrates and tests, on one clinic's policy.
 *
 * <p>Each folder is one of its scenarios, or one that its engine decides wrongly: {@code theirs} says what it does,
 * {@code why} why the outcome here is the right one.
 */
class PythonSdkScenariosTest {

    private static final Path CASES = Path.of("src/test/resources/python-sdk");

    @TestFactory
    List<DynamicTest> scenarios_areDecidedAsWritten() throws IOException {
        try (Stream<Path> folders = Files.list(CASES).filter(Files::isDirectory)) {
            List<DynamicTest> tests = folders.sorted()
                    .map(folder -> DynamicTest.dynamicTest(folder.getFileName().toString(), () -> check(folder)))
                    .toList();
            assertTrue(tests.size() >= 45, "the scenarios are read");
            return tests;
        }
    }

    private static void check(Path folder) throws IOException {
        JsonNode scenario = JsonMapper.shared().readTree(Files.readString(folder.resolve("scenario.json")));
        assertTrue(!scenario.path("theirs").asString("").isBlank(), "it says what the SDK does");
        assertTrue(!scenario.path("why").asString("").isBlank(), "it says why this is right");
        List<String> expected = new ArrayList<>();
        List<String> decided = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        try (Rehearsal rehearsal =
                new Rehearsal(PolicyParser.parse("policy.yaml", Files.readString(CASES.resolve("policy.yaml"))))) {
            for (JsonNode call : scenario.path("calls")) {
                expected.add(call.path("decision").asString("") + " " + call.path("rules"));
                Decision decision = play(rehearsal, call);
                decided.add(decision.kind().name().toLowerCase(Locale.ROOT) + " "
                        + JsonMapper.shared()
                                .valueToTree(decision.violations().stream()
                                        .map(Violation::id)
                                        .toList()));
                decision.violations().forEach(violation -> reasons.add(violation.toHuman()));
            }
        }
        assertEquals(expected, decided, reasons::toString);
    }

    private static Decision play(Rehearsal rehearsal, JsonNode call) {
        String server = call.path("server").stringValue();
        if (call.has("definition")) {
            rehearsal.define(server, call.path("definition"));
        }
        if (call.has("prompt")) {
            rehearsal.typed(call.path("prompt").stringValue());
        }
        Ticket ticket = rehearsal.call(server, call.path("tool").stringValue(), call.path("arguments"));
        if (ticket.decision().kind() == Decision.Kind.ALLOW && call.has("result")) {
            rehearsal.answer(ticket, call.path("result"));
        }
        return ticket.decision();
    }
}
