package dev.sluice.guard;

import dev.sluice.labels.SessionLabel;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.MemoryEngine;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A guard on state in memory, with a clock that stands still, and short words for what tests do. */
final class GuardWorld {

    static final JsonMapper JSON = JsonMapper.shared();
    static final AgentSession AGENT =
            new AgentSession("host 1", "ana", "an editor", AgentSession.Start.CLEAN, "{\"name\":\"editor\"}");

    /** A store that can be broken. */
    static final class BreakableEngine implements Engine {
        private final MemoryEngine engine = new MemoryEngine();
        volatile RuntimeException fault;

        /** How often it was looked how far sessions are in sequences. */
        final AtomicInteger looks = new AtomicInteger();

        @Override
        public <T> T transact(Function<Transaction, T> work) {
            return engine.transact(tx -> {
                T result = work.apply(new CountedTransaction(tx, looks));
                if (fault != null) {
                    throw fault;
                }
                return result;
            });
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    /** A clock that a test moves. */
    static final class TestClock extends Clock {
        Instant now = Instant.parse("2026-01-02T03:04:05Z");

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    final BreakableEngine engine;
    final TestClock clock = new TestClock();
    final Policy policy;
    final Guard guard;
    private final Map<String, Upstream> upstreams = new HashMap<>();

    GuardWorld(BreakableEngine engine, Policy policy, long idle) {
        this.engine = engine;
        this.policy = policy;
        this.guard = new Guard(engine, policy, clock, idle);
    }

    /** A guard that asks {@code readers} who may read a resource. */
    GuardWorld(BreakableEngine engine, Policy policy, ReaderResolver readers) {
        this.engine = engine;
        this.policy = policy;
        this.guard = new Guard(engine, policy, clock, 0, lookup -> readers);
    }

    static GuardWorld of(String... policy) {
        return new GuardWorld(new BreakableEngine(), PolicyParser.parse("policy.yaml", String.join("\n", policy)), 0);
    }

    static GuardWorld firstUse() {
        return new GuardWorld(new BreakableEngine(), PolicyParser.firstUse(), 0);
    }

    static JsonNode json(String text) {
        return JSON.readTree(text.replace('\'', '"'));
    }

    /** Returns the one connection to that server, as the policy or nobody describes it. */
    Upstream server(String name, String... command) {
        return upstreams.computeIfAbsent(name, key -> connect(name, command));
    }

    Upstream connect(String name, String... command) {
        return guard.connect(policy.servers().getOrDefault(name, ServerPolicy.unstated(name, Arrays.asList(command))));
    }

    Admission admit(Inbound inbound) {
        return admit(AGENT, inbound);
    }

    Admission admit(AgentSession agent, Inbound inbound) {
        return guard.admit(agent, inbound).toCompletableFuture().join();
    }

    Admission admit(String server, String tool, String arguments) {
        return admit(new Inbound.ToolCall(server(server), tool, json(arguments)));
    }

    /** Returns the ticket of a call that must be admitted. */
    Ticket ticket(String server, String tool, String arguments) {
        Admission admission = admit(server, tool, arguments);
        if (admission instanceof Admission.Admitted admitted) {
            return admitted.ticket();
        }
        throw new AssertionError(((Admission.Refused) admission).denial().toHuman());
    }

    /** Returns the denial of a call that must be refused. */
    Denial denial(String server, String tool, String arguments) {
        return denial(new Inbound.ToolCall(server(server), tool, json(arguments)));
    }

    Denial denial(Inbound inbound) {
        if (admit(inbound) instanceof Admission.Refused refused) {
            return refused.denial();
        }
        throw new AssertionError("admitted");
    }

    /** Calls a tool that must be admitted and releases its answer. */
    Released call(String server, String tool, String arguments, String result) {
        return release(new Outbound.Answer(ticket(server, tool, arguments), json(result)));
    }

    Released release(Outbound outbound) {
        return guard.release(AGENT, outbound);
    }

    Set<String> define(Upstream upstream, String... tools) {
        List<ToolDefinition> definitions = Arrays.stream(tools)
                .map(text -> {
                    String tool = text.replace('\'', '"');
                    return ToolDefinition.of(
                            upstream.name(), JSON.readTree(tool), tool.getBytes(StandardCharsets.UTF_8));
                })
                .toList();
        return guard.define(AGENT, upstream, definitions);
    }

    Session session() {
        return session(AGENT);
    }

    Session session(AgentSession agent) {
        return guard.open(agent);
    }

    SessionLabel seen() {
        return session().label();
    }

    void pass(Duration time) {
        clock.now = clock.now.plus(time);
    }

    List<AuditRecord> audit() {
        return engine.engine.transact(tx -> tx.audit().read(1, 100_000));
    }

    /** Returns the events of a kind, in order. */
    List<JsonNode> events(String kind) {
        return audit().stream()
                .map(record -> JSON.readTree(record.json()))
                .filter(event -> event.path("kind").stringValue().equals(kind))
                .toList();
    }

    JsonNode last(String kind) {
        List<JsonNode> events = events(kind);
        return events.get(events.size() - 1);
    }

    /** Returns what is left of an answer or an error, as the agent gets it. */
    static JsonNode left(JsonNode answer, Released released) {
        if (released.replacement().isPresent()) {
            return released.replacement().get();
        }
        JsonIndex index = JsonIndex.parse(answer.toString().getBytes(StandardCharsets.UTF_8));
        JsonEdits edits = new JsonEdits(index);
        for (Edit edit : released.edits()) {
            JsonNode value = edit.value();
            if (value == null) {
                edits.removeAt(index.root(), edit.pointer());
            } else {
                edits.replaceAt(index.root(), edit.pointer(), value.toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return JsonIndex.parse(edits.apply()).root().tree();
    }

    void breakStore() {
        engine.fault = new StoreException("the disk is full: make room");
    }
}
