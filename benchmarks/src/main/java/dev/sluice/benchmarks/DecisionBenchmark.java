package dev.sluice.benchmarks;

import dev.sluice.guard.provenance.Place;
import dev.sluice.guard.provenance.Provenance;
import dev.sluice.guard.provenance.Trace;
import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.Call;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyEngine;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolStatement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One decision in a session of many calls: 300 bytes of arguments are looked for in all that came in, and a policy of 100
 * rules, five of which are about the tool, decides. Label and index are in memory; the record of it is not made.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DecisionBenchmark {

    private static final List<String> SERVERS = List.of("notes", "tickets", "web");

    /** How many answers came in before. */
    @Param({"10", "1000", "10000"})
    public int calls = 0;

    private final Policy policy = PolicyParser.parse("policy.yaml", rules());
    private final ToolStatement stated = Objects.requireNonNull(
            Objects.requireNonNull(policy.servers().get("mail")).tools().get("send"));
    private final PolicyEngine engine = new PolicyEngine(policy);
    private final List<String> subjects = new ArrayList<>();
    private final List<String> bodies = new ArrayList<>();
    private final ToolDefinition tool = ToolDefinition.unlisted("mail", "send");
    private Provenance seen = new Provenance();
    private SessionLabel session = SessionLabel.EMPTY;
    private int next;

    /** Has the policy. */
    public DecisionBenchmark() {}

    private static String rules() {
        StringBuilder yaml = new StringBuilder(
                "version: 1\naudiences: {clinic: {domains: [clinic.example], servers: [mail]}}\nservers:\n");
        for (String server : SERVERS) {
            yaml.append("  ").append(server).append(": {tools: {");
            for (int i = 0; i < 32; i++) {
                yaml.append(i == 0 ? "" : ", ").append("tool").append(i).append(": {effects: [reads]}");
            }
            yaml.append("}}\n");
        }
        yaml.append("  mail:\n    tools:\n      send: {effects: [sends], audience: [to], payload: [subject, body]}\n");
        yaml.append("rules:\n");
        for (int i = 0; i < 95; i++) {
            yaml.append("  - {id: r").append(i).append(", on: {servers: [").append(SERVERS.get(i % 3));
            yaml.append("], tools: [tool").append(i % 32);
            yaml.append("]}, when: \"call.label.integrity == 'untrusted'\", then: deny}\n");
        }
        for (int i = 0; i < 5; i++) {
            yaml.append("  - {id: s").append(i).append(", on: {tools: [send]}, when: \"call.label.classes.exists(c,");
            yaml.append(" c.name == 'class").append(i).append("')\", then: deny}\n");
        }
        return yaml.toString();
    }

    /** Lets answers come in: 300 characters each, from three servers with a label each. */
    @Setup
    public void prepare() {
        SplittableRandom random = new SplittableRandom(7);
        seen = new Provenance();
        session = SessionLabel.EMPTY;
        seen.typed("Please write to ana@clinic.example what the tickets say about the printer");
        List<String> last = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            int server = i % 3;
            Label label = new Label(
                    server == 2 ? Integrity.UNTRUSTED : Integrity.TRUSTED,
                    server == 2
                            ? Confidentiality.PUBLIC
                            : Confidentiality.of(Source.Readers.of(SERVERS.get(server), List.of("clinic"))),
                    new TreeSet<>());
            Origin origin = new Origin(Instant.EPOCH.plusSeconds(i), "c" + i, SERVERS.get(server), "tool1");
            String text = words(random, 300);
            seen.seen(text, new Place(label, false, origin));
            seen.came(label);
            session = session.join(SessionLabel.EMPTY.observe(label, origin));
            last.add(text);
        }
        subjects.clear();
        bodies.clear();
        for (int i = 0; i < 64; i++) {
            String quoted = last.get(Math.max(0, last.size() - 1 - random.nextInt(Math.min(64, last.size()))));
            subjects.add("about the printer " + i);
            bodies.add(quoted.substring(0, 120) + " " + words(random, 110));
        }
        if (allowed().kind() != Decision.Kind.ALLOW || denied().kind() != Decision.Kind.DENY) {
            throw new IllegalStateException("this is not what was to be measured");
        }
    }

    static String words(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            int size = 2 + random.nextInt(9);
            for (int i = 0; i < size; i++) {
                text.append((char) ('a' + random.nextInt(26)));
            }
            text.append(' ');
        }
        return text.substring(0, length);
    }

    /** A mail to whom the user named, who may read what it quotes. */
    @Benchmark
    public Decision allowed() {
        return decided("ana@clinic.example");
    }

    /** The same to an outsider, with all that is said about it. */
    @Benchmark
    public Decision denied() {
        return decided("eve@evil.example");
    }

    private Decision decided(String to) {
        next = (next + 1) & 63;
        String subject = subjects.get(next);
        String body = bodies.get(next);
        ObjectNode arguments = JsonNodeFactory.instance
                .objectNode()
                .put("to", to)
                .put("subject", subject)
                .put("body", body);
        return engine.decide(new Call(
                tool,
                stated,
                arguments,
                session,
                true,
                false,
                List.of(value("to", to), value("subject", subject), value("body", body))));
    }

    private ArgumentValue value(String name, String text) {
        Trace trace = seen.trace(text, session.label());
        return new ArgumentValue(
                name, "/" + name, trace.label(), trace.named(), trace.vouched(), trace.unmatched(), trace.origins());
    }
}
