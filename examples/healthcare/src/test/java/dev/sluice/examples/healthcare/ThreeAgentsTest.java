package dev.sluice.examples.healthcare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The three agents, and what else the example promises beside the table of {@link ReferenceRowsTest}. */
class ThreeAgentsTest {

    private static List<String> played() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ThreeAgents.play(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void leak_isStoppedAtTheEdgeBetweenBAndC() {
        List<String> lines = played();
        assertEquals(8, lines.size());
        assertTrue(lines.get(0).contains("type 1 diabetes"), lines.get(0));
        assertEquals("A -> B: {\"status\":\"kept\"}", lines.get(1));
        assertTrue(lines.get(2).contains("type 1 diabetes"), lines.get(2));
        assertTrue(lines.get(3).startsWith("B -> C: sluice denied `pass_on`"), lines.get(3));
        assertTrue(lines.get(3).contains("patient data stays inside"), lines.get(3));
        assertTrue(lines.get(4).startsWith("B -> C, in other words: sluice denied `pass_on`"), lines.get(4));
        assertEquals("C collects: {\"entries\":[]}", lines.get(5));
        assertEquals("the auditor reads the log: [redacted: no-phi-for-the-audit]", lines.get(7));
    }

    @Test
    void output_standsInTheReadme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        for (String line : played()) {
            // Numbers of calls and approvals differ from run to run, and long lines are cut there.
            String begin = line.substring(0, Math.min(line.length(), 60));
            assertTrue(readme.contains(begin), begin);
        }
    }

    @Test
    void wordsWithoutPatientData_passFromBToC() {
        try (Stage stage = new Stage()) {
            Agent b = stage.agent("agent-b");
            assertEquals("allow", stage.decided(b, "clinic", "health_check", Map.of()));
            assertEquals("allow", stage.passes(b, ThreeAgents.OUTSIDE, "all systems run"));
            CallToolResult collected =
                    stage.agent("agent-c").call("desk", "collect", Map.of("to", ThreeAgents.OUTSIDE));
            assertTrue(Agent.text(collected).contains("all systems run"), collected.toString());
        }
    }

    @Test
    void anAgentThatKnowsNothing_isNotHeldBackByWhatOthersRead() {
        try (Stage stage = new Stage()) {
            stage.readsPatient(stage.agent("agent-a"));
            assertEquals("allow", stage.passes(stage.agent("agent-b"), Stage.PRESS, "the clinic is open on Monday"));
        }
    }

    @Test
    void billing_getsTheRecordWithoutWhatIsClinical() {
        try (Stage stage = new Stage()) {
            Agent billing = stage.agent("billing");
            CallToolResult result = billing.call("clinic", "patient_lookup", Map.of("patient_id", "p-17"));
            JsonNode record = JsonMapper.shared().valueToTree(result.structuredContent());
            assertEquals("Ostkasse", record.path("insurer").asString(""));
            assertEquals(480217, record.path("member").asInt(0));
            assertEquals(
                    "[redacted: minimum-necessary]", record.path("diagnosis").asString(""));
            assertTrue(record.path("weightKg").isMissingNode(), record.toString());
            for (String value : List.of("diabetes", "penicillin", "\"K\"", "61.5", "pump")) {
                assertFalse(result.toString().contains(value), result.toString());
                assertFalse(record.toString().contains(value), record.toString());
            }
            assertEquals("trusted private confidential/hipaa", Stage.seen(billing));
        }
    }

    @Test
    void server_refusesByWhatTheClientTells_evenWherePolicyOnlyWatches() {
        try (Stage stage = new Stage("mode: audit\n" + ThreeAgents.policyText())) {
            Agent agent = stage.agent();
            stage.readsPatient(agent);
            CallToolResult refused = agent.call(
                    "clinic", "send_notification", Map.of("to", Stage.PRESS, "text", "a woman who needs insulin"));
            assertEquals(true, refused.isError());
            assertTrue(Agent.text(refused).endsWith("nothing was sent"), Agent.text(refused));
        }
    }

    @Test
    void unknownRecord_isAnErrorThatSaysTheMend() {
        try (Stage stage = new Stage()) {
            CallToolResult result = stage.agent().call("clinic", "patient_lookup", Map.of("patient_id", "p-99"));
            assertEquals("there is no record `p-99`: call search_patients for the ids", Agent.text(result));
        }
    }

    @Test
    void policy_hasNoWarning() {
        assertEquals(List.of(), ThreeAgents.policy().warnings(Instant.parse("2026-12-01T00:00:00Z")));
    }
}
