// This file has more than 400 lines because all kinds of message of servers meet here, each with a short way through.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Outbound;
import dev.sluice.guard.Released;
import dev.sluice.guard.SessionOver;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.client.TaskCalls;
import dev.sluice.guard.message.ListedTools;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.Refusals;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.guard.message.VariableTools;
import dev.sluice.policy.Obligations;
import dev.sluice.store.StoreException;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What upstreams say, on its way to the client: labelled and recorded by the guard before it is passed on.
 */
final class UpstreamMessages implements Connection.Handler {

    private static final int MOST_PAGES = 1_000;

    /** How the keys of ids begin that Sluice gives itself. */
    private static final String OWN = "ssluice-";

    /** By which code a server of revision 2025-11-25 says that a person must open an address first. */
    private static final String MUST_OPEN = "-32042";

    private final Guard guard;
    private final AgentSession agent;
    private final ClientSide client;
    private final Consumer<String> answered;
    private final Log log;
    private final Consumer<String> ended;
    private final Observation observation;
    private final RequestedInputs requested;
    private final TaskCalls tasks;
    private final Map<String, Asked> asked = new ConcurrentHashMap<>();
    private final AtomicLong freshIds = new AtomicLong();
    private final Askers askers = new Askers(new Askers.Ways() {
        @Override
        public void ask(Connection from, RpcMessage.Request question, String call) {
            UpstreamMessages.this.ask(from, question, call);
        }

        @Override
        public Set<String> asked(Connection from, long before) {
            return askedBefore(from, before);
        }
    });
    private @Nullable InputRounds rounds;
    private final Set<String> toldOf = ConcurrentHashMap.newKeySet();

    /**
     * A request of an upstream that the client has not answered yet; the id and the token are the upstream's own.
     *
     * @param call the key of the client's request that it was asked in, or empty
     * @param since when it was asked, by {@link System#nanoTime}
     */
    record Asked(Connection connection, RpcId id, String method, String progressToken, String call, long since) {}

    UpstreamMessages(
            Guard guard,
            AgentSession agent,
            ClientSide client,
            Consumer<String> answered,
            Log log,
            Consumer<String> ended,
            Observation observation,
            RequestedInputs requested) {
        this.requested = requested;
        this.guard = guard;
        this.tasks = new TaskCalls(guard.taskRoom());
        this.agent = agent;
        this.client = client;
        this.answered = answered;
        this.log = log;
        this.ended = ended;
        this.observation = observation;
    }

    /** Says who sees to what servers ask in their answers. */
    void rounds(InputRounds rounds) {
        this.rounds = rounds;
    }

    /** Forgets what was only of use while the client was there. */
    void close() {
        tasks.forget();
    }

    private InputRounds rounds() {
        return Objects.requireNonNull(rounds, "the session is not begun");
    }

    @Override
    public Observation observation() {
        return observation;
    }

    /** Returns the upstream's request that the client answers with {@code id}, once. */
    Optional<Asked> take(RpcId id) {
        return Optional.ofNullable(asked.remove(id.key()));
    }

    /** Returns the lines on which something was asked under this token for progress, and is not answered yet. */
    List<Connection> askedUnder(String progressToken) {
        return asked.values().stream()
                .filter(one -> one.progressToken().equals(progressToken))
                .map(Asked::connection)
                .distinct()
                .toList();
    }

    @Override
    public void result(Connection from, Pending pending, RpcMessage.Result message) {
        switch (pending) {
            case Pending.Own own -> own.answer().complete(message);
            case Pending.Abandoned abandoned -> {}
            case Pending.Plain plain
            when RequestedInputs.asks(message.result().tree()) ->
                lost(from, plain, Refusals.asksInPlain(plain.method()), true);
            case Pending.Plain plain -> toClient(plain.clientId(), plain(from, plain, message));
            case Pending.Guarded guarded -> {
                from.subscribed(guarded.clientKey(), true);
                JsonNode result = message.result().tree();
                boolean resolved = guarded.ticket().method().equals(Methods.TOOLS_RESOLVE);
                if (resolved && !guard.isOffered(guarded.ticket(), result)) {
                    log.line("held back from `" + from.upstream().name()
                            + "`: an answer to `tools/resolve`, with another definition than the approved one");
                    lost(from, guarded, "it defines the tool otherwise than was approved", true);
                    return;
                }
                if (Methods.isOfTasks(guarded.ticket().method()) && guard.takesOut()) {
                    lost(from, guarded, "the policy takes parts out of answers now, and tasks are not served", true);
                    return;
                }
                JsonNode params = params(guarded);
                Released released =
                        guard.release(agent, said(new Outbound.Answer(guarded.ticket(), result), guarded, result));
                if (released.isCut() && RequestedInputs.asks(result)) {
                    toClient(guarded.clientId(), Refusals.ofQuestion(guarded.clientId(), guarded.ticket(), released));
                    return;
                }
                requested.asked(from.upstream().name(), guarded.ticket().method(), params, result);
                tasks.answered(guarded.ticket(), result, guarded.request().bytes().length);
                if (from.era() == Era.MODERN && RequestedInputs.asks(result) && InputRounds.canAsk(guarded.request())) {
                    rounds().begun(from, guarded, message);
                    return;
                }
                MessageEdits edits = new MessageEdits(message).mark(message.result(), released);
                if (Methods.isOfTasks(guarded.ticket().method())) {
                    edits.markOfTask(message.result(), released);
                }
                if (released.replacement().isEmpty()) {
                    edits.notCached(message.result(), released);
                }
                if (resolved && !released.isCut()) {
                    edits.text("/result/tool/name", guarded.clientName());
                }
                toClient(guarded.clientId(), edits.id(guarded.clientId()).apply());
            }
        }
    }

    private static JsonNode params(Pending.Guarded guarded) {
        return guarded.request().params().map(Value::tree).orElse(JsonNodeFactory.instance.missingNode());
    }

    /** What is said of a task may be the answer of a tool. */
    private Outbound said(Outbound said, Pending.Guarded guarded, JsonNode content) {
        Upstream upstream = guarded.ticket().upstream();
        String method = guarded.ticket().method();
        return Methods.isOfTasks(method) ? tasks.ofTask(said, upstream, method, params(guarded), content) : said;
    }

    /** Returns the name of the server that has a task, as far as that is known in this session. */
    Optional<String> serverOfTask(String id) {
        return tasks.server(id);
    }

    /** Returns whether a request is about a task that was made only by calls that do nothing but read. */
    boolean isOfRead(String server, JsonNode params) {
        return tasks.isOfRead(server, params);
    }

    /**
     * Returns whether a request on a task may go to a server: at one that can't tell sessions apart, whoever knows the name
     * of a task has it, so there only to those that were made in this session, and the list of all is nobody's.
     *
     * @param shared whether other sessions use the line too, or there are other servers
     */
    boolean mayHaveTask(RpcMessage.Request request, Connection at, boolean shared) {
        if (!shared && at.era() == Era.LEGACY) {
            return true;
        }
        if (request.method().equals(Methods.TASKS_LIST)) {
            return false;
        }
        String id = request.params().map(Value::tree).map(TaskCalls::id).orElse("");
        return serverOfTask(id).filter(at.upstream().name()::equals).isPresent();
    }

    private byte[] plain(Connection from, Pending.Plain pending, RpcMessage.Result message) {
        MessageEdits edits = new MessageEdits(message).id(pending.clientId());
        switch (pending.method()) {
            case Methods.INITIALIZE -> {
                from.handshake(message);
                handshake(from.upstream(), message, edits);
            }
            case Methods.TOOLS_LIST ->
                message.result()
                        .member("tools")
                        .filter(tools -> tools.kind() == Kind.ARRAY)
                        .ifPresent(tools -> {
                            Set<String> withheld = define(from, tools);
                            edits.withhold(tools, withheld);
                            boolean last = message.result().member("nextCursor").isEmpty();
                            List<byte[]> ours = last ? VariableTools.definitions(guard) : List.of();
                            edits.offer(tools, ours);
                            boolean edited = !withheld.isEmpty() || !ours.isEmpty();
                            if (edited && message.result().member("ttlMs").isPresent()) {
                                // What is offered changes also where the server's own list does not.
                                edits.edits()
                                        .setMember(message.result(), "ttlMs", "0".getBytes(StandardCharsets.UTF_8));
                            }
                            from.toolsListed(pending.definitions(), last && pending.first());
                        });
            default -> {}
        }
        return edits.strip(message.result()).apply();
    }

    /** Both extensions are declared, the revision is one that is served, and instructions are the approved ones. */
    void handshake(Upstream upstream, RpcMessage.Result message, MessageEdits edits) {
        Value result = message.result();
        edits.declareExtensions(result);
        result.member("protocolVersion")
                .filter(version -> version.kind() == Kind.STRING)
                .ifPresent(version -> edits.text("/result/protocolVersion", Revisions.spoken(version.string())));
        Optional<Value> instructions = result.member("instructions").filter(value -> value.kind() == Kind.STRING);
        if (instructions.isPresent() && !instructed(upstream, instructions.get().string())) {
            edits.edits().removeMember(result, "instructions");
        }
    }

    /** Returns whether the instructions of an upstream may be passed on, and says so where they may not. */
    boolean instructed(Upstream upstream, String instructions) {
        boolean approved = guard.instruct(agent, upstream, instructions);
        if (!approved) {
            log.line(
                    LogEvent.PIN_CHANGED,
                    "the instructions of `" + upstream.name() + "` changed since they were approved, and are held back;"
                            + " if you agree with them run `sluice pins accept " + upstream.name()
                            + "`, or write the digest anew where the policy pins them");
        }
        return approved;
    }

    void say(String line) {
        log.line(LogEvent.UPSTREAM_FAULT, line);
    }

    /** Takes note of the tools in a list, and returns the names of those that must not be offered. */
    Set<String> define(Connection from, Value tools) {
        Set<String> unsendable = from.mirrors(tools);
        if (!unsendable.isEmpty()) {
            log.line(
                    LogEvent.UPSTREAM_HELD_BACK,
                    "held back from `" + from.upstream().name() + "`: " + unsendable.size()
                            + " tools whose `x-mcp-header` can't be followed");
        }
        ListedTools listed = ListedTools.of(guard, agent, from.upstream(), tools);
        if (!listed.unapproved().isEmpty()) {
            log.line(
                    LogEvent.PIN_CHANGED,
                    "held back from `" + from.upstream().name() + "`: "
                            + listed.unapproved().size()
                            + " tools whose definition changed since it was approved, or that are more than"
                            + " `tools_per_server`; read them and run `sluice pins accept "
                            + from.upstream().name()
                            + "`, or write the digests anew where the policy pins them");
        }
        for (String name : listed.ours()) {
            log.line(
                    LogEvent.UPSTREAM_HELD_BACK,
                    "held back from `" + from.upstream().name() + "`: its tool `" + name
                            + "`, since that is the name of one of sluice's own");
        }
        if (unsendable.isEmpty()) {
            return listed.withheld();
        }
        Set<String> withheld = new TreeSet<>(listed.withheld());
        withheld.addAll(unsendable);
        return withheld;
    }

    /** Returns the tools that Sluice offers itself. */
    List<byte[]> ownTools() {
        return VariableTools.definitions(guard);
    }

    /** Asks an upstream for all its tools; one that does not answer has none that are known, and so the strict defaults. */
    void learnTools(Connection connection) {
        long since = connection.definitions();
        try {
            ObjectNode params = JsonNodeFactory.instance.objectNode();
            for (int page = 0; page < MOST_PAGES; page++) {
                if (!(connection.ask(Methods.TOOLS_LIST, params) instanceof RpcMessage.Result answer)) {
                    throw new IOException("the server `" + connection.upstream().name() + "` does not list its tools");
                }
                if (page == 0) {
                    connection.upstream().forget(); // what it listed before and does not now counts as unlisted
                }
                answer.result()
                        .member("tools")
                        .filter(tools -> tools.kind() == Kind.ARRAY)
                        .ifPresent(tools -> {
                            var _ = define(connection, tools);
                        });
                Optional<Value> cursor =
                        answer.result().member("nextCursor").filter(next -> next.kind() == Kind.STRING);
                if (cursor.isEmpty()) {
                    break;
                }
                params.put("cursor", cursor.get().string());
            }
        } catch (IOException e) {
            connection.upstream().forget();
            log.line(LogEvent.UPSTREAM_FAULT, e.getMessage() + "; its tools count as unknown");
        }
        connection.toolsListed(since, true);
    }

    @Override
    public void failure(Connection from, Pending pending, RpcMessage.Failure message) {
        switch (pending) {
            case Pending.Own own -> own.answer().complete(message);
            case Pending.Abandoned abandoned -> {}
            case Pending.Plain plain when from.refused(plain, () -> failed(from, plain, message)) -> {}
            case Pending.Plain plain -> failed(from, plain, message);
            case Pending.Guarded guarded -> {
                from.subscribed(guarded.clientKey(), false);
                Released released = guard.release(
                        agent,
                        said(
                                new Outbound.Failure(
                                        guarded.ticket(), message.error().tree()),
                                guarded,
                                JsonNodeFactory.instance.missingNode()));
                if (!released.isCut() && mustOpen(from, guarded, message)) {
                    return;
                }
                toClient(
                        guarded.clientId(),
                        new MessageEdits(message)
                                .take(message.error(), released.edits())
                                .id(guarded.clientId())
                                .apply());
            }
        }
    }

    /**
     * Where a server of revision 2025-11-25 wants a person to open addresses before the call is made again, which later ones
     * ask in an answer: returns whether the client is asked so.
     */
    private boolean mustOpen(Connection from, Pending.Guarded guarded, RpcMessage.Failure message) {
        if (!(client instanceof ModernFront front)
                || message.error()
                        .pointer("/code")
                        .filter(code -> code.raw().equals(MUST_OPEN))
                        .isEmpty()) {
            return false;
        }
        List<Value> addresses = message.error()
                .pointer("/data/elicitations")
                .filter(all -> all.kind() == Kind.ARRAY)
                .map(Value::elements)
                .orElse(List.of());
        if (addresses.isEmpty()
                || !addresses.stream().allMatch(UpstreamMessages::isAddress)
                || addresses.stream().anyMatch(each -> keepsBack(from, "elicitation/create", Optional.of(each)))) {
            return false;
        }
        String key = guarded.clientId().key();
        boolean taken = front.mustOpen(
                guarded.clientId(), addresses.stream().map(this::stripped).toList());
        if (taken) {
            answered.accept(key);
        }
        return taken;
    }

    /** Returns the parameters of a question without what only Sluice says, as JSON text. */
    private String stripped(Value params) {
        RpcMessage asking = RpcMessage.parse(RpcWriter.request(freshId(), "elicitation/create", params.raw()));
        MessageEdits edits = new MessageEdits(asking);
        asking.index().root().member("params").ifPresent(edits::strip);
        return RpcMessage.parse(edits.apply())
                .index()
                .root()
                .member("params")
                .map(Value::raw)
                .orElse("{}");
    }

    private static boolean isAddress(Value asked) {
        return asked.kind() == Kind.OBJECT
                && Stream.of("message", "url")
                        .allMatch(name -> asked.member(name)
                                .filter(text -> text.kind() == Kind.STRING)
                                .isPresent())
                && asked.member("mode")
                        .filter(mode ->
                                mode.kind() == Kind.STRING && mode.string().equals("url"))
                        .isPresent();
    }

    private void failed(Connection from, Pending.Plain plain, RpcMessage.Failure message) {
        // An error text is the server's, like any other text of it.
        Released released = guard.release(
                agent,
                new Outbound.Message(
                        from.upstream(), plain.method(), message.error().tree()));
        toClient(
                plain.clientId(),
                released.isCut()
                        ? RpcWriter.failure(plain.clientId(), RpcWriter.DENIED, "the policy keeps this error text back")
                        : new MessageEdits(message).id(plain.clientId()).apply());
    }

    @Override
    public void lost(Connection from, Pending pending, String why, boolean entered) {
        String text = lostOf(from.upstream().name()) + why;
        switch (pending) {
            case Pending.Own own -> own.answer().completeExceptionally(new IOException(text));
            case Pending.Abandoned abandoned -> {}
            case Pending.Plain plain ->
                toClient(plain.clientId(), RpcWriter.failure(plain.clientId(), RpcWriter.UPSTREAM_FAILED, text));
            case Pending.Guarded guarded -> {
                from.subscribed(guarded.clientKey(), false);
                if (entered) {
                    raise(guarded, why);
                }
                toClient(
                        guarded.clientId(),
                        guarded.ticket().method().equals(Methods.TOOLS_CALL)
                                ? RpcWriter.result(
                                        guarded.clientId(),
                                        RpcWriter.toolError(
                                                text + ". Whether it did anything is not known.",
                                                JsonNodeFactory.instance.objectNode()))
                                : RpcWriter.failure(guarded.clientId(), RpcWriter.UPSTREAM_FAILED, text));
            }
        }
    }

    /** Returns how a sentence begins that says why an answer of that server is lost. */
    static String lostOf(String server) {
        return "the server `" + server + "` gave no answer that can be passed on: ";
    }

    @Override
    public boolean isAsking(Connection from) {
        return asked.values().stream().anyMatch(one -> one.connection() == from)
                || rounds().isAsking(from)
                || askers.isHolding(from);
    }

    /** Lets something that a server asks into the session; returns whether the policy keeps it from the agent. */
    boolean keepsBack(Connection from, String method, Optional<Value> params) {
        return !Methods.isSilent(method, params, takesOut()) && isHeldBack(from, method, params);
    }

    private void raise(Pending.Guarded guarded, String why) {
        try {
            guard.release(agent, new Outbound.Lost(guarded.ticket(), why));
        } catch (SessionOver e) {
            // There is no label left to raise, and nothing more is done for the session.
        } catch (RuntimeException e) { // whatever it is, the client must get its answer
            log.fault(LogEvent.STATE_UNUSABLE, "the label of a lost answer can't be kept", e);
        }
    }

    @Override
    public void request(Connection from, RpcMessage.Request message, @Nullable RpcId stream) {
        if (client instanceof ModernFront && ParkedCalls.needsACall(message)) {
            askers.take(from, message, stream);
        } else {
            ask(from, message, from.oldestRequest());
        }
    }

    /** Returns the calls of a line whose clients were asked before that moment and have not answered, by their keys. */
    private Set<String> askedBefore(Connection from, long moment) {
        return asked.values().stream()
                .filter(one -> one.connection() == from && one.since() - moment < 0)
                .map(Asked::call)
                .collect(Collectors.toSet());
    }

    /** Asks the client what a server asks while its request of that key is open; an empty key is of none. */
    private void ask(Connection from, RpcMessage.Request message, String call) {
        if (asked.size() >= InFlight.MOST) {
            from.send(
                    RpcWriter.failure(message.id(), RpcWriter.INVALID_REQUEST, "too many requests have no answer yet"));
            return;
        }
        if (!Methods.isSilent(message.method(), message.params(), takesOut())) {
            try {
                if (isHeldBack(from, message.method(), message.params())) {
                    from.send(RpcWriter.failure(
                            message.id(), RpcWriter.DENIED, "the client's policy keeps this request back"));
                    return;
                }
            } catch (StoreException e) {
                log.fault(
                        LogEvent.STATE_UNUSABLE,
                        "a request of `" + from.upstream().name() + "` is held back",
                        e);
                from.send(RpcWriter.failure(message.id(), RpcWriter.DENIED, "the client can't take requests now"));
                return;
            }
        }
        // The upstream's own id stands unless another upstream's request has it, or one of ours could.
        RpcId id = message.id().key().startsWith(OWN) ? freshId() : message.id();
        Asked open = new Asked(
                from, message.id(), message.method(), ProxySession.progressToken(message), call, System.nanoTime());
        while (asked.putIfAbsent(id.key(), open) != null) {
            id = freshId();
        }
        MessageEdits edits = new MessageEdits(message).id(id);
        message.params().ifPresent(edits::strip);
        if (!client.send(edits.apply(), call) && take(id).isPresent()) {
            from.send(RpcWriter.failure(message.id(), RpcWriter.UPSTREAM_FAILED, "the client does not take requests"));
        }
    }

    private RpcId freshId() {
        return RpcId.ofText("sluice-s" + freshIds.incrementAndGet());
    }

    /** Of requests that are all of one client with a handshake, none needs to be told from the others. */
    private static Optional<String> theOne(List<String> requests) {
        return requests.size() == 1 || requests.stream().noneMatch(ModernFront::isModern)
                ? Optional.of(requests.get(0))
                : Optional.empty();
    }

    @Override
    public void settled(Connection from) {
        askers.settled(from);
    }

    @Override
    public void notification(Connection from, RpcMessage.Notification message, @Nullable RpcId stream) {
        switch (message.method()) {
            case Methods.TOOLS_CHANGED -> from.toolsChanged();
            case Methods.CANCELLED -> {
                cancelled(from, message);
                return;
            }
            default -> {}
        }
        if (!Methods.isSilent(message.method(), message.params(), takesOut())
                && isHeldBack(from, message.method(), message.params())) {
            return;
        }
        MessageEdits edits = new MessageEdits(message);
        message.params().ifPresent(edits::strip);
        told(from, message, stream).ifPresent(request -> client.send(edits.apply(), request));
    }

    /** Returns the client's request that a notification belongs to; empty where that may be another person's. */
    private Optional<String> told(Connection from, RpcMessage.Notification message, @Nullable RpcId stream) {
        if (!(client instanceof ModernFront) || !message.method().equals(Methods.MESSAGE)) {
            return Optional.of(requestOf(from, message));
        }
        if (stream != null) {
            return from.sent(stream).map(sent -> sent.pending().clientKey());
        }
        List<String> open = from.requests();
        return open.isEmpty() ? Optional.of("") : theOne(open);
    }

    /** An upstream takes a request of its own back: the client knows it by the id that was given to it. */
    private void cancelled(Connection from, RpcMessage.Notification message) {
        Optional<Value> named = message.index().root().pointer("/params/requestId");
        named.filter(id -> RpcMessage.idIn(id).isPresent()).ifPresent(requestId -> {
            String key = RpcMessage.id(requestId).key();
            if (askers.withdrawn(from, RpcMessage.id(requestId))) {
                return; // nobody was asked
            }
            for (Map.Entry<String, Asked> entry : Map.copyOf(asked).entrySet()) {
                Asked one = entry.getValue();
                if (one.connection() == from
                        && one.id().key().equals(key)
                        && asked.remove(entry.getKey(), one)) { // else the line counts as waiting for good
                    MessageEdits edits = new MessageEdits(message);
                    if (takesOut()) {
                        // It must arrive, but why is told in words of the server's own.
                        message.params()
                                .ifPresent(params -> params.members().stream()
                                        .map(JsonIndex.Member::name)
                                        .filter(name -> !name.equals("requestId"))
                                        .forEach(name -> edits.edits().removeMember(params, name)));
                    }
                    if (!entry.getKey().equals(one.id().key())) {
                        edits.edits()
                                .replace(
                                        requestId,
                                        RpcId.ofText(entry.getKey().substring(1))
                                                .bytes());
                    }
                    client.send(edits.apply(), from.oldestRequest());
                }
            }
        });
    }

    /** Returns whether the policy keeps anything from agents. */
    private boolean takesOut() {
        Obligations obligations = guard.policy().obligations();
        return obligations.hiding().isConfigured() || !obligations.redactions().isEmpty();
    }

    /** Lets a message of an upstream into the session, unless the policy takes out what has its label. */
    private boolean isHeldBack(Connection from, String method, Optional<Value> params) {
        JsonNode content = params.map(Value::tree).orElse(JsonNodeFactory.instance.missingNode());
        Outbound said = new Outbound.Message(from.upstream(), method, content);
        boolean ofTask = Methods.tellsOfTask(method);
        boolean heldBack = ofTask && takesOut(); // as requests on tasks are refused
        if (!heldBack) {
            if (ofTask) {
                said = tasks.ofTask(said, from.upstream(), method, content, content);
                requested.askedInTask(from.upstream().name(), content);
            }
            heldBack = guard.release(agent, said).isCut();
        }
        if (heldBack && toldOf.add(from.upstream().name())) {
            log.line(
                    LogEvent.UPSTREAM_HELD_BACK,
                    "messages of `" + from.upstream().name() + "` are held back, as the policy says of their label");
        }
        return heldBack;
    }

    private static String requestOf(Connection from, RpcMessage.Notification message) {
        return message.index()
                .root()
                .pointer("/params/progressToken")
                .map(token -> from.requestOfToken(token.raw()))
                .filter(key -> !key.isEmpty())
                .orElseGet(from::oldestRequest);
    }

    @Override
    public void ended(Connection from, String why) {
        asked.values().removeIf(one -> one.connection() == from);
        askers.ended(from);
        ended.accept(why);
    }

    void toClient(RpcId id, byte[] message) {
        answered.accept(id.key());
        client.answer(message, id.key());
    }
}
