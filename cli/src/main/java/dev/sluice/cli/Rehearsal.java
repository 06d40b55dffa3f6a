package dev.sluice.cli;

import dev.sluice.guard.Admission;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.Outbound;
import dev.sluice.guard.Planned;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.guard.StandIn;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.Upstream;
import dev.sluice.policy.Mode;
import dev.sluice.policy.Policy;
import dev.sluice.policy.ReaderLookup;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.store.MemoryEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Calls played through the real guard, on state that is only in memory. Every decision is made as it would be, and none is
 * carried out: whether a call's answer comes in is for whoever plays it to say.
 */
final class Rehearsal implements AutoCloseable {

    /** On whose behalf the calls are made. */
    static final String PRINCIPAL = "user";

    private static final AgentSession AGENT =
            new AgentSession("rehearsal", PRINCIPAL, "a rehearsal", AgentSession.Start.CLEAN, "");

    private final MemoryEngine engine = new MemoryEngine();
    private final Policy policy;
    private final Guard guard;
    private final Map<String, Upstream> upstreams = new HashMap<>();

    Rehearsal(Policy policy) {
        this.policy = policy;
        this.guard = Guard.rehearsing(engine, policy.in(Mode.AUDIT), Clock.systemUTC(), Rehearsal::offline);
    }

    /** No program is started and no service is asked: what the policy itself does not say, nobody says. */
    private static ReaderResolver offline(ReaderLookup lookup) {
        return lookup.place() instanceof ReaderLookup.Place.Stated ? ReaderResolver.of(lookup) : resource -> Set.of();
    }

    /** A server that the policy does not name is one of which nobody said anything. */
    private Upstream upstream(String server) {
        return upstreams.computeIfAbsent(
                server,
                name -> guard.connect(policy.servers().getOrDefault(name, ServerPolicy.unstated(name, List.of()))));
    }

    /** Takes note of what the user typed. */
    void typed(String text) {
        guard.typed(AGENT, text);
    }

    /** Takes note of the definition of a tool; the first of each name is the approved one. */
    void define(String server, JsonNode tool) {
        ToolDefinition definition =
                ToolDefinition.of(server, tool, tool.toString().getBytes(StandardCharsets.UTF_8));
        guard.define(AGENT, upstream(server), List.of(definition));
    }

    /** Returns the decision on a call, in the ticket under which its answer would come in. */
    Ticket call(String server, String tool, JsonNode arguments) {
        Admission admission = guard.admit(AGENT, new Inbound.ToolCall(upstream(server), tool, arguments))
                .toCompletableFuture()
                .join();
        if (admission instanceof Admission.Admitted admitted) {
            return admitted.ticket();
        }
        throw new IllegalStateException("a rehearsal holds nothing back");
    }

    /** Takes in what the call of {@code ticket} was answered. */
    void answer(Ticket ticket, JsonNode result) {
        guard.release(AGENT, new Outbound.Answer(ticket, result));
    }

    /** Returns whether the policy hides anything. */
    boolean hides() {
        return guard.hides();
    }

    /** Returns which values of the last call stand for handles of what was hidden. */
    List<StandIn> standIns() {
        return guard.standIns(AGENT);
    }

    /** Returns whether the calls so far could have been made with handles of what was hidden. */
    Planned planned() {
        return guard.planned(AGENT);
    }

    @Override
    public void close() {
        engine.close();
    }
}
