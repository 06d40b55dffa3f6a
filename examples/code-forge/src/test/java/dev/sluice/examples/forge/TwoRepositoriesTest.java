package dev.sluice.examples.forge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.client.Enforcement;
import dev.sluice.labels.Integrity;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Who may see what an agent writes that has read private repositories. */
class TwoRepositoriesTest {

    private static final Path FOLDER = Path.of("fixture");
    private static final String SALARY = "Kim gets 71,300 from May on";
    private static final String BOTH = "Kim, who gets 71,300, moves the database to rack 14";

    private final Fixture fixture = Fixture.read(FOLDER);
    private final Roster roster = Roster.serve(fixture);
    private final MemoryEngine engine = new MemoryEngine();
    private final Enforcement enforcement = Enforcement.builder(TwoRepositories.policy(roster.url()))
            .engine(engine)
            .build();
    private final Agent agent = new Agent(enforcement, "one", new ForgeTools(fixture, true));

    @AfterEach
    void close() {
        agent.close();
        enforcement.close();
        engine.close();
        roster.close();
    }

    private List<JsonNode> decisions() {
        return engine.transact(tx -> tx.audit().read(1, 100_000)).stream()
                .map(record -> JsonMapper.shared().readTree(record.json()))
                .filter(event -> event.path("kind").asString("").equals("decision"))
                .toList();
    }

    private JsonNode last() {
        List<JsonNode> decisions = decisions();
        return decisions.get(decisions.size() - 1);
    }

    private static void assertPassed(String expected, CallToolResult result) {
        assertEquals(expected, Agent.text(result));
    }

    private void assertFlowRefused(CallToolResult result) {
        assertEquals(true, result.isError(), result.toString());
        assertEquals("flow-not-permitted", last().path("code").asString(""), last().toString());
        assertEquals("refused", last().path("done").asString(""));
    }

    private void readBoth() {
        assertTrue(Agent.text(agent.reads("payroll")).contains(SALARY));
        assertTrue(Agent.text(agent.reads("platform")).contains("rack 14"));
    }

    @Test
    void commentWhereTheIssueIs_isAllowedAndAsksNobody() {
        agent.reads("payroll");
        assertPassed("commented in acme/payroll", agent.comments("payroll", SALARY));
        assertEquals("allow", last().path("decision").asString(""));
        assertEquals(0, roster.asked());
        assertTrue(Agent.text(agent.reads("payroll")).contains("\"comments\":[\"" + SALARY));
    }

    @Test
    void privateIssue_doesNotGoToAPublicRepository() {
        agent.reads("payroll");
        assertFlowRefused(agent.comments("site", SALARY));
        assertFlowRefused(agent.comments("site", "somebody earns a lot"));
        assertFalse(fixture.repository("acme/site").orElseThrow().toString().contains("earns"));
    }

    @Test
    void privateIssue_doesNotGoToARepositoryThatOthersRead() {
        agent.reads("payroll");
        assertFlowRefused(agent.comments("platform", SALARY));
    }

    @Test
    void dataOfTwoRepositories_goesOnlyToWhoReadsBoth() {
        readBoth();
        assertPassed("sent to bo", agent.notes("bo", BOTH));
        assertFlowRefused(agent.notes("ana", BOTH));
        assertFlowRefused(agent.notes("cy", BOTH));
        assertFlowRefused(agent.notes("eve", BOTH));
        assertPassed("commented in acme/ops", agent.comments("ops", BOTH));
        assertFlowRefused(agent.comments("payroll", BOTH));
        assertFlowRefused(agent.comments("platform", BOTH));
    }

    @Test
    void whoReadsOne_getsWhatIsOnlyOfThatOne() {
        readBoth();
        // The words are of one answer, letter by letter: nothing of the other can be in them.
        assertPassed("sent to ana", agent.notes("ana", SALARY));
        assertFlowRefused(agent.notes("ana", "The database moves to rack 14 on Sunday"));
        // An account that stands in no answer could itself be a word of the other one; the user said it.
        agent.conversation().typed("Tell cy when the database moves");
        assertPassed("sent to cy", agent.notes("cy", "The database moves to rack 14 on Sunday"));
    }

    @Test
    void forgeThatDoesNotAnswer_permitsNobody() {
        readBoth();
        roster.stop();
        assertFlowRefused(agent.notes("bo", BOTH));
        assertFlowRefused(agent.comments("ops", BOTH));
        assertEquals(0, last().path("readers").path(0).path("count").asInt(-1), last().toString());
    }

    @Test
    void forgeThatDoesNotAnswer_stillTakesBackWhatItGave() {
        agent.reads("payroll");
        roster.stop();
        assertPassed("commented in acme/payroll", agent.comments("payroll", SALARY));
    }

    @Test
    void rosterThatChanges_countsFromTheNextCall() {
        agent.reads("payroll");
        assertPassed("sent to ana", agent.notes("ana", SALARY));
        fixture.leave("acme/payroll", "ana");
        assertFlowRefused(agent.notes("ana", SALARY));
    }

    @Test
    void answerWithoutABareLabel_isPrivateToItsRepository() {
        agent.call("issue_read", Map.of("owner", "acme", "repo", "adrift"));
        assertEquals(Integrity.UNTRUSTED, agent.conversation().seen().label().integrity());
        assertEquals(true, agent.comments("site", "Nobody knows").isError());
    }

    @Test
    void publicRepository_goesAnywhereButSteersNothing() {
        agent.reads("site");
        assertTrue(agent.conversation().seen().label().confidentiality().isPublic());
        CallToolResult asked = agent.comments("tool", "It says teh");
        assertEquals(true, asked.isError());
        assertEquals("untrusted-session", last().path("code").asString(""));
        agent.conversation().typed("Write into issue 7 of the repository tool of acme that it says teh");
        assertPassed("commented in acme/tool", agent.comments("tool", "It says teh"));
    }

    @Test
    void program_answersAsTheServiceDoes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Roster.answer(
                fixture,
                new ByteArrayInputStream(
                        "{\"server\":\"forge\",\"resource\":\"acme/payroll\"}\n".getBytes(StandardCharsets.UTF_8)),
                out);
        assertEquals("[\"ana\",\"bo\"]", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void output_standsInTheReadme() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TwoRepositories.play(FOLDER, new PrintStream(out, true, StandardCharsets.UTF_8));
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(9, lines.size());
        String readme = Files.readString(Path.of("README.md"));
        for (String line : lines) {
            // Numbers of calls differ where tools are added.
            String begin = line.replaceFirst("(sluice denied `[a-z_]+`).*", "$1");
            assertTrue(readme.contains(begin.substring(0, Math.min(begin.length(), 140))), begin);
        }
    }

    @Test
    void policy_hasNoWarning() {
        assertEquals(
                List.of(),
                PolicyParser.parse("policy.yaml", TwoRepositories.policyText())
                        .warnings(Instant.parse("2026-12-01T00:00:00Z")));
    }
}
