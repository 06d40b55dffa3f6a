package dev.sluice.guard;

import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.Call;
import dev.sluice.policy.Decision;
import dev.sluice.policy.KnownServers;
import dev.sluice.policy.Mode;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyEngine;
import dev.sluice.policy.Returns;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolProfile;
import dev.sluice.policy.ToolStatement;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.PinStore;
import dev.sluice.store.PromptStore;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import dev.sluice.wire.Finding;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Decides what may reach a server, labels what comes back, and records both.
 *
 * <p>Every message takes this path, whatever carries it: {@link #admit} on its way to a server, {@link #release} on its
 * way to the agent. The label is read, the decision made and its record appended in one transaction of the engine; an
 * answer is released only after the session's label and the record of it are kept. A store that fails is a refusal.
 *
 * <p>What must hold: whatever an agent has seen is in its session's label before the agent could act on it.
 */
public final class Guard {

    /** The methods of MCP that name something or carry data to a server. */
    private static final Set<String> METHODS = Set.of(
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "prompts/get",
            "completion/complete",
            "notifications/progress");

    private final Engine engine;
    private final Policy policy;
    private final PolicyEngine decisions;
    private final Sessions sessions;
    private final EvidenceSources evidence;
    private final Traces traces = new Traces();
    private final Prompts prompts;
    private final Clock clock;

    /**
     * Makes a guard.
     *
     * @param idle after how many minutes without use a session ends; 0 for never
     * @throws IllegalArgumentException where two installed schemes read the same records, or a vocabulary of the policy
     *     has the id of a shipped one
     */
    public Guard(Engine engine, Policy policy, Clock clock, long idle) {
        this.engine = engine;
        this.policy = policy;
        this.decisions = new PolicyEngine(policy);
        this.sessions = new Sessions(clock, idle, traces::forget);
        this.prompts = new Prompts(engine, sessions, traces, clock);
        this.evidence = new EvidenceSources(engine, policy.vocabularies(), clock);
        this.clock = clock;
    }

    /** Returns a new connection to the server that {@code server} describes. */
    public Upstream connect(ServerPolicy server) {
        String known = server.known().equals(ServerPolicy.AUTO)
                ? KnownServers.find(server.command()).orElse("")
                : server.known();
        return new Upstream(server, KnownServers.tools(known), () -> evidence.verifier(server.evidence()));
    }

    /** Returns what is done with decisions. */
    public Mode mode() {
        return policy.mode();
    }

    /**
     * Makes sure that the session of {@code agent} exists, and returns it with what it has seen.
     *
     * @throws StoreException where the state can't be read or written
     */
    public Session open(AgentSession agent) {
        return engine.transact(tx -> sessions.live(tx, agent));
    }

    /**
     * Ends the session of {@code agent}, because its client said that it is over.
     *
     * @throws StoreException where the state can't be written
     */
    public void end(AgentSession agent) {
        engine.transact(tx -> sessions.end(tx, agent));
    }

    /**
     * Takes note of what the user typed, so that values in calls which the user named are known as such, here and in all
     * processes that share the state. Only whoever speaks for the user may call this: never with the words of a model or of
     * a server. A blank text and one of more than {@value PromptStore#MOST_BYTES} bytes name nothing.
     *
     * @throws StoreException where the state can't be read or written
     */
    public void typed(AgentSession agent, String text) {
        prompts.add(agent, text);
    }

    /**
     * The same, where the session of {@code agent} is there already.
     *
     * @return whether it is
     * @throws StoreException where the state can't be read or written
     */
    public boolean typedIfLive(AgentSession agent, String text) {
        return prompts.addIfLive(agent, text);
    }

    /**
     * Ends every session that was not used for too long; returns how many.
     *
     * @throws StoreException where the state can't be written
     */
    public int endIdle() {
        return engine.transact(sessions::endIdle);
    }

    /**
     * Decides whether {@code inbound} may reach its server. Completes when that is decided, which can take a person's
     * time; never completes with a fault: what can't be decided is refused.
     */
    public CompletionStage<Admission> admit(AgentSession agent, Inbound inbound) {
        Admission admission;
        try {
            admission = engine.transact(tx -> decide(tx, agent, inbound));
        } catch (StoreException e) {
            admission = new Admission.Refused(Denials.unreachable(inbound, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            admission = new Admission.Refused(Denials.unreachable(inbound, "deciding failed: " + e.getMessage()));
        }
        return CompletableFuture.completedFuture(admission);
    }

    private Admission decide(Transaction tx, AgentSession agent, Inbound inbound) {
        Session session = sessions.heard(tx, agent, inbound.told());
        prompts.read(tx, session);
        Upstream upstream = inbound.upstream();
        Call call = call(inbound, session);
        boolean released = isPersonsAnswer(inbound);
        Decision decision = released ? new Decision.Allow(List.of()) : decisions.decide(call);
        boolean refused = decision.kind() != Decision.Kind.ALLOW && policy.mode() == Mode.ENFORCE;
        AuditRecord record =
                tx.audit().append(Records.decision(clock.instant(), session, policy, inbound, call, decision, refused));
        if (refused) {
            return new Admission.Refused(Denials.of(policy, inbound, call, decision, record));
        }
        ToolProfile profile = call.profile();
        boolean derives = !(inbound instanceof Inbound.ToolCall) || profile.derives();
        Returns returns = inbound instanceof Inbound.ToolCall ? profile.returns() : Returns.NOTHING;
        return new Admission.Admitted(new Ticket(
                "c" + record.seq(),
                upstream,
                inbound.method(),
                inbound.name(),
                session.label().label(),
                session.principal(),
                call.arguments(),
                !call.values().isEmpty() && call.values().stream().allMatch(ArgumentValue::named),
                decisions.carried(call),
                derives,
                call.arguments().isObject()
                        ? profile.ownSource(call.arguments())
                        : new Source.OfServer(upstream.name()),
                returns,
                decision));
    }

    /** A form that a person filled in is that person's word, meant for the server: it is released, and recorded. */
    private static boolean isPersonsAnswer(Inbound inbound) {
        return inbound instanceof Inbound.Answer && inbound.method().equals("elicitation/create");
    }

    /** A name that nobody has given to a tool or a method is a text of the sender's own: it may hold anything. */
    private static boolean isMadeUp(Inbound inbound, boolean listed) {
        if (inbound instanceof Inbound.ToolCall tool) {
            return !listed && inbound.upstream().stated(tool.tool()).equals(ToolStatement.NOTHING);
        }
        return inbound instanceof Inbound.Request && !METHODS.contains(inbound.method());
    }

    /** Anything but a tool call is a read at the server. */
    private Call call(Inbound inbound, Session session) {
        Upstream upstream = inbound.upstream();
        boolean listed = inbound instanceof Inbound.ToolCall tool && upstream.lists(tool.tool());
        List<ArgumentValue> values =
                new ArrayList<>(traces.values(session, inbound.content(), upstream.names(inbound), listed));
        if (isMadeUp(inbound, listed)) {
            values.add(ArgumentValue.unknown("", ""));
        }
        if (inbound instanceof Inbound.ToolCall tool) {
            return new Call(
                    upstream.definition(tool.tool()),
                    upstream.stated(tool.tool()),
                    tool.arguments().isMissingNode() ? JsonNodeFactory.instance.objectNode() : tool.arguments(),
                    session.label(),
                    upstream.isPinned(tool.tool()),
                    upstream.policy().claims().equals(ServerPolicy.ClaimTrust.FULL_ALL),
                    values);
        }
        return new Call(
                ToolDefinition.unlisted(upstream.name(), inbound.method()),
                ToolStatement.READ,
                JsonNodeFactory.instance.objectNode(),
                session.label(),
                true,
                false,
                values);
    }

    /**
     * Labels {@code outbound}, joins the label into the session, and records it; then it may be passed on.
     *
     * @throws StoreException where the state can't be read or written: the message must not be passed on
     */
    public Released release(AgentSession agent, Outbound outbound) {
        Answered answered = Answered.of(outbound);
        Entered entered = engine.transact(tx -> {
            Session session = sessions.live(tx, agent);
            String call = answered.call();
            if (isNews(session, answered)) {
                AuditRecord record = tx.audit().append(Records.answer(clock.instant(), session, answered));
                call = call.isEmpty() ? "c" + record.seq() : call;
                // The name comes from a model or a server; it is kept in the label, and said in later refusals.
                tx.sessions().join(session.id(), SessionLabel.EMPTY.observe(answered.label(), origin(answered, call)));
            }
            return new Entered(session, call);
        });
        // Not while the state is held: a long answer takes a while, and until it is noted all that is found carries its
        // label.
        traces.came(entered.session, answered, origin(answered, entered.call));
        return new Released(
                answered.label(),
                answered.labelling().untrustedSaid(),
                answered.labelling().sensitiveSaid(),
                Marks.of(answered, entered.call, warning(answered)));
    }

    /** The session as it was before an answer, and the number of the call. */
    private record Entered(Session session, String call) {}

    private Origin origin(Answered answered, String call) {
        return new Origin(clock.instant(), call, answered.upstream().name(), PlainName.of(answered.name()));
    }

    /** A server may chat in log messages and progress: those that add nothing are neither kept nor recorded. */
    private static boolean isNews(Session session, Answered answered) {
        SessionLabel seen = session.label();
        boolean adds = !answered.label().canFlowTo(seen.label())
                || (answered.label().isUntrustedPublic() && !seen.untrustedPublic());
        return adds || !answered.kind().equals("message");
    }

    /** In {@code warn}, an answer tells of the decision that did not hold. */
    private Optional<Decision> warning(Answered answered) {
        return Optional.of(answered.decision())
                .filter(decision -> policy.mode() == Mode.WARN && decision.kind() != Decision.Kind.ALLOW);
    }

    /**
     * Takes note of tools that {@code upstream} lists, and pins those never seen before.
     *
     * @return the names that must not be offered, because their definition is not the approved one
     * @throws StoreException where the state can't be read or written: nothing of the list may be offered
     */
    public Set<String> define(AgentSession agent, Upstream upstream, List<ToolDefinition> tools) {
        Set<String> changed = engine.transact(tx -> {
            Set<String> unapproved = new TreeSet<>();
            for (ToolDefinition tool : tools) {
                if (!isApproved(tx, agent, upstream, "tool", tool.name(), tool.digest(), tool.findings())) {
                    unapproved.add(tool.name());
                }
            }
            return unapproved;
        });
        tools.forEach(tool -> upstream.define(tool, !changed.contains(tool.name())));
        return policy.mode() == Mode.ENFORCE ? changed : Set.of();
    }

    /**
     * Takes note of the instructions that {@code upstream} gives, and pins them where they were never seen before.
     *
     * @return whether they may be passed on: they are the approved ones, or the mode holds nothing back
     * @throws StoreException where the state can't be read or written: they must not be passed on
     */
    public boolean instruct(AgentSession agent, Upstream upstream, String instructions) {
        String digest =
                Digest.sha256(instructions.getBytes(StandardCharsets.UTF_8)).text();
        boolean approved =
                engine.transact(tx -> isApproved(tx, agent, upstream, "instructions", "", digest, List.of()));
        return approved || policy.mode() != Mode.ENFORCE;
    }

    private boolean isApproved(
            Transaction tx,
            AgentSession agent,
            Upstream upstream,
            String kind,
            String name,
            String digest,
            List<Finding> findings) {
        Optional<String> written = upstream.pinned(kind, name);
        if (written.isPresent()) {
            boolean same = written.get().equals(digest);
            if (!same) {
                Session session = sessions.live(tx, agent);
                tx.audit()
                        .append(Records.pin(clock.instant(), session, upstream, kind, name, digest, false, findings)
                                .put("by", "policy"));
            }
            return same;
        }
        Optional<PinStore.Pin> pin = tx.pins().find(upstream.name(), kind, name);
        boolean approved = pin.isEmpty() || pin.get().digest().equals(digest);
        if (pin.isEmpty()) {
            tx.pins().pin(new PinStore.Pin(upstream.name(), kind, name, digest, clock.instant()));
        }
        if (pin.isEmpty() || !approved) {
            tx.audit()
                    .append(Records.pin(
                            clock.instant(),
                            sessions.live(tx, agent),
                            upstream,
                            kind,
                            name,
                            digest,
                            approved,
                            findings));
        }
        return approved;
    }
}
