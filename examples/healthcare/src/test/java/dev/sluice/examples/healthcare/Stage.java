package dev.sluice.examples.healthcare;

import dev.sluice.guard.client.Approver;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Label;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.Engine;
import dev.sluice.store.MemoryEngine;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The clinic with its policy in force, and agents who call its servers; says what was decided by what the audit log holds. */
final class Stage implements AutoCloseable {

    static final String COLLEAGUE = "ben@clinic.example";
    static final String PRESS = "press@news.example";

    /** A store that can be broken. */
    private static final class BreakableEngine implements Engine {
        private final MemoryEngine engine = new MemoryEngine();
        private volatile boolean broken;

        @Override
        public <T> T transact(Function<Transaction, T> work) {
            if (broken) {
                throw new StoreException("the disk is full: make room");
            }
            return engine.transact(work);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    private final BreakableEngine engine = new BreakableEngine();
    private final Enforcement enforcement;
    private final List<Agent> agents = new ArrayList<>();
    final Desk desk;
    final Patients patients = Patients.fixture();

    Stage() {
        this(ThreeAgents.policyText());
    }

    Stage(String policy) {
        this(policy, new Desk());
    }

    Stage(String policy, Desk desk) {
        this(policy, desk, request -> CompletableFuture.completedFuture(false));
    }

    Stage(String policy, Desk desk, Approver approver) {
        this.desk = desk;
        enforcement = Enforcement.builder(PolicyParser.parse("policy.yaml", policy))
                .engine(engine)
                .approver(approver)
                .patience(Duration.ofSeconds(30))
                .build();
    }

    /** Returns a new agent at the clinic and the desk; it has seen nothing. */
    Agent agent(String name) {
        Agent agent = new Agent(enforcement, name)
                .with("clinic", new ClinicTools(patients).all())
                .with("desk", desk.all());
        agents.add(agent);
        return agent;
    }

    Agent agent() {
        return agent("agent-" + agents.size());
    }

    /** Returns a server's only tool, which takes anything and answers with {@code result}. */
    static List<SyncToolSpecification> answering(String tool, CallToolResult result) {
        return List.of(new SyncToolSpecification(
                Tool.builder(tool, Map.of("type", "object"))
                        .description("Answers.")
                        .build(),
                (exchange, request) -> result));
    }

    void breakStore() {
        engine.broken = true;
    }

    void mendStore() {
        engine.broken = false;
    }

    /**
     * Calls a tool and says what was decided: the decision, and every control and rule that was violated. Where a person was
     * asked, this is what policy said before the answer.
     */
    String decided(Agent agent, String server, String tool, Map<String, Object> arguments) {
        int before = events("decision").size();
        agent.call(server, tool, arguments);
        List<JsonNode> decisions = events("decision");
        if (decisions.size() == before) {
            throw new AssertionError("nothing was decided");
        }
        JsonNode decision = decisions.get(before);
        List<String> violations = new ArrayList<>();
        decision.path("violations")
                .forEach(each -> violations.add(each.path("control").asString()));
        String word = decision.path("decision").asString();
        return violations.isEmpty() ? word : word + " [" + String.join(", ", violations) + "]";
    }

    /** Reads a patient's record. */
    String readsPatient(Agent agent) {
        return decided(agent, "clinic", "patient_lookup", Map.of("patient_id", "p-17"));
    }

    /** Has the agent pass on what it read. */
    String passes(Agent agent, Object to, String text) {
        return decided(agent, "desk", "pass_on", Map.of("to", to, "text", text));
    }

    /** Returns what the conversation has seen, in words. */
    static String seen(Agent agent) {
        return words(agent.conversation().seen().label());
    }

    private static String words(Label label) {
        String classes = label.classes().stream()
                .map(each -> each.name() + (each.regulatory().isEmpty() ? "" : "/" + each.regulatory()))
                .distinct()
                .collect(Collectors.joining(", "));
        return label.integrity().name().toLowerCase(Locale.ROOT)
                + " " + (label.confidentiality().isPublic() ? "public" : "private")
                + (classes.isEmpty() || classes.equals(DataClass.UNCLASSIFIED.name()) ? "" : " " + classes);
    }

    List<JsonNode> events(String kind) {
        boolean broken = engine.broken;
        engine.broken = false;
        try {
            return engine.transact(tx -> tx.audit().read(1, 100_000)).stream()
                    .map(record -> JsonMapper.shared().readTree(record.json()))
                    .filter(event -> event.path("kind").asString("").equals(kind))
                    .toList();
        } finally {
            engine.broken = broken;
        }
    }

    @Override
    public void close() {
        agents.forEach(Agent::close);
        enforcement.close();
        engine.close();
    }
}
