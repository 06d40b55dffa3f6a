package dev.sluice.examples.healthcare;

import dev.sluice.guard.client.Enforcement;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Three agents pass a patient's data on: A reads it, B gets it from A over the desk, and B's words to C, who is outside, are
 * stopped. Nobody tells the guard what was passed: it follows the data.
 */
public final class ThreeAgents {

    static final String INSIDE = "agent-b@clinic.example";
    static final String OUTSIDE = "agent-c@assistants.example";

    private final PrintStream out;

    private ThreeAgents(PrintStream out) {
        this.out = out;
    }

    /** Plays the three agents. */
    public static void main(String[] args) {
        new ThreeAgents(System.out).play(policy());
        // The SDK's schedulers keep threads.
        System.exit(0);
    }

    static void play(PrintStream out) {
        new ThreeAgents(out).play(policy());
    }

    /** Returns the clinic's policy. */
    static Policy policy() {
        return PolicyParser.parse("policy.yaml", policyText());
    }

    static String policyText() {
        try (InputStream in = ThreeAgents.class.getResourceAsStream("policy.yaml")) {
            if (in == null) {
                throw new IllegalStateException("the policy is missing from the jar: build it again");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the policy can't be read: build the jar again", e);
        }
    }

    private void play(Policy policy) {
        Desk desk = new Desk();
        Patients patients = Patients.fixture();
        try (Enforcement enforcement = Enforcement.builder(policy).build();
                Agent a = new Agent(enforcement, "agent-a")
                        .with("clinic", new ClinicTools(patients).all())
                        .with("desk", desk.all());
                Agent b = new Agent(enforcement, "agent-b").with("desk", desk.all());
                Agent c = new Agent(enforcement, "agent-c").with("desk", desk.all());
                Agent auditor = new Agent(enforcement, "auditor").with("desk", desk.all())) {
            String record = tell("A reads p-17", a.call("clinic", "patient_lookup", Map.of("patient_id", "p-17")));
            tell("A -> B", a.call("desk", "pass_on", Map.of("to", INSIDE, "text", record)));
            String got = tell("B collects", b.call("desk", "collect", Map.of("to", INSIDE)));
            tell("B -> C", b.call("desk", "pass_on", Map.of("to", OUTSIDE, "text", got)));
            tell(
                    "B -> C, in other words",
                    b.call("desk", "pass_on", Map.of("to", OUTSIDE, "text", "she can't take the usual antibiotic")));
            tell("C collects", c.call("desk", "collect", Map.of("to", OUTSIDE)));
            tell("B logs it", b.call("desk", "write_log", Map.of("log", "care", "line", got)));
            tell("the auditor reads the log", auditor.call("desk", "read_log", Map.of("log", "care")));
        }
    }

    private String tell(String what, CallToolResult result) {
        String text = Agent.text(result);
        String line = text.replace('\n', ' ');
        out.println(what + ": " + (line.length() > 250 ? line.substring(0, 250) + " ..." : line));
        return text;
    }
}
