// This file has more than 400 lines because every message takes this one path, and its words stand beside it.
package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.SessionLabel;
import dev.sluice.labels.Source;
import dev.sluice.policy.ArgumentValue;
import dev.sluice.policy.Call;
import dev.sluice.policy.Circumstances;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Mode;
import dev.sluice.policy.Occurrence;
import dev.sluice.policy.PlainName;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyEngine;
import dev.sluice.policy.ReaderLookup;
import dev.sluice.policy.Returns;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolProfile;
import dev.sluice.policy.ToolStatement;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
import dev.sluice.store.PromptStore;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import dev.sluice.store.Transaction;
import dev.sluice.wire.canonical.Digest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
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
            Inbound.LISTEN,
            "prompts/get",
            "completion/complete",
            "tasks/list",
            "tasks/get",
            "tasks/update",
            "tasks/cancel",
            "tasks/result",
            "notifications/progress");

    /** Those that change what goes on at the server, unless that only reads. */
    private static final Set<String> CHANGING = Set.of("tasks/update", "tasks/cancel");

    private final Engine engine;
    private final Function<ReaderLookup, ReaderResolver> resolvers;
    private final Sessions sessions;
    private final Pins pins;
    private final Traces traces;
    private final Prompts prompts;
    private final Clock clock;
    private final Executor later;
    private final boolean rehearsing;
    private final TaskRoom taskRoom = new TaskRoom();
    private volatile InForce inForce;
    private volatile boolean isAnswered = true;

    /**
     * Makes a guard.
     *
     * @param idle after how many minutes without use a session ends; 0 for never
     * @throws IllegalArgumentException where two installed schemes read the same records, or a vocabulary of the policy
     *     has the id of a shipped one
     */
    public Guard(Engine engine, Policy policy, Clock clock, long idle) {
        this(engine, policy, clock, idle, ReaderResolver::of);
    }

    /**
     * Makes a guard that asks who may read a resource in a way of the host's own.
     *
     * @param idle after how many minutes without use a session ends; 0 for never
     * @param resolvers what is asked, for what the policy says of each server
     * @throws IllegalArgumentException where two installed schemes read the same records, or a vocabulary of the policy
     *     has the id of a shipped one
     */
    public Guard(
            Engine engine, Policy policy, Clock clock, long idle, Function<ReaderLookup, ReaderResolver> resolvers) {
        this(engine, policy, clock, idle, resolvers, Later.THREADS, false);
    }

    /**
     * Makes a guard that decides where the host says what had to wait for an answer on readers.
     *
     * @param idle after how many minutes without use a session ends; 0 for never
     * @param resolvers what is asked, for what the policy says of each server
     * @param later runs what then follows, with all that the host does once a call is admitted: it may block
     * @throws IllegalArgumentException where two installed schemes read the same records, or a vocabulary of the policy
     *     has the id of a shipped one
     */
    public Guard(
            Engine engine,
            Policy policy,
            Clock clock,
            long idle,
            Function<ReaderLookup, ReaderResolver> resolvers,
            Executor later) {
        this(engine, policy, clock, idle, resolvers, later, false);
    }

    private Guard(
            Engine engine,
            Policy policy,
            Clock clock,
            long idle,
            Function<ReaderLookup, ReaderResolver> resolvers,
            Executor later,
            boolean rehearsing) {
        this.later = later;
        this.rehearsing = rehearsing;
        this.traces = rehearsing ? Traces.rehearsing() : new Traces();
        this.engine = engine;
        this.clock = clock;
        this.resolvers = resolvers;
        this.inForce = new InForce(
                policy,
                new EvidenceSources(engine, policy.vocabularies(), clock),
                new ReaderLookups(policy.readers(), resolvers, clock),
                Set.of());
        this.sessions = new Sessions(
                clock,
                idle,
                traces::forget,
                (tx, session, from) -> SequenceStates.begin(tx, policy(), session, from),
                (tx, session, others, label) -> {
                    SequenceStates.join(tx, policy(), session, others);
                    traces.missed(session, label.label());
                    if (!label.label().canFlowTo(session.label().label())) {
                        traces.comes(tx, session, label.label());
                    }
                });
        this.pins = new Pins(sessions, clock);
        this.prompts = new Prompts(engine, sessions, traces, clock);
    }

    /** Returns the policy that is in force. */
    public Policy policy() {
        return inForce.policy();
    }

    /**
     * Puts {@code next} in force, for every session and connection, from the next message on. How servers were started
     * stays as it is.
     *
     * @throws IllegalArgumentException where it can't be: what was in force stays
     */
    public void adopt(Policy next) {
        InForce old = inForce;
        inForce = new InForce(
                next,
                next.vocabularies().equals(old.policy().vocabularies())
                        ? old.evidence()
                        : new EvidenceSources(engine, next.vocabularies(), clock),
                next.readers().equals(old.policy().readers())
                        ? old.lookups()
                        : new ReaderLookups(next.readers(), resolvers, clock),
                old.described());
    }

    /**
     * Returns a guard for recorded calls: they hold the values of which an agent would have had handles, and such a value
     * counts as its handle would.
     */
    public static Guard rehearsing(
            Engine engine, Policy policy, Clock clock, Function<ReaderLookup, ReaderResolver> resolvers) {
        return new Guard(engine, policy, clock, 0, resolvers, Later.THREADS, true);
    }

    /** Returns whether parts of answers may be kept from agents. */
    public boolean takesOut() {
        return hides() || !policy().obligations().redactions().isEmpty();
    }

    /**
     * Returns whether the calls of a rehearsed session could have been made with handles alone.
     *
     * @throws StoreException where the state can't be read
     */
    public Planned planned(AgentSession agent) {
        return traces.planned(open(agent));
    }

    /**
     * Returns which values of the last call of a rehearsed session stand for handles.
     *
     * @throws StoreException where the state can't be read
     */
    public List<StandIn> standIns(AgentSession agent) {
        return traces.standIns(open(agent));
    }

    /** Returns whether agents get handles of untrusted values, and so the tools that tell of them. */
    public boolean hides() {
        return policy().obligations().hiding().isConfigured();
    }

    /**
     * Reveals the value of a handle to the agent: its label joins that of the session.
     *
     * @throws StoreException where the state can't be read or written: nothing may be revealed
     */
    public Revealed inspect(AgentSession agent, String handle) {
        return Reveal.inspect(
                engine, tx -> sessions.live(tx, agent), () -> policy().obligations(), traces, clock, handle);
    }

    /**
     * Tells an agent the kind and size of the value of a handle, which says nothing of what it is.
     *
     * @throws StoreException where the state can't be read
     */
    public Revealed describe(AgentSession agent, String handle) {
        return Reveal.describe(engine, tx -> sessions.live(tx, agent), handle);
    }

    /** Returns a new connection to the server that {@code server} describes. */
    public Upstream connect(ServerPolicy server) {
        return new Upstream(server, () -> inForce);
    }

    /** Returns what all sessions together may remember of tasks. */
    public TaskRoom taskRoom() {
        return taskRoom;
    }

    /** Returns what is done with decisions. */
    public Mode mode() {
        return policy().mode();
    }

    /**
     * Makes sure that the session of {@code agent} exists, and returns it with what it has seen.
     *
     * @throws StoreException where the state can't be read or written
     */
    public Session open(AgentSession agent) {
        return engine.transact(tx -> {
            Session session = sessions.live(tx, agent);
            SequenceStates.opened(tx, policy(), session);
            return session;
        });
    }

    /**
     * Returns the session of {@code agent} where it lives and was used lately enough; one that was not is ended, and none is
     * begun in its place. Counts as a use.
     *
     * @throws StoreException where the state can't be read or written
     */
    public Optional<Session> resume(AgentSession agent) {
        return engine.transact(tx -> sessions.resume(tx, agent));
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
     * The same, by whoever does not know under which policy the session is used. Where it begins here, its sequences begin
     * with the first guard that {@linkplain #open opens} it, as each that serves it must before anything is called.
     *
     * @throws StoreException where the state can't be read or written
     */
    public void typedUnjudged(AgentSession agent, String text) {
        engine.transact(tx -> {
            boolean begins = tx.sessions().live(agent.key()).isEmpty();
            Session session = sessions.live(tx, agent);
            if (begins && agent.start() == AgentSession.Start.CLEAN) {
                SequenceStates.unjudged(tx, session);
            }
            return begins;
        });
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
     * Returns a question to a person, also one that is over.
     *
     * @throws StoreException where the state can't be read
     */
    public Optional<Approval> question(String id) {
        return engine.transact(tx -> tx.approvals().byId(id));
    }

    /**
     * Says that nobody ever sees the questions of this guard: from now on what policy would ask about is refused as such, and
     * nothing says that somebody was asked.
     */
    public void asksNobody() {
        isAnswered = false;
    }

    /**
     * Keeps what a person said to a question, where it still waits; otherwise nothing changes.
     *
     * @param by who said it, for the record
     * @throws StoreException where the state can't be written
     */
    public void answer(Approval asked, boolean yes, String by) {
        Instant now = clock.instant();
        engine.transact(tx -> ApprovalAnswer.toCall(asked, yes, now, by).give(tx, asked, now));
    }

    /**
     * Keeps what a person said to a question that was given away to be brought back, which counts once.
     *
     * @param nonce names what was given away, and nothing else
     * @param ends from when on it counts for nothing anyhow
     * @param asked the question; where it waits for no answer any more, what was said changes nothing
     * @param yes what the person said; null for nothing
     * @param by who said it, for the record
     * @return whether it was brought back for the first time: otherwise nothing was kept
     * @throws StoreException where the state can't be written
     */
    public boolean answerOnce(String nonce, Instant ends, Approval asked, @Nullable Boolean yes, String by) {
        Instant now = clock.instant();
        return engine.transact(tx -> {
            boolean first = tx.approvals().spend(nonce, ends, now);
            if (first && yes != null) {
                ApprovalAnswer.toCall(asked, yes, now, by).give(tx, asked, now);
            }
            return first;
        });
    }

    /**
     * Returns the secret by which the state's own questions are known again, the same for all processes that share the
     * state; it is made at its first use, and must be shown to nobody.
     *
     * @throws StoreException where the state can't be read or written
     */
    public String secret() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        String fresh = HexFormat.of().formatHex(random);
        return engine.transact(tx -> tx.approvals().secret(fresh));
    }

    /** Returns what time it is for questions. */
    public Instant now() {
        return clock.instant();
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
        return admit(agent, inbound, LookupNeeded.Asked.NOTHING);
    }

    private CompletionStage<Admission> admit(AgentSession agent, Inbound inbound, LookupNeeded.Asked asked) {
        Admission admission;
        try {
            traces.prepare(agent.key(), inbound.content(), inbound.upstream().names(inbound), isListed(inbound));
            admission = engine.transact(tx -> decide(tx, agent, inbound, asked));
        } catch (LookupNeeded needed) {
            // Not while the state is held. What the session sees meanwhile counts: all is decided anew.
            return inForce.lookups()
                    .readers(needed.sources())
                    .thenComposeAsync(more -> admit(agent, inbound, asked.and(more)), later)
                    .exceptionally(fault -> new Admission.Refused(
                            Denials.unreachable(inbound, "what follows the lookup of readers could not be run")));
        } catch (Resolving.Needed needed) {
            return needed.ask(clock)
                    .thenComposeAsync(came -> admit(agent, inbound, asked.and(came)), later)
                    .exceptionally(fault -> new Admission.Refused(
                            Denials.unreachable(inbound, "what follows the resolution of the call could not be run")));
        } catch (SessionOver e) {
            admission = new Admission.Refused(Denials.over(inbound, String.valueOf(e.getMessage())));
        } catch (StoreException e) {
            admission = new Admission.Refused(Denials.unreachable(inbound, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            admission = new Admission.Refused(Denials.unreachable(inbound, "deciding failed: " + e.getMessage()));
        }
        return CompletableFuture.completedFuture(admission);
    }

    private Admission decide(Transaction tx, AgentSession agent, Inbound inbound, LookupNeeded.Asked asked) {
        InForce current = inForce;
        Policy policy = current.policy();
        PolicyEngine decisions = current.decisions();
        Session session = sessions.heard(tx, agent, inbound.told());
        prompts.read(tx, session);
        Upstream upstream = inbound.upstream();
        Expansion expansion = policy.obligations().hiding().isConfigured()
                ? Variables.expand(tx, session, inbound)
                : Expansion.none(inbound.content());
        Call defined = call(inbound, session, expansion).in(SequenceStates.of(tx, policy, session, asked));
        Resolution resolution = resolution(inbound, expansion, defined, decisions, asked);
        Call call = Resolving.resolved(defined, resolution);
        lookUp(decisions, call, asked);
        boolean released = isPersonsAnswer(inbound);
        Decision decision =
                released ? new Decision.Allow(List.of()) : expansion.denial().orElseGet(() -> decisions.decide(call));
        if (current != inForce) {
            return decide(tx, agent, inbound, asked); // half by the one policy and half by the other is by none
        }
        Label carried = decisions.carried(call);
        boolean holds = decision.kind() == Decision.Kind.ALLOW || policy.mode() != Mode.ENFORCE;
        Approvals.Answer answer = holds || decision.kind() == Decision.Kind.DENY
                ? new Approvals.Answer.Unasked()
                : Approvals.of(tx, clock.instant(), session, policy, inbound, call, carried, decision, isAnswered);
        boolean refused = !holds && !(answer instanceof Approvals.Answer.Approved);
        AuditRecord record = tx.audit()
                .append(Records.decision(
                        clock.instant(), session, policy, inbound, call, decision, refused, answer, resolution));
        if (refused) {
            return new Admission.Refused(
                    Denials.of(policy, inbound, call, decision, answer, record, engine.isShared()));
        }
        boolean resolves = inbound instanceof Inbound.Resolve; // what a call does, and makes none
        Occurrence occurrence = resolves ? Occurrence.NONE : decisions.occurrence(call);
        if (!released && !resolves) {
            SequenceStates.put(tx, session, decisions.called(call.circumstances(), occurrence));
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
                carried,
                derives,
                call.arguments().isObject()
                        ? profile.ownSource(call.arguments())
                        : new Source.OfServer(upstream.name()),
                returns,
                decision,
                expansion.edits(),
                occurrence,
                profile.isConsequential()));
    }

    private static void lookUp(PolicyEngine decisions, Call call, LookupNeeded.Asked asked) {
        Set<Source> missing = asked.mayAskMore() ? decisions.missing(call) : Set.of();
        if (!missing.isEmpty()) {
            throw new LookupNeeded(missing);
        }
    }

    /**
     * Returns what the server says of the call. It is asked only where policy would let it have the arguments for that, in
     * every mode, and not while the state is held.
     */
    private @Nullable Resolution resolution(
            Inbound inbound, Expansion expansion, Call call, PolicyEngine decisions, LookupNeeded.Asked asked) {
        ToolResolver resolver = Resolving.resolver(inbound);
        if (resolver == null || asked.resolution() != null || expansion.denial().isPresent()) {
            return asked.resolution();
        }
        Upstream upstream = inbound.upstream();
        if (!upstream.resolving().isOver(clock.instant())) {
            return Resolution.PAUSED;
        }
        Call read = Resolving.asRead(call);
        lookUp(decisions, read, asked);
        boolean may = decisions.decide(read).kind() == Decision.Kind.ALLOW;
        if (may && !expansion.places().isEmpty()) {
            // Values that the agent has not seen leave for a call that is allowed, and for no other reason.
            lookUp(decisions, call, asked);
            may = decisions.decide(call).kind() == Decision.Kind.ALLOW;
        }
        if (may && inbound instanceof Inbound.ToolCall tool) {
            throw new Resolving.Needed(tool, resolver, expansion.edits(), call.arguments());
        }
        return null;
    }

    /** A form that a person filled in is that person's word, meant for the server: it is released, and recorded. */
    private static boolean isPersonsAnswer(Inbound inbound) {
        return inbound instanceof Inbound.Answer && inbound.method().equals("elicitation/create");
    }

    /** A name that nobody has given to a tool or a method is a text of the sender's own: it may hold anything. */
    private static boolean isMadeUp(Inbound inbound, boolean listed) {
        if (inbound instanceof Inbound.ToolCall || inbound instanceof Inbound.Resolve) {
            return !listed && inbound.upstream().stated(inbound.name()).equals(ToolStatement.NOTHING);
        }
        return inbound instanceof Inbound.Request && !METHODS.contains(inbound.method());
    }

    private static boolean changes(Inbound inbound) {
        return inbound instanceof Inbound.Request request && CHANGING.contains(request.method()) && !request.ofRead();
    }

    private static boolean isListed(Inbound inbound) {
        return (inbound instanceof Inbound.ToolCall || inbound instanceof Inbound.Resolve)
                && inbound.upstream().lists(inbound.name());
    }

    /** Anything but a tool call is a read at the server, unless it changes how a call goes on. */
    private Call call(Inbound inbound, Session session, Expansion expansion) {
        Upstream upstream = inbound.upstream();
        boolean listed = isListed(inbound);
        List<ArgumentValue> values = new ArrayList<>(
                expansion.values(traces.values(session, expansion.own(), upstream.names(inbound), listed)));
        if (isMadeUp(inbound, listed)) {
            values.add(ArgumentValue.unknown("", ""));
        }
        if (inbound instanceof Inbound.ToolCall tool) {
            return new Call(
                    upstream.definition(tool.tool()),
                    upstream.stated(tool.tool()),
                    expansion.content().isMissingNode() ? JsonNodeFactory.instance.objectNode() : expansion.content(),
                    session.label(),
                    upstream.isPinned(tool.tool()) || (rehearsing && !listed), // records need not tell of lists
                    upstream.policy().claims().equals(ServerPolicy.ClaimTrust.FULL_ALL),
                    values);
        }
        if (inbound instanceof Inbound.Resolve resolve) {
            return Resolving.asRead(new Call(
                    upstream.definition(resolve.tool()),
                    upstream.stated(resolve.tool()),
                    inbound.content().isMissingNode() ? JsonNodeFactory.instance.objectNode() : inbound.content(),
                    session.label(),
                    upstream.isPinned(resolve.tool()),
                    false,
                    values));
        }
        return new Call(
                ToolDefinition.unlisted(upstream.name(), inbound.method()),
                changes(inbound) ? ToolStatement.CHANGE : ToolStatement.READ,
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
        Hidden room = hides()
                ? engine.transact(tx ->
                        new Hidden(tx.variables().taken(sessions.live(tx, agent).id())))
                : Hidden.full();
        Label seen = outbound instanceof Outbound.OfTask task && task.calls().isEmpty()
                ? engine.transact(tx -> sessions.live(tx, agent).label().label())
                : Label.BOTTOM;
        Answered answered = Answered.of(outbound, policy().obligations(), room, seen, clock.instant());
        Optional<Released> done = release(agent, answered);
        // Another answer may have taken the room meanwhile: then this one's values are withheld.
        return done.orElseGet(() -> release(
                        agent, Answered.of(outbound, policy().obligations(), Hidden.full(), seen, clock.instant()))
                .orElseThrow());
    }

    private Optional<Released> release(AgentSession agent, Answered answered) {
        Optional<Entered> done = engine.transact(tx -> {
            Session session = sessions.live(tx, agent);
            if (!answered.hidden().fits(tx, session)) {
                return Optional.empty();
            }
            String call = answered.call();
            if (isNews(session, answered)) {
                AuditRecord record = tx.audit().append(Records.answer(clock.instant(), session, answered));
                call = call.isEmpty() ? "c" + record.seq() : call;
                // The name comes from a model or a server; it is kept in the label, and said in later refusals.
                tx.sessions().join(session.id(), SessionLabel.EMPTY.observe(answered.label(), origin(answered, call)));
            }
            traces.comes(tx, session, answered.label());
            InForce current = inForce;
            come(tx, current, session, answered.occurrence(), answered, answered.well());
            answered.made().forEach(made -> come(tx, current, session, made, answered, answered.over()));
            Variables.keep(tx, session, answered, origin(answered, call));
            return Optional.of(new Entered(session, call));
        });
        if (done.isEmpty()) {
            return Optional.empty();
        }
        Entered entered = done.get();
        // Not while the state is held: a long answer takes a while, and until it is noted all that is found carries its
        // label.
        traces.came(entered.session, answered, origin(answered, entered.call));
        if (rehearsing) {
            traces.hidden(entered.session, answered.hidden(), origin(answered, entered.call));
        }
        return Optional.of(new Released(
                answered.label(),
                answered.labelling().untrustedSaid(),
                answered.labelling().sensitiveSaid(),
                Marks.of(answered, entered.call, warning(answered)),
                answered.edits()));
    }

    /** Takes note of how far the answer of a call takes the session in sequences. */
    private static void come(
            Transaction tx, InForce current, Session session, Occurrence call, Answered answered, boolean well) {
        Circumstances before = SequenceStates.of(tx, current.policy(), session, LookupNeeded.Asked.NOTHING);
        SequenceStates.put(tx, session, current.decisions().answered(before, call, answered.before(), well));
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
                .filter(decision -> mode() == Mode.WARN && decision.kind() != Decision.Kind.ALLOW);
    }

    /**
     * Takes note of tools that {@code upstream} lists, and pins those never seen before. Of a server that lists more than
     * {@code tools_per_server} of the policy, the others count as not listed.
     *
     * @return the names that must not be offered, because their definition is not the approved one, or they are too many
     * @throws StoreException where the state can't be read or written: nothing of the list may be offered
     */
    public Set<String> define(AgentSession agent, Upstream upstream, List<ToolDefinition> tools) {
        Set<String> beyond = upstream.beyond(policy().gateway().limits().toolsPerServer(), tools);
        List<ToolDefinition> taken =
                tools.stream().filter(tool -> !beyond.contains(tool.name())).toList();
        Set<String> changed = engine.transact(tx -> {
            Set<String> unapproved = new TreeSet<>();
            for (ToolDefinition tool : taken) {
                if (!pins.isApproved(tx, agent, upstream, "tool", tool.name(), tool.digest(), tool.findings())) {
                    unapproved.add(tool.name());
                }
            }
            return unapproved;
        });
        taken.forEach(tool -> upstream.define(tool, !changed.contains(tool.name())));
        Set<String> withheld = new TreeSet<>(beyond);
        if (mode() == Mode.ENFORCE) {
            withheld.addAll(changed);
        }
        return withheld;
    }

    /**
     * Returns whether the answer to {@code tools/resolve} of the client may be passed on: what it says of the tool, but for
     * what the tool does, is what was approved, or the mode holds nothing back.
     *
     * @param result the answer
     */
    public boolean isOffered(Ticket ticket, JsonNode result) {
        return mode() != Mode.ENFORCE
                || (ticket.upstream().isPinned(ticket.name())
                        && ticket.upstream().definition(ticket.name()).isWordedLike(result.path("tool")));
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
                engine.transact(tx -> pins.isApproved(tx, agent, upstream, "instructions", "", digest, List.of()));
        return approved || mode() != Mode.ENFORCE;
    }
}
