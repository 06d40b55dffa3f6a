// This file has more than 400 lines because all kinds of message meet here, each with a short way through.
package dev.sluice.guard.client;

import dev.sluice.guard.Admission;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.Outbound;
import dev.sluice.guard.Released;
import dev.sluice.guard.SessionOver;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.client.RequestedInputs.Given;
import dev.sluice.guard.client.Unanswered.Pending;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.ListedTools;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.Refusals;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.guard.message.VariableTools;
import dev.sluice.store.StoreException;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** One connection of a client to one server, for one conversation. */
public final class Line implements Passage {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    /** A server whose tools change more often while a call waits for them can't be called. */
    private static final int MOST_ROUNDS = 100;

    private static final System.Logger.Level NEWS = System.Logger.Level.INFO;
    private static final System.Logger.Level WARNING = System.Logger.Level.WARNING;

    private final Enforcement enforcement;
    private final Guard guard;
    private final AgentSession agent;
    private final String conversation;
    private final Upstream upstream;
    private final Unanswered unanswered;
    private final ToServer toServer;
    private final OwnRequests own;
    private final Definitions definitions;
    private final RequestedInputs inputs = new RequestedInputs();
    private final TaskCalls tasks;

    private final AskedByServer asked = new AskedByServer();

    /** Whether the client speaks a revision in which every result says what kind of result it is. */
    private volatile boolean modern;

    /** The line on which the connection was opened, where several share one: what the server can do was said there. */
    private Line opened = this;

    private volatile boolean resolvesTools;
    private volatile boolean toldOfHeldBack;
    private volatile boolean closed;

    /**
     * A request of the client that is to be decided.
     *
     * @param params its parameters; a missing node where it has none
     * @param given the answers in it to what the server asked for before
     * @param toServer carries what Sluice must ask the server first
     * @param until until when it may wait for a person
     */
    private record Wanted(
            RpcMessage.Request request, JsonNode params, List<Given> given, ToServer toServer, long until) {}

    Line(
            Enforcement enforcement,
            AgentSession agent,
            String conversation,
            Upstream upstream,
            Duration timeout,
            ToServer toServer) {
        this.enforcement = enforcement;
        this.guard = enforcement.guard();
        this.agent = agent;
        this.conversation = conversation;
        this.upstream = upstream;
        this.unanswered = new Unanswered(timeout);
        this.toServer = toServer;
        this.tasks = new TaskCalls(guard.taskRoom());
        this.own = new OwnRequests(unanswered, upstream.name());
        this.definitions = new Definitions(this, own, enforcement.executor());
    }

    /** Says on which line the connection was opened that this one shares; before anything is said on it. */
    Line openedOn(Line other) {
        opened = other;
        return this;
    }

    /** Takes note that the server's tools may be others now. */
    void toolsChanged() {
        definitions.changed();
    }

    @Override
    public String server() {
        return upstream.name();
    }

    @Override
    public CompletionStage<Step> fromClient(byte[] message) {
        return fromClient(message, toServer);
    }

    @Override
    public CompletionStage<Step> fromClient(byte[] message, ToServer carrier) {
        if (message.length > mostBytes()) {
            String why = "the message has " + message.length + " bytes, more than the limit";
            return done(skimmed(message)
                    .ofRequest()
                    .<Step>map(id -> new Step.Reply(RpcWriter.failure(id, RpcWriter.INVALID_REQUEST, why)))
                    .orElseGet(() -> new Step.Drop(why)));
        }
        RpcMessage parsed;
        try {
            parsed = RpcMessage.parse(message);
        } catch (MalformedJsonException e) {
            return done(
                    new Step.Reply(RpcWriter.failureWithoutId(RpcWriter.PARSE_ERROR, String.valueOf(e.getMessage()))));
        } catch (InvalidMessageException e) {
            return done(
                    e.isAnswer()
                            ? new Step.Drop(String.valueOf(e.getMessage()))
                            : new Step.Reply(RpcWriter.failureWithoutId(
                                    RpcWriter.INVALID_REQUEST, String.valueOf(e.getMessage()))));
        }
        if (parsed instanceof RpcMessage.Request request) {
            return request(request, carrier);
        }
        if (closed) {
            return done(new Step.Drop("the line is closed"));
        }
        return unrequested(parsed).thenApply(step -> closed ? new Step.Drop("the line is closed") : step);
    }

    private CompletionStage<Step> unrequested(RpcMessage parsed) {
        if (parsed instanceof RpcMessage.Notification notification) {
            return quietly(() -> notification(notification));
        }
        if (parsed instanceof RpcMessage.Result result) {
            return answer(result, result.id(), result.result());
        }
        RpcMessage.Failure failure = (RpcMessage.Failure) parsed;
        return answer(failure, failure.id(), failure.error());
    }

    private static CompletionStage<Step> done(Step step) {
        return CompletableFuture.completedFuture(step);
    }

    private int mostBytes() {
        return guard.policy().gateway().limits().messageBytes();
    }

    static OversizeId skimmed(byte[] message) {
        OversizeId id = new OversizeId();
        for (byte b : message) {
            id.accept(b);
        }
        return id;
    }

    private CompletionStage<Step> request(RpcMessage.Request request, ToServer carrier) {
        if (closed) {
            return done(failed(request, RpcWriter.UPSTREAM_FAILED, "the line is closed; connect again"));
        }
        if (own.isOurs(request.id())) {
            return done(failed(request, RpcWriter.INVALID_REQUEST, "the id is one of sluice's own; choose another"));
        }
        switch (unanswered.enter(request)) {
            case ID_IN_USE -> {
                return done(failed(
                        request, RpcWriter.INVALID_REQUEST, "the id is in use by a request that has no answer yet"));
            }
            case TOO_MANY -> {
                return done(failed(
                        request, RpcWriter.INVALID_REQUEST, "too many requests have no answer yet; wait for some"));
            }
            case ADMITTED -> {}
        }
        CompletionStage<Step> step;
        try {
            step = begun(request, carrier);
        } catch (RuntimeException e) {
            step = CompletableFuture.failedFuture(e);
        }
        return step.exceptionally(fault -> fault(request, fault)).thenApply(each -> left(request, each));
    }

    private static JsonNode params(RpcMessage.Request request) {
        return request.params().map(Value::tree).orElse(JSON.missingNode());
    }

    private CompletionStage<Step> begun(RpcMessage.Request request, ToServer carrier) {
        if (RequestMeta.of(request).isPresent()) {
            modern = true;
        }
        if (Methods.isOfTasks(request.method()) && guard.takesOut()) {
            // The answer of a tool comes under another name there, to which no word on that tool applies.
            return done(failed(
                    request, RpcWriter.DENIED, "tasks are not served while the policy takes parts out of answers"));
        }
        if (Methods.isOfTasks(request.method()) && !mayHaveTask(request)) {
            boolean list = request.method().equals(Methods.TASKS_LIST);
            return done(failed(
                    request,
                    list ? RpcWriter.METHOD_NOT_FOUND : RpcWriter.INVALID_PARAMS,
                    list ? TaskCalls.NOT_LISTED : TaskCalls.UNKNOWN));
        }
        if (Methods.isPlainRequest(request.method()) || request.method().equals(Methods.DISCOVER)) {
            return done(
                    RequestedInputs.places(params(request)).isEmpty()
                            ? plain(request)
                            : failed(
                                    request,
                                    RpcWriter.INVALID_PARAMS,
                                    "requests of this method hold no answers: leave out `inputResponses` and `requestState`"));
        }
        Optional<byte[]> variables = VariableTools.answer(guard, agent, request);
        if (variables.isPresent()) {
            return done(new Step.Reply(variables.get()));
        }
        long until = System.nanoTime() + enforcement.patience().toNanos();
        JsonNode params = params(request);
        RequestedInputs.Answers answers = inputs.given(server(), request.method(), params);
        List<Given> given = answers.given();
        if (given.stream().anyMatch(each -> givesOurs(each.answer()))) {
            inputs.notMade(answers.loan());
            return done(failed(
                    request,
                    RpcWriter.DENIED,
                    "the client's roots hold files that no server may have; keep those elsewhere"));
        }
        return round(new Wanted(request, params, given, carrier, until), 0).whenComplete((step, fault) -> {
            if (step instanceof Step.Pass) {
                inputs.wasMade(answers.loan());
            } else {
                inputs.notMade(answers.loan());
            }
        });
    }

    /** A server that can't tell conversations apart gives a task to whoever knows its name. */
    private boolean mayHaveTask(RpcMessage.Request request) {
        boolean own = opened == this && !modern;
        return own
                || (!request.method().equals(Methods.TASKS_LIST)
                        && tasks.server(TaskCalls.id(params(request))).isPresent());
    }

    /**
     * Decides a request by the definitions that are known now, which are learnt first where that must be.
     *
     * @param rounds how often that was done before, since the definitions changed meanwhile
     */
    private CompletionStage<Step> round(Wanted wanted, int rounds) {
        RpcMessage.Request request = wanted.request();
        if (!unanswered.isUndecided(request)) {
            return done(new Step.Drop("taken back meanwhile"));
        }
        if (rounds >= MOST_ROUNDS) {
            return done(failed(
                    request,
                    RpcWriter.UPSTREAM_FAILED,
                    "the tools of `" + server() + "` change all the time; call it again later"));
        }
        OptionalLong known = definitions.known();
        if (known.isPresent() || !Methods.isOfOneTool(request.method())) {
            return admit(wanted, known.orElse(0), rounds);
        }
        return definitions
                .learn(request, wanted.toServer())
                .thenComposeAsync(
                        number ->
                                isOfOther(request, number) ? round(wanted, rounds + 1) : admit(wanted, number, rounds),
                        enforcement.executor());
    }

    /** Returns whether a request is about a tool, and the definitions are no longer those of {@code number}. */
    private boolean isOfOther(RpcMessage.Request request, long number) {
        return Methods.isOfOneTool(request.method()) && definitions.number() != number;
    }

    /** A request that is answered here is none that the server will answer. */
    private Step left(RpcMessage.Request request, Step step) {
        if (!(step instanceof Step.Reply reply)) {
            return step;
        }
        return unanswered.leave(request)
                ? new Step.Reply(complete(reply.message()))
                : new Step.Drop("taken back meanwhile");
    }

    /**
     * Says in a result of ours that it is one, where the client's revision wants that.
     *
     * <p>Source: MCP revision 2026-07-28, {@code Result}.
     */
    private byte[] complete(byte[] message) {
        if (!modern || !(RpcMessage.parse(message) instanceof RpcMessage.Result result)) {
            return message;
        }
        MessageEdits edits = new MessageEdits(result);
        if (result.result().kind() == Kind.OBJECT
                && result.result().member("resultType").isEmpty()) {
            edits.edits().setMember(result.result(), "resultType", MessageEdits.json(JSON.stringNode("complete")));
        }
        return edits.apply();
    }

    private Step fault(RpcMessage.Request request, Throwable fault) {
        Throwable cause = Faults.cause(fault);
        if (cause instanceof SessionOver) {
            return failed(request, RpcWriter.UPSTREAM_FAILED, String.valueOf(cause.getMessage()));
        }
        enforcement.fault("handling `" + shown(request.method()) + "` failed", cause);
        return failed(request, RpcWriter.UPSTREAM_FAILED, "handling the request failed; the log of sluice says why");
    }

    private static Step failed(RpcMessage.Request request, int code, String why) {
        return new Step.Reply(RpcWriter.failure(request.id(), code, why));
    }

    private Step plain(RpcMessage.Request request) {
        MessageEdits edits = MessageEdits.toServer(request);
        request.params().filter(params -> params.kind() == Kind.OBJECT).ifPresent(params -> {
            if (request.method().equals(Methods.INITIALIZE)) {
                edits.declareExtensions(params);
            }
        });
        if (request.method().equals(Methods.INITIALIZE)) {
            definitions.changed(); // whoever answers may be another process than before
        }
        declareModern(request, edits);
        boolean first =
                request.params().flatMap(params -> params.pointer("/cursor")).isEmpty();
        Pending pending = new Pending.Plain(request.id(), request.method(), definitions.number(), first);
        return passed(request, pending, edits);
    }

    /** Since 2026-07-28 a client says with each request what it can do. */
    private static void declareModern(RpcMessage.Request request, MessageEdits edits) {
        RequestMeta.of(request).flatMap(RequestMeta::capabilities).ifPresent(edits::declareExtensionsIn);
    }

    private Step passed(RpcMessage.Request request, Pending pending, MessageEdits edits) {
        byte[] message = edits.apply();
        return unanswered.sent(request, pending) ? new Step.Pass(message) : new Step.Drop("taken back meanwhile");
    }

    private CompletionStage<Step> admit(Wanted wanted, long number, int rounds) {
        return answersWithin(wanted.given()).thenCompose(refused -> {
            if (refused.isPresent()) {
                return done(denied(wanted.request(), refused.get()));
            }
            Inbound inbound = inbound(wanted);
            return guard.admit(agent, inbound)
                    .thenCompose(admission -> isOfOther(wanted.request(), number)
                            ? round(wanted, rounds + 1)
                            : decided(wanted, inbound, admission));
        });
    }

    /** Since 2026-07-28 a call that is made again holds the client's answers to what the server asked: each is a send. */
    private CompletionStage<Optional<Denial>> answersWithin(List<Given> answers) {
        CompletionStage<Optional<Denial>> refused = CompletableFuture.completedFuture(Optional.empty());
        for (Given given : answers) {
            refused = refused.thenCompose(before -> before.isPresent()
                    ? CompletableFuture.completedFuture(before)
                    : admitAnswer(given.method(), given.answer()));
        }
        return refused;
    }

    private CompletionStage<Optional<Denial>> admitAnswer(String method, JsonNode content) {
        return guard.admit(agent, new Inbound.Answer(upstream, method, content))
                .thenApply(admission -> admission instanceof Admission.Refused refused
                        ? Optional.of(refused.denial())
                        : Optional.empty());
    }

    private Inbound inbound(Wanted wanted) {
        RpcMessage.Request request = wanted.request();
        JsonNode params = wanted.params();
        if (request.method().equals(Methods.TOOLS_CALL)) {
            String tool = params.path("name").asString("");
            return new Inbound.ToolCall(
                    upstream,
                    tool,
                    params.path("arguments"),
                    RequestAnnotations.decode(params).value(),
                    opened.resolvesTools
                            ? own.resolver(request, tool, wanted.toServer(), line -> enforcement.say(NEWS, line))
                            : null);
        }
        return request.method().equals(Methods.TOOLS_RESOLVE)
                ? new Inbound.Resolve(upstream, params.path("name").asString(""), params.path("arguments"))
                : new Inbound.Request(
                        upstream, request.method(), RequestMeta.judged(params), tasks.isOfRead(server(), params));
    }

    private CompletionStage<Step> decided(Wanted wanted, Inbound inbound, Admission admission) {
        RpcMessage.Request request = wanted.request();
        if (admission instanceof Admission.Admitted admitted) {
            return done(forward(wanted, admitted.ticket()));
        }
        Denial denial = ((Admission.Refused) admission).denial();
        if (!unanswered.isUndecided(request)) {
            return done(new Step.Drop("taken back meanwhile"));
        }
        Duration left = Duration.ofNanos(wanted.until() - System.nanoTime());
        return enforcement
                .answered(agent, conversation, inbound, denial, left)
                .thenCompose(answered -> answered ? round(wanted, 0) : done(denied(request, denial)));
    }

    private Step forward(Wanted wanted, Ticket ticket) {
        RpcMessage.Request request = wanted.request();
        MessageEdits edits = MessageEdits.toServer(request).expand(ticket.expanded());
        ticket.told().ifPresent(told -> request.params().ifPresent(params -> edits.tell(params, told)));
        declareModern(request, edits);
        return passed(
                request, new Pending.Guarded(request.id(), ticket, wanted.params(), request.bytes().length), edits);
    }

    private Step denied(RpcMessage.Request request, Denial denial) {
        // Who would have received it is told to people only.
        enforcement.say(NEWS, "denied `" + shown(request.method()) + "` (" + denial.code() + "): " + denial.toHuman());
        return new Step.Reply(Refusals.of(request, denial));
    }

    private CompletionStage<Step> notification(RpcMessage.Notification notification) {
        if (notification.method().equals(Methods.CANCELLED)) {
            Optional<RpcId> id =
                    notification.index().root().pointer("/params/requestId").flatMap(RpcMessage::idIn);
            boolean known = id.isPresent() && unanswered.abandon(id.get());
            return done(
                    known
                            ? new Step.Pass(MessageEdits.toServer(notification).apply())
                            : new Step.Drop("the server has no such request"));
        }
        byte[] edited = MessageEdits.toServer(notification).apply();
        if (Methods.isPlainNotification(notification.method())) {
            return done(new Step.Pass(edited));
        }
        JsonNode params = notification.params().map(Value::tree).orElse(JSON.missingNode());
        return guard.admit(agent, new Inbound.Request(upstream, notification.method(), params))
                .thenApply(admission -> {
                    if (admission instanceof Admission.Admitted) {
                        return new Step.Pass(edited);
                    }
                    String why = "dropped `" + shown(notification.method()) + "` on its way to `" + server()
                            + "`: it would carry what this server may not have";
                    enforcement.say(NEWS, why);
                    return new Step.Drop(why);
                });
    }

    /** The client's answer to a request of the server: a send to that. The server gets an answer in any case. */
    private CompletionStage<Step> answer(RpcMessage message, RpcId id, Value content) {
        Optional<String> taken = asked.take(id);
        if (taken.isEmpty()) {
            return done(new Step.Drop("an answer to nothing that was asked"));
        }
        String method = taken.get();
        Step refused = new Step.Pass(
                RpcWriter.failure(id, RpcWriter.DENIED, "the client's policy does not let this answer out"));
        return quietly(() -> {
                    Step pass = new Step.Pass(
                            new MessageEdits(message).strip(content).apply());
                    if (method.equals(Methods.PING)) {
                        return done(pass);
                    }
                    JsonNode given = content.tree();
                    if (givesOurs(given)) {
                        return done(refused);
                    }
                    return admitAnswer(method, given).thenApply(denial -> {
                        denial.ifPresent(each -> enforcement.say(
                                NEWS,
                                "denied the answer to `" + shown(method) + "` (" + each.code() + "): "
                                        + each.toHuman()));
                        return denial.isPresent() ? refused : pass;
                    });
                })
                .thenApply(step -> step instanceof Step.Drop ? refused : step);
    }

    /** Returns whether an answer of the client holds roots that no server may have, whatever it answers. */
    private boolean givesOurs(JsonNode answer) {
        for (JsonNode root : answer.path("roots")) {
            if (enforcement.holdsOurs(root.path("uri").asString(""))) {
                enforcement.say(
                        WARNING,
                        "the client's roots hold the policy or the state of sluice, so `" + server()
                                + "` is not told them; keep those elsewhere");
                return true;
            }
        }
        return false;
    }

    /** What can't be handled goes nowhere. */
    private CompletionStage<Step> quietly(Supplier<CompletionStage<Step>> work) {
        CompletionStage<Step> step;
        try {
            step = work.get();
        } catch (RuntimeException e) {
            step = CompletableFuture.failedFuture(e);
        }
        return step.exceptionally(fault -> {
            enforcement.fault("handling a message of the client to `" + server() + "` failed", Faults.cause(fault));
            return new Step.Drop("handling it failed");
        });
    }

    @Override
    public void forget(byte[] request) {
        skimmed(request).ofRequest().ifPresent(unanswered::abandon);
    }

    @Override
    public Step fromServer(byte[] message) {
        if (closed) {
            return new Step.Drop("the line is closed");
        }
        if (message.length > mostBytes()) {
            return unusable(message, "its answer has " + message.length + " bytes, more than the limit");
        }
        RpcMessage parsed;
        try {
            parsed = RpcMessage.parse(message);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return unusable(message, "its answer can't be read: " + e.getMessage());
        }
        if (parsed instanceof RpcMessage.Result result) {
            return answered(result.id(), pending -> result(pending, result), result);
        }
        if (parsed instanceof RpcMessage.Failure failure) {
            return answered(failure.id(), pending -> failure(pending, failure), failure);
        }
        try {
            return parsed instanceof RpcMessage.Request request
                    ? asks(request)
                    : says((RpcMessage.Notification) parsed);
        } catch (RuntimeException e) {
            enforcement.fault("handling a message of `" + server() + "` failed", e);
            return parsed instanceof RpcMessage.Request request
                    ? failed(request, RpcWriter.DENIED, "the client can't take requests now")
                    : new Step.Drop("handling it failed");
        }
    }

    /** What was asked must not wait for ever where its answer can't be used. */
    private Step unusable(byte[] message, String why) {
        Optional<Pending> pending = skimmed(message).ofAnswer().flatMap(unanswered::take);
        return pending.isPresent() ? lost(pending.get(), why) : new Step.Drop(why);
    }

    private Step answered(RpcId id, Function<Pending, Step> step, RpcMessage message) {
        Optional<Pending> taken = unanswered.take(id);
        if (taken.isEmpty()) {
            return new Step.Drop("an answer to nothing that was asked");
        }
        Pending pending = taken.get();
        if (pending instanceof Pending.Own ours) {
            ours.answer().complete(message);
            return new Step.Drop("an answer to sluice itself");
        }
        if (pending instanceof Pending.Abandoned) {
            return new Step.Drop("nobody waits for it any more");
        }
        try {
            return step.apply(pending);
        } catch (SessionOver e) {
            return lost(pending, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            enforcement.fault("handling an answer of `" + server() + "` failed", e);
            return lost(pending, "handling its answer failed");
        }
    }

    private Step result(Pending pending, RpcMessage.Result message) {
        JsonNode result = message.result().tree();
        if (pending instanceof Pending.Plain plain) {
            return RequestedInputs.asks(result)
                    ? lost(plain, Refusals.asksInPlain(plain.method()))
                    : new Step.Pass(plain(plain, message));
        }
        Pending.Guarded guarded = (Pending.Guarded) pending;
        Ticket ticket = guarded.ticket();
        if (ticket.method().equals(Methods.TOOLS_RESOLVE) && !guard.isOffered(ticket, result)) {
            return lost(pending, "it defines the tool otherwise than was approved");
        }
        if (Methods.isOfTasks(ticket.method()) && guard.takesOut()) {
            return lost(pending, "the policy takes parts out of answers now, and tasks are not served");
        }
        Released released = guard.release(agent, said(new Outbound.Answer(ticket, result), guarded, result));
        if (released.isCut() && RequestedInputs.asks(result)) {
            return new Step.Pass(complete(Refusals.ofQuestion(guarded.id(), ticket, released)));
        }
        inputs.asked(server(), ticket.method(), guarded.params(), result);
        tasks.answered(ticket, result, guarded.size());
        MessageEdits edits = new MessageEdits(message).mark(message.result(), released);
        if (Methods.isOfTasks(ticket.method())) {
            edits.markOfTask(message.result(), released);
        }
        if (released.replacement().isEmpty()) {
            edits.notCached(message.result(), released);
        }
        byte[] edited = edits.apply();
        return new Step.Pass(released.isCut() ? complete(edited) : edited);
    }

    /** What is said of a task may be the answer of a tool. */
    private Outbound said(Outbound said, Pending.Guarded guarded, JsonNode content) {
        String method = guarded.ticket().method();
        return Methods.isOfTasks(method) ? tasks.ofTask(said, upstream, method, guarded.params(), content) : said;
    }

    private byte[] plain(Pending.Plain pending, RpcMessage.Result message) {
        Value result = message.result();
        MessageEdits edits = new MessageEdits(message);
        if (pending.method().equals(Methods.INITIALIZE) || pending.method().equals(Methods.DISCOVER)) {
            resolvesTools = result.pointer("/capabilities/tools/resolve")
                    .filter(value -> value.kind() == Kind.TRUE)
                    .isPresent();
            edits.declareExtensions(result);
            result.member("instructions")
                    .filter(instructions -> instructions.kind() != Kind.STRING || !isApproved(instructions.string()))
                    .ifPresent(instructions -> edits.edits().removeMember(result, "instructions"));
        } else if (pending.method().equals(Methods.TOOLS_LIST)) {
            result.member("tools").filter(tools -> tools.kind() == Kind.ARRAY).ifPresent(tools -> {
                edits.withhold(tools, define(tools).withheld());
                boolean last = result.member("nextCursor").isEmpty();
                if (last) {
                    edits.offer(tools, VariableTools.definitions(guard));
                }
                definitions.listed(pending.definitions(), last && pending.first());
            });
        }
        return edits.strip(result).apply();
    }

    private boolean isApproved(String instructions) {
        boolean approved = guard.instruct(agent, upstream, instructions);
        if (!approved) {
            enforcement.say(
                    WARNING,
                    "the instructions of `" + server() + "` changed since they were approved, and are held back;"
                            + " if you agree with them, write their digest where the policy pins them, or accept them"
                            + " where the state is kept with `sluice pins accept " + server() + "`");
        }
        return approved;
    }

    /** Lets the guard take note of listed tools. */
    ListedTools define(Value tools) {
        ListedTools listed = ListedTools.of(guard, agent, upstream, tools);
        if (!listed.withheld().isEmpty()) {
            enforcement.say(
                    WARNING,
                    "held back from `" + server() + "`: " + listed.withheld().size()
                            + " tools whose definition changed since it was approved, that are more than"
                            + " `tools_per_server`, or that have a name of sluice's own; if you agree with them, write"
                            + " their digests where the policy pins them, or accept them where the state is kept with"
                            + " `sluice pins accept " + server() + "`");
        }
        return listed;
    }

    /** Forgets what the server listed: its tools count as unlisted. */
    void undefine() {
        upstream.forget();
    }

    void say(String line) {
        enforcement.say(WARNING, line);
    }

    private Step failure(Pending pending, RpcMessage.Failure message) {
        if (pending instanceof Pending.Plain plain) {
            // An error text is the server's, like any other text of it.
            Released released = guard.release(
                    agent,
                    new Outbound.Message(
                            upstream, plain.method(), message.error().tree()));
            return new Step.Pass(
                    released.isCut()
                            ? RpcWriter.failure(plain.id(), RpcWriter.DENIED, "the policy keeps this error text back")
                            : message.bytes());
        }
        Pending.Guarded guarded = (Pending.Guarded) pending;
        Released released = guard.release(
                agent,
                said(new Outbound.Failure(guarded.ticket(), message.error().tree()), guarded, JSON.missingNode()));
        return new Step.Pass(new MessageEdits(message)
                .take(message.error(), released.edits())
                .apply());
    }

    /** The answer came and can't be passed on: what the client is told of it comes from the server all the same. */
    private Step lost(Pending pending, String why) {
        String text = "the server `" + server() + "` gave no answer that can be passed on: " + why;
        if (pending instanceof Pending.Own ours) {
            ours.answer().completeExceptionally(new OwnRequests.Useless(text));
            return new Step.Drop(text);
        }
        if (pending instanceof Pending.Plain plain) {
            return new Step.Pass(RpcWriter.failure(plain.id(), RpcWriter.UPSTREAM_FAILED, text));
        }
        if (!(pending instanceof Pending.Guarded guarded)) {
            return new Step.Drop(text);
        }
        try {
            guard.release(agent, new Outbound.Lost(guarded.ticket(), why));
        } catch (SessionOver e) {
            // There is no label left to raise, and nothing more is done for the session.
        } catch (RuntimeException e) { // whatever it is, the client must get its answer
            enforcement.fault("the label of a lost answer can't be kept", e);
        }
        return new Step.Pass(
                guarded.ticket().method().equals(Methods.TOOLS_CALL)
                        ? complete(RpcWriter.result(
                                guarded.id(),
                                RpcWriter.toolError(
                                        text + ". Whether it did anything is not known.", JSON.objectNode())))
                        : RpcWriter.failure(guarded.id(), RpcWriter.UPSTREAM_FAILED, text));
    }

    private Step asks(RpcMessage.Request request) {
        switch (asked.enter(request.id(), request.method())) {
            case TOO_MANY -> {
                return failed(request, RpcWriter.INVALID_REQUEST, "too many requests have no answer yet");
            }
            case ID_IN_USE -> {
                return failed(
                        request, RpcWriter.INVALID_REQUEST, "the id is in use by a request that has no answer yet");
            }
            case ADMITTED -> {}
        }
        boolean asks = false;
        try {
            asks = Methods.isSilent(request.method(), request.params(), guard.takesOut())
                    || !isHeldBack(request.method(), request.params());
        } finally {
            if (!asks) {
                asked.take(request.id());
            }
        }
        return asks
                ? new Step.Pass(stripped(request, request.params()))
                : failed(request, RpcWriter.DENIED, "the client's policy keeps this request back");
    }

    private static byte[] stripped(RpcMessage message, Optional<Value> params) {
        MessageEdits edits = new MessageEdits(message);
        params.ifPresent(edits::strip);
        return edits.apply();
    }

    private Step says(RpcMessage.Notification notification) {
        if (notification.method().equals(Methods.CANCELLED)) {
            return takesBack(notification);
        }
        if (notification.method().equals(Methods.TOOLS_CHANGED)) {
            definitions.changed();
        }
        boolean silent = Methods.isSilent(notification.method(), notification.params(), guard.takesOut());
        return !silent && isHeldBack(notification.method(), notification.params())
                ? new Step.Drop("the policy keeps it back")
                : new Step.Pass(stripped(notification, notification.params()));
    }

    private Step takesBack(RpcMessage.Notification notification) {
        Optional<RpcId> id =
                notification.index().root().pointer("/params/requestId").flatMap(RpcMessage::idIn);
        if (id.isEmpty() || !asked.takeBack(id.get())) {
            return new Step.Drop("the client has no such request");
        }
        MessageEdits edits = new MessageEdits(notification);
        if (guard.takesOut()) {
            // It must arrive, but why is told in words of the server's own.
            notification
                    .params()
                    .ifPresent(params -> params.members().stream()
                            .map(JsonIndex.Member::name)
                            .filter(name -> !name.equals("requestId"))
                            .forEach(name -> edits.edits().removeMember(params, name)));
        }
        return new Step.Pass(edits.apply());
    }

    /**
     * Lets a message of the server into the session, unless the policy takes out what has its label.
     *
     * @throws StoreException where that can't be kept: it must not be passed on
     */
    private boolean isHeldBack(String method, Optional<Value> params) {
        JsonNode content = params.map(Value::tree).orElse(JSON.missingNode());
        Outbound said = new Outbound.Message(upstream, method, content);
        boolean ofTask = Methods.tellsOfTask(method);
        boolean heldBack = ofTask && guard.takesOut(); // as requests on tasks are refused
        if (!heldBack) {
            if (ofTask) {
                said = tasks.ofTask(said, upstream, method, content, content);
                inputs.askedInTask(server(), content);
            }
            heldBack = guard.release(agent, said).isCut();
        }
        if (heldBack && !toldOfHeldBack) {
            toldOfHeldBack = true;
            enforcement.say(WARNING, "messages of `" + server() + "` are held back, as the policy says of their label");
        }
        return heldBack;
    }

    private static String shown(String method) {
        return method.length() > 80 || !method.chars().allMatch(c -> c > 0x20 && c < 0x7f) ? "a method" : method;
    }

    @Override
    public void close() {
        closed = true;
        List<Pending.Own> left = unanswered.end();
        left.forEach(each -> each.answer().completeExceptionally(new IllegalStateException("the line is closed")));
        asked.end();
        tasks.forget();
    }
}
