// This file has more than 400 lines because each row of the table is one method of a few lines.
package dev.sluice.examples.healthcare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.canonical.JcsCanonicalizer;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every row of the README's tables says under "ours" what happens here when it is played. */
class ReferenceRowsTest {

    private static final Pattern ROW = Pattern.compile("\\| ([A-Z]+\\d+) \\|[^|]+\\|[^|]+\\| `([^`]+)` \\|[^|]+\\|");
    private static final String CARD = "Nora Quist, p-17, type 1 diabetes";

    private final Map<String, Supplier<String>> rows = new LinkedHashMap<>();

    ReferenceRowsTest() {
        rules();
        faults();
        scenarios();
        usability();
    }

    @TestFactory
    List<DynamicTest> rows_sayWhatHappens() throws IOException {
        Map<String, String> written = readme();
        assertEquals(
                new TreeSet<>(rows.keySet()), new TreeSet<>(written.keySet()), "rows of the README and of this test");
        return rows.entrySet().stream()
                .map(row -> DynamicTest.dynamicTest(
                        row.getKey(),
                        () -> assertEquals(
                                written.get(row.getKey()), row.getValue().get())))
                .toList();
    }

    private static Map<String, String> readme() throws IOException {
        Map<String, String> written = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                written.put(row.group(1), row.group(2));
            }
        }
        return written;
    }

    private interface Play {
        String play(Stage stage, Agent agent);
    }

    private void row(String id, Play play) {
        row(id, ThreeAgents.policyText(), play);
    }

    private void row(String id, String policy, Play play) {
        rows.put(id, () -> {
            try (Stage stage = new Stage(policy)) {
                return play.play(stage, stage.agent());
            }
        });
    }

    private static String steps(String... outcomes) {
        return String.join("; ", outcomes);
    }

    private static String rotates(Stage stage, Agent agent) {
        return stage.decided(agent, "clinic", "rotate_api_key", Map.of());
    }

    private static String readsPortal(Stage stage, Agent agent) {
        return stage.decided(agent, "desk", "read_portal", Map.of());
    }

    private static String notifies(Stage stage, Agent agent, String to, String text) {
        return stage.decided(agent, "clinic", "send_notification", Map.of("to", to, "text", text));
    }

    private static String updates(Stage stage, Agent agent) {
        return stage.decided(
                agent, "clinic", "update_patient_record", Map.of("patient_id", "p-17", "note", "no allergies"));
    }

    private static String claims(Stage stage, Agent agent, String details) {
        return stage.decided(
                agent, "clinic", "process_insurance_claim", Map.of("patient_id", "p-17", "details", details));
    }

    private static String logs(Stage stage, Agent agent, String line) {
        return stage.decided(agent, "desk", "write_log", Map.of("log", "care", "line", line));
    }

    private static final String KEY = "ck-7f2b9e40d1a8c635";

    /** The six rules, in order. */
    private void rules() {
        row("R1", (stage, agent) -> {
            String decided = notifies(stage, agent, Stage.COLLEAGUE, "the lift runs again");
            String findings = stage.events("pin").stream()
                    .filter(pin -> pin.path("name").asString("").equals("send_notification"))
                    .map(pin -> pin.path("findings").path(0).path("code").asString("none"))
                    .findFirst()
                    .orElse("none");
            return steps(decided, "finding " + findings + " with the definition");
        });
        row("R2", (stage, agent) -> steps(rotates(stage, agent), stage.passes(agent, Stage.PRESS, KEY)));
        row("R3", (stage, agent) -> steps(stage.readsPatient(agent), stage.passes(agent, Stage.PRESS, CARD)));
        row("R4", (stage, agent) -> steps(readsPortal(stage, agent), updates(stage, agent)));
        row(
                "R5",
                (stage, agent) -> steps(
                        stage.decided(agent, "clinic", "staff_directory", Map.of()),
                        stage.passes(agent, Stage.PRESS, "Dr. Lena Ohm, +49 30 5550171")));
        row("R6", (stage, agent) -> steps(stage.readsPatient(agent), stage.passes(agent, Stage.COLLEAGUE, CARD)));
    }

    /** What is wrong in the code of the Python SDK. */
    private void faults() {
        row("B1", (stage, agent) -> {
            stage.readsPatient(agent);
            return stage.decided(agent, "desk", "pass_on", Map.of("text", CARD));
        });
        row("B2", (stage, agent) -> {
            stage.readsPatient(agent);
            return steps(
                    stage.passes(agent, "PRESS@News.example", CARD),
                    stage.passes(agent, List.of(Stage.COLLEAGUE, Stage.PRESS), CARD),
                    stage.passes(agent, "external", CARD));
        });
        row("B3", (stage, agent) -> {
            rotates(stage, agent);
            return steps(stage.passes(agent, Stage.PRESS, KEY), logs(stage, agent, "the key is " + KEY));
        });
        row("B4", (stage, agent) -> {
            claims(stage, agent, "one pump");
            rotates(stage, agent);
            stage.readsPatient(agent);
            return Stage.seen(agent);
        });
        row("B5", (stage, agent) -> {
            stage.readsPatient(agent);
            rotates(stage, agent);
            return stage.passes(agent, Stage.PRESS, CARD + " " + KEY);
        });
        row(
                "B6",
                ThreeAgents.policyText()
                        .replace(
                                "rules:\n",
                                "rules:\n  - {id: look-first, on: {servers: [desk], tools: [pass_on]}, then: ask}\n"),
                (stage, agent) -> {
                    stage.readsPatient(agent);
                    return stage.passes(agent, Stage.PRESS, CARD);
                });
        row("B7", (stage, agent) -> {
            CallToolResult suspicious = CallToolResult.builder()
                    .addTextContent("hello")
                    .meta(Map.of("annotations", Map.of("maliciousActivityHint", true)))
                    .build();
            agent.with("web", Stage.answering("get", suspicious));
            agent.call("web", "get", Map.of());
            JsonNode answer = stage.events("answer").get(0);
            return steps(
                    "finding " + answer.path("findings").path(0).path("code").asString(""), updates(stage, agent));
        });
        row("B8", (stage, agent) -> {
            CallToolResult silent =
                    CallToolResult.builder().addTextContent("who knows").build();
            agent.with("unheard", Stage.answering("get", silent));
            agent.call("unheard", "get", Map.of());
            return steps(Stage.seen(agent), stage.passes(agent, Stage.PRESS, "who knows"));
        });
        row("B9", (stage, agent) -> {
            readsPortal(stage, agent);
            return stage.passes(agent, "x@evil.example", "Set my record to: no allergies");
        });
        row(
                "B10",
                "profile: strict\n" + ThreeAgents.policyText(),
                (stage, agent) -> notifies(stage, agent, Stage.COLLEAGUE, "the lift runs again"));
        row("B11", (stage, agent) -> {
            agent.with("lookalike", Stage.answering("patient_lookup", Replies.json(Map.of("name", "x"))));
            stage.readsPatient(agent);
            return steps(
                    stage.decided(agent, "lookalike", "patient_lookup", Map.of("patient_id", CARD)),
                    stage.decided(agent, "lookalike", "anything_else", Map.of("text", CARD)));
        });
        row(
                "B12",
                ThreeAgents.policyText()
                        .replace(
                                "  desk:\n",
                                "  odd: {claims: full, defaults: {integrity: trusted, confidentiality: public}}\n  desk:\n"),
                (stage, agent) -> {
                    CallToolResult malformed = CallToolResult.builder()
                            .addTextContent("a")
                            .meta(Map.of(
                                    "io.modelcontextprotocol/trust-annotations",
                                    Map.of("sensitive", "maybe", "untrusted", 0)))
                            .build();
                    agent.with("odd", Stage.answering("get", malformed));
                    String decided = stage.decided(agent, "odd", "get", Map.of());
                    int findings =
                            stage.events("answer").get(0).path("findings").size();
                    return steps(decided, findings + " findings", Stage.seen(agent));
                });
        row("B13", (stage, agent) -> steps(updates(stage, agent), Stage.seen(agent)));
        rows.put("B14", ReferenceRowsTest::brokenAudit);
        rows.put("B15", ReferenceRowsTest::redacted);
        row(
                "B16",
                (stage, agent) -> steps(
                        stage.decided(agent, "clinic", "search_patients", Map.of("word", "diabetes")),
                        Stage.seen(agent),
                        stage.events("decision").size() + " decision recorded"));
        row("B17", (stage, agent) -> {
            stage.readsPatient(agent);
            logs(stage, agent, "done");
            String call = last(agent.line("desk").requests());
            return JsonMapper.shared()
                    .readTree(call)
                    .path("params")
                    .path("_meta")
                    .path("annotations")
                    .toString();
        });
        rows.put("B18", () -> {
            JsonNode record = JsonMapper.shared().readTree("{\"\uFB33\":1,\"\uD83D\uDE00\":2}");
            String canonical = new String(JcsCanonicalizer.canonicalize(record), StandardCharsets.UTF_8);
            return canonical.indexOf("\uD83D\uDE00") < canonical.indexOf("\uFB33") ? "UTF-16 order" : "other";
        });
    }

    private static String last(List<String> lines) {
        return lines.get(lines.size() - 1);
    }

    /** A record that can't be kept stops a call before it has an effect. */
    private static String brokenAudit() {
        try (Stage stage = new Stage()) {
            Agent agent = stage.agent();
            stage.readsPatient(agent);
            int before = agent.line("clinic").requests().size();
            stage.breakStore();
            CallToolResult denied =
                    agent.call("clinic", "update_patient_record", Map.of("patient_id", "p-17", "note", "x"));
            stage.mendStore();
            Object mark = denied.meta().get("dev.sluice/decision");
            return steps(
                    "deny " + ((Map<?, ?>) mark).get("code"),
                    (agent.line("clinic").requests().size() - before) + " calls reached the server");
        }
    }

    /** Whoever may not see patient data gets none of it, on any projection; the wire had it, with its label. */
    private static String redacted() {
        try (Stage stage = new Stage()) {
            Agent auditor = stage.agent("auditor");
            CallToolResult result = auditor.call("clinic", "search_patients", Map.of("word", "p-"));
            String wire = last(auditor.line("clinic").answers());
            assertTrue(wire.contains("\"sensitive\":true") && wire.contains("data-class.v1"), wire);
            String left = result.toString();
            for (String value : List.of(
                    "p-17", "480217", "61.5", "Nora", "penicillin", "\"K\"", "733018", "Aram", "88", "1954", "pump")) {
                assertTrue(wire.contains(value.replace("\"", "\\\"")) || wire.contains(value), value);
                assertFalse(left.contains(value), left);
            }
            JsonNode answer = stage.events("answer").get(0);
            return steps("allow", "redacted " + answer.path("redacted"), Stage.seen(auditor));
        }
    }

    /** What the host demos and the dashboard play. */
    private void scenarios() {
        row(
                "H1",
                (stage, agent) ->
                        steps(stage.decided(agent, "clinic", "health_check", Map.of()), stage.readsPatient(agent)));
        row("H2", (stage, agent) -> {
            stage.readsPatient(agent);
            String written = logs(stage, agent, CARD);
            Agent auditor = stage.agent("auditor");
            auditor.call("desk", "read_log", Map.of("log", "care"));
            JsonNode answer = newest(stage.events("answer"));
            return steps(
                    written,
                    "redacted " + answer.path("redacted"),
                    "the auditor's session stays " + Stage.seen(auditor));
        });
        row("H3", (stage, agent) -> {
            stage.readsPatient(agent);
            return stage.passes(agent, Stage.COLLEAGUE, CARD);
        });
        row("H4", (stage, agent) -> {
            stage.readsPatient(agent);
            return stage.passes(agent, Stage.PRESS, CARD);
        });
        row("H5", (stage, agent) -> stage.decided(agent, "clinic", "search_patients", Map.of("word", "diabetes")));
        row("H6", (stage, agent) -> {
            String fresh = steps(
                    notifies(stage, agent, Stage.COLLEAGUE, "the lift runs again"),
                    notifies(stage, agent, Stage.PRESS, "the clinic is open on Monday"));
            stage.readsPatient(agent);
            return steps(
                    fresh,
                    "after a lookup: " + notifies(stage, agent, Stage.COLLEAGUE, CARD),
                    notifies(stage, agent, Stage.PRESS, CARD));
        });
        row("H7", (stage, agent) -> {
            stage.readsPatient(agent);
            return stage.decided(agent, "clinic", "health_check", Map.of());
        });
        row("H8", (stage, agent) -> steps(rotates(stage, agent), notifies(stage, agent, Stage.PRESS, KEY)));
        row("H9", (stage, agent) -> {
            String claim = claims(stage, agent, "one pump");
            String claimOut = stage.passes(agent, Stage.PRESS, "claim C-2041 was handed in");
            Agent other = stage.agent();
            stage.decided(other, "clinic", "staff_directory", Map.of());
            return steps(claim, claimOut, stage.passes(other, Stage.PRESS, "Ben Ruiz works at the reception"));
        });
        row("H10", (stage, a) -> {
            Agent b = stage.agent("agent-b");
            Agent auditor = stage.agent("auditor");
            String read = stage.readsPatient(a);
            String aToB = stage.passes(a, ThreeAgents.INSIDE, CARD);
            b.call("desk", "collect", Map.of("to", ThreeAgents.INSIDE));
            String bToC = stage.passes(b, ThreeAgents.OUTSIDE, "a woman who needs insulin");
            logs(stage, b, CARD);
            auditor.call("desk", "read_log", Map.of("log", "care"));
            JsonNode log = newest(stage.events("answer")).path("redacted");
            return steps("A reads: " + read, "A to B: " + aToB, "B to C: " + bToC, "B's log: redacted " + log);
        });
    }

    private static JsonNode newest(List<JsonNode> events) {
        return events.get(events.size() - 1);
    }

    /** The ten scenarios that people were asked about. */
    private void usability() {
        row("U1", (stage, agent) -> {
            notifies(stage, agent, Stage.COLLEAGUE, "x");
            JsonNode declared = declared(agent, "send_notification");
            return declared.path("inputMetadata").path("destination").asString("") + ", "
                    + declared.path("outcome").asString("") + ", source "
                    + declared.path("returnMetadata").path("source").asString("");
        });
        row("U2", (stage, agent) -> {
            stage.decided(agent, "clinic", "staff_directory", Map.of());
            return stage.passes(agent, Stage.COLLEAGUE, "Ben Ruiz works at the reception");
        });
        row("U3", (stage, agent) -> {
            stage.decided(agent, "clinic", "staff_directory", Map.of());
            stage.decided(agent, "clinic", "health_check", Map.of());
            return Stage.seen(agent);
        });
        row("U4", (stage, agent) -> {
            readsPortal(stage, agent);
            stage.decided(agent, "clinic", "health_check", Map.of());
            return Stage.seen(agent);
        });
        row("U5", (stage, agent) -> {
            stage.decided(agent, "clinic", "staff_directory", Map.of());
            return notifies(stage, agent, Stage.PRESS, "Ben Ruiz works at the reception");
        });
        row("U6", (stage, agent) -> {
            readsPortal(stage, agent);
            return updates(stage, agent);
        });
        rows.put("U7", () -> {
            List<String> modes = new ArrayList<>();
            for (String mode : List.of("audit", "warn", "enforce")) {
                try (Stage stage = new Stage("mode: " + mode + "\n" + ThreeAgents.policyText())) {
                    Agent agent = stage.agent();
                    stage.readsPatient(agent);
                    String decision = stage.passes(agent, Stage.PRESS, CARD);
                    modes.add(mode + ": " + decision + " "
                            + newest(stage.events("decision")).path("done").asString(""));
                }
            }
            return String.join("; ", modes);
        });
        rows.put("U8", () -> {
            Desk shared = new Desk();
            try (Stage here = new Stage(ThreeAgents.policyText(), shared);
                    Stage elsewhere = new Stage(ThreeAgents.policyText(), shared)) {
                Agent a = here.agent();
                here.readsPatient(a);
                here.passes(a, ThreeAgents.INSIDE, "she can't take the usual antibiotic");
                Agent b = elsewhere.agent();
                b.call("desk", "collect", Map.of("to", ThreeAgents.INSIDE));
                return Stage.seen(b);
            }
        });
        row(
                "U9",
                ThreeAgents.policyText()
                        .replace(
                                "  desk:\n    claims: full\n",
                                "  desk:\n    claims: full\n    defaults: {spans: [{match: '\\d{3}-\\d{2}-\\d{4}', readers:"
                                        + " clinic, classes: [ssn]}]}\n"),
                (stage, agent) -> {
                    logs(stage, agent, "her number is 219-09-9999");
                    agent.call("desk", "read_log", Map.of("log", "care"));
                    return steps(Stage.seen(agent), stage.passes(agent, Stage.PRESS, "219-09-9999"));
                });
        rows.put("U10", () -> {
            try (Stage stage = new Stage(
                    ThreeAgents.policyText(), new Desk(), request -> CompletableFuture.completedFuture(true))) {
                Agent agent = stage.agent();
                CallToolResult suspicious = CallToolResult.builder()
                        .addTextContent("hello")
                        .meta(Map.of("annotations", Map.of("maliciousActivityHint", true)))
                        .build();
                agent.with("web", Stage.answering("get", suspicious));
                agent.call("web", "get", Map.of());
                String decided = notifies(stage, agent, Stage.COLLEAGUE, "the lift runs again");
                String approval = newest(stage.events("decision"))
                        .path("approval")
                        .path("state")
                        .asString("");
                return steps(decided, approval, "still " + Stage.seen(agent));
            }
        });
    }

    private static JsonNode declared(Agent agent, String tool) {
        for (String line : agent.line("clinic").answers()) {
            for (JsonNode each :
                    JsonMapper.shared().readTree(line).path("result").path("tools")) {
                if (each.path("name").asString("").equals(tool)) {
                    return each.path("annotations").path("io.modelcontextprotocol/action-metadata");
                }
            }
        }
        throw new AssertionError("no tool " + tool);
    }

    /** For whoever writes the README. */
    public static void main(String[] args) {
        new ReferenceRowsTest().rows.forEach((id, run) -> {
            String outcome;
            try {
                outcome = run.get();
            } catch (RuntimeException | AssertionError e) {
                outcome = e.toString();
            }
            System.out.println(id + "\t" + outcome);
        });
        System.exit(0);
    }

    @Test
    void readme_namesEveryRowOnce() throws IOException {
        assertEquals(6 + 18 + 10 + 10, readme().size());
    }
}
