// This file has more than 400 lines because all kinds of message meet here, each with a short way through.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.telemetry.Outcome;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.Admission;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.SessionOver;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.client.RequestedInputs.Answers;
import dev.sluice.guard.client.RequestedInputs.Given;
import dev.sluice.guard.client.TaskCalls;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.Refusals;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.guard.message.VariableTools;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One client session: what the client says, on its way to the upstreams.
 *
 * <p>Messages are handled in the order in which they come, on the thread that brings them; only a call that must first
 * learn its tool's definition waits elsewhere, and what comes after it for the same upstream waits with it. What upstreams
 * say is handled by {@link UpstreamMessages}.
 */
public final class ProxySession implements AutoCloseable {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final String ROOTS_DENIED = "the client's roots hold files that no server may have";

    private final Guard guard;
    private final AgentSession agent;
    private final ClientSide client;
    private final Log log;
    private final Endpoint endpoint;
    private final UpstreamMessages upstreamMessages;
    private final Asking asking;
    private final InputRounds rounds;
    private final RoundTrips roundTrips;
    private final RequestedInputs requested = new RequestedInputs();
    private final Observation observation;
    private final InFlight inFlight = new InFlight();
    private final Predicate<String> forbiddenRoot;
    private volatile BiFunction<RpcMessage.Request, JsonNode, Optional<String>> headers =
            (call, schema) -> Optional.empty();
    private volatile boolean closed;

    private ProxySession(
            Guard guard,
            AgentSession agent,
            ClientSide client,
            Log log,
            Consumer<String> ended,
            Predicate<String> forbiddenRoot,
            Endpoint.Maker endpoint,
            JsonNode resumed,
            Watch watch) {
        this.observation = watch.isOn() ? new Observation(watch) : Observation.NONE;
        this.observation.handshake(resumed);
        this.forbiddenRoot = forbiddenRoot;
        this.guard = guard;
        this.agent = agent;
        this.client = client;
        this.log = log;
        this.upstreamMessages =
                new UpstreamMessages(guard, agent, client, this::answered, log, ended, observation, requested);
        this.roundTrips = new RoundTrips(guard, agent, log);
        this.asking = new Asking(guard, agent, client, log, resumed);
        this.rounds = new InputRounds(client, upstreamMessages, this::again, inFlight::contains, log, resumed);
        upstreamMessages.rounds(rounds);
        this.endpoint = endpoint.make(upstreamMessages);
    }

    /**
     * Returns a session with one upstream that the client shakes hands with itself: what {@code sluice run} does.
     *
     * @param ended told when the upstream is gone, and why
     * @param forbiddenRoot which roots no server may be given: those that hold Sluice's own files
     * @throws IOException where the upstream can't be started
     */
    public static ProxySession direct(
            Guard guard,
            AgentSession agent,
            ClientSide client,
            Log log,
            Consumer<String> ended,
            Predicate<String> forbiddenRoot,
            Server server,
            Watch watch)
            throws IOException {
        UpstreamLink link = server.links().link(agent.principal());
        ProxySession session = new ProxySession(
                guard,
                agent,
                client,
                log,
                ended,
                forbiddenRoot,
                messages -> new DirectEndpoint(server, guard.connect(server.policy()), link, messages, log),
                JSON.missingNode(),
                watch);
        session.endpoint.start();
        return session;
    }

    /**
     * Returns a session with any number of upstreams behind one endpoint, each started when it is first needed.
     *
     * @param forbiddenRoot which roots no server may be given
     * @param servers the upstreams
     * @param resumed the parameters of the client's {@code initialize} where it was answered before, or what stands for them
     *     where clients say such things with every request, as {@link ModernFront#handshake} has it; a missing node for a
     *     new client
     */
    public static ProxySession shared(
            Guard guard,
            AgentSession agent,
            ClientSide client,
            Log log,
            Predicate<String> forbiddenRoot,
            List<Server> servers,
            JsonNode resumed,
            Watch watch) {
        return new ProxySession(
                guard,
                agent,
                client,
                log,
                why -> {},
                forbiddenRoot,
                messages -> new SharedEndpoint(
                        servers, guard, agent.principal(), messages, log, resumed, client instanceof ModernFront),
                resumed,
                watch);
    }

    /** Returns whether these parameters of {@code initialize} can begin a session. */
    public static boolean isHandshake(JsonNode parameters) {
        return parameters.path("protocolVersion").isString()
                && parameters.path("capabilities").isObject();
    }

    /** Returns the input schema of the tool that clients know by that name, where arguments of it stand in headers too. */
    Optional<JsonNode> mirrored(String tool) {
        return endpoint.mirrored(tool);
    }

    /** Says how the headers that a call came with are compared with its arguments, by its tool's schema. */
    void headers(BiFunction<RpcMessage.Request, JsonNode, Optional<String>> mismatch) {
        headers = mismatch;
    }

    /** Takes one message of the client. A text that is no message is answered, not thrown. */
    public void fromClient(byte[] text) {
        read(text, client, log).ifPresent(this::fromClient);
    }

    /** Returns the message that a text of a client is; where it is none, the client is told why. */
    public static Optional<RpcMessage> read(byte[] text, ClientSide client, Log log) {
        try {
            return Optional.of(RpcMessage.parse(text));
        } catch (MalformedJsonException e) {
            client.send(RpcWriter.failureWithoutId(RpcWriter.PARSE_ERROR, String.valueOf(e.getMessage())), "");
        } catch (InvalidMessageException e) {
            if (e.isAnswer()) {
                log.line(LogEvent.CLIENT_SKIPPED, "skipped from the client: " + e.getMessage());
            } else {
                client.send(RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, String.valueOf(e.getMessage())), "");
            }
        }
        return Optional.empty();
    }

    /** Takes a message of a client that was too long to keep: what it asked is refused. */
    public static void tooLong(MessageLines.TooLong line, ClientSide client, Log log) {
        String why = "the message has " + line.bytes() + " bytes, more than the limit";
        Optional<RpcId> id = line.answers().ofRequest();
        if (id.isPresent()) {
            client.answer(
                    RpcWriter.failure(id.get(), RpcWriter.INVALID_REQUEST, why),
                    id.get().key());
        } else {
            log.line(LogEvent.CLIENT_SKIPPED, "skipped from the client: " + why);
        }
    }

    /** Takes one message of the client. */
    public void fromClient(RpcMessage message) {
        switch (message) {
            case RpcMessage.Request request -> request(request);
            case RpcMessage.Notification notification -> notification(notification);
            case RpcMessage.Result result -> answer(message, result.id(), result.result());
            case RpcMessage.Failure failure -> answer(message, failure.id(), failure.error());
        }
    }

    private void request(RpcMessage.Request request) {
        if (closed) {
            refuse(request, RpcWriter.UPSTREAM_FAILED, "the server is gone; start a new session");
            return;
        }
        switch (inFlight.enter(request)) {
            case ID_IN_USE -> {
                refuse(request, RpcWriter.INVALID_REQUEST, "the id is in use by a request that has no answer yet");
                return;
            }
            case TOO_MANY -> {
                refuse(request, RpcWriter.INVALID_REQUEST, "too many requests have no answer yet; wait for some");
                return;
            }
            case ADMITTED -> {}
        }
        observation.began(request);
        if (request.method().equals(Methods.INITIALIZE)) {
            request.params().ifPresent(params -> {
                asking.handshake(params.tree());
                rounds.handshake(params.tree());
                observation.handshake(params.tree());
            });
        }
        carefully(request, () -> {
            if (request.method().equals(Methods.DISCOVER)) {
                discover(request);
            } else if (Methods.isOfTasks(request.method()) && guard.takesOut()) {
                // The answer of a tool comes under another name there, to which no word on that tool applies.
                fail(request, RpcWriter.DENIED, "tasks are not served while the policy takes parts out of answers");
            } else if (Methods.isPlainRequest(request.method())
                    && !RequestedInputs.places(params(request)).isEmpty()) {
                fail(
                        request,
                        RpcWriter.INVALID_PARAMS,
                        "requests of this method hold no answers: leave out `inputResponses` and `requestState`");
            } else if (Methods.isPlainRequest(request.method())) {
                endpoint.plain(request, this::toClient);
            } else {
                guarded(request);
            }
        });
    }

    /** The revision that has this method comes without {@code initialize}; a client that does not speak it falls back to that. */
    private void discover(RpcMessage.Request request) {
        if (endpoint instanceof SharedEndpoint && RequestMeta.of(request).isPresent()) {
            endpoint.plain(request, this::toClient);
        } else {
            fail(request, RpcWriter.METHOD_NOT_FOUND, "method not found: begin with `initialize`");
        }
    }

    /** Does {@code work} for a request, on whatever thread: a fault is logged, and the request is answered all the same. */
    private void carefully(RpcMessage.Request request, Runnable work) {
        try {
            work.run();
        } catch (SessionOver e) {
            fail(request, RpcWriter.UPSTREAM_FAILED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            log.fault(LogEvent.CALL_FAULT, "handling `" + shown(request.method()) + "` failed", e);
            fail(request, RpcWriter.UPSTREAM_FAILED, "handling the request failed; the log of sluice says why");
        }
    }

    /** A request that carries data: to its upstream if the guard admits it. */
    private void guarded(RpcMessage.Request request) {
        Optional<byte[]> own = VariableTools.answer(guard, agent, request);
        if (own.isPresent()) {
            toClient(request.id(), own.get());
            return;
        }
        switch (roundTrips.back(request)) {
            case RoundTrips.Nothing nothing -> guarded(request, server -> given(server, request), asking.end(), true);
            case RoundTrips.Unusable unusable -> fail(request, RpcWriter.INVALID_PARAMS, unusable.why());
            case RoundTrips.Answered back -> {
                if (inFlight.replace(request, back.request())) {
                    guarded(
                            back.request(),
                            server -> known(server, back.server(), back.given(), back.loan(), back.request()),
                            asking.end(),
                            back.asks());
                }
            }
        }
    }

    /** Makes a request again, with what its server asked for: it is judged as if it were another. */
    private boolean again(RpcMessage.Request before, RpcMessage.Request next) {
        boolean waits = inFlight.replace(before, next);
        if (waits) {
            carefully(next, () -> guarded(next, server -> given(server, next), asking.end(), true));
        }
        return waits;
    }

    /**
     * A request that carries data, until it is decided.
     *
     * @param server where it goes
     * @param given what it holds of the client's answers to what that server asked, since 2026-07-28
     * @param loan names what those answer, until the request is made or not
     * @param askedUntil until when it may wait for a person's answer
     * @param asks whether a person may be asked through the client, or waited for
     */
    private record Wanted(
            RpcMessage.Request request, String server, List<Given> given, String loan, long askedUntil, boolean asks) {}

    private Answers given(String server, RpcMessage.Request request) {
        return requested.given(server, request.method(), params(request));
    }

    private static JsonNode params(RpcMessage.Request request) {
        return request.params().map(Value::tree).orElse(JSON.missingNode());
    }

    /**
     * Looks up where a request goes, and lets it go there if the guard admits it.
     *
     * @param given tells of a server what the request holds of answers to that
     */
    private void guarded(RpcMessage.Request request, Function<String, Answers> given, long askedUntil, boolean asks) {
        switch (endpoint.route(request)) {
            case Endpoint.Route route -> {
                String server = route.connection().upstream().name();
                Answers answers = given.apply(server);
                guarded(new Wanted(request, server, answers.given(), answers.loan(), askedUntil, asks), route);
            }
            case Endpoint.Away away -> away(request, away.why());
            case Endpoint.Nowhere nowhere
            when request.method().equals(Methods.TASKS_LIST) ->
                fail(request, RpcWriter.METHOD_NOT_FOUND, TaskCalls.NOT_LISTED);
            case Endpoint.Nowhere nowhere when Methods.isOfTasks(request.method()) -> noTask(request);
            case Endpoint.Nowhere nowhere -> {
                boolean named = Methods.namesSomething(request.method());
                fail(
                        request,
                        named ? RpcWriter.INVALID_PARAMS : RpcWriter.METHOD_NOT_FOUND,
                        named ? "no server here has what the request names; list first" : "method not found");
            }
        }
    }

    /** Whoever does not know of tasks is told that first, as their extension says. */
    private void noTask(RpcMessage.Request request) {
        if (RequestMeta.of(request)
                .filter(meta -> !meta.extendsBy(TaskCalls.EXTENSION))
                .isEmpty()) {
            fail(request, RpcWriter.INVALID_PARAMS, TaskCalls.UNKNOWN);
            return;
        }
        observation.settled(request, Outcome.ERROR, Integer.toString(RpcWriter.CAPABILITY_MISSING));
        ObjectNode data = JSON.objectNode();
        data.putObject("requiredCapabilities").putObject("extensions").putObject(TaskCalls.EXTENSION);
        toClient(
                request.id(),
                RpcWriter.failure(
                        request.id(),
                        RpcWriter.CAPABILITY_MISSING,
                        "requests about tasks are for clients that declare the extension `" + TaskCalls.EXTENSION + "`",
                        data));
    }

    /** A model must be able to read that a tool can't be had now. */
    private void away(RpcMessage.Request request, String why) {
        if (request.method().equals(Methods.TOOLS_CALL)) {
            observation.settled(request, Outcome.ERROR, "");
            toClient(request.id(), RpcWriter.result(request.id(), RpcWriter.toolError(why, JSON.objectNode())));
        } else {
            fail(request, RpcWriter.UPSTREAM_FAILED, why);
        }
    }

    private void guarded(Wanted wanted, Endpoint.Route route) {
        RpcMessage.Request request = wanted.request();
        // Learning the tools waits for the upstream, which may itself wait for an answer of the client.
        BooleanSupplier mustLearn = () ->
                Methods.isOfOneTool(request.method()) && !route.connection().toolsKnown();
        Runnable learnAndAdmit = () -> {
            if (mustLearn.getAsBoolean()) {
                upstreamMessages.learnTools(route.connection());
            }
            admit(wanted, route);
        };
        boolean taken = route.connection()
                .lane()
                .run(
                        request.bytes().length,
                        mustLearn,
                        () -> carefully(request, learnAndAdmit),
                        () -> carefully(request, () -> admit(wanted, route)));
        if (!taken) {
            requested.notMade(wanted.loan());
            away(
                    request,
                    "too much waits for the tools of `"
                            + route.connection().upstream().name() + "` to be known; send it again later");
        }
    }

    private void admit(Wanted wanted, Endpoint.Route route) {
        RpcMessage.Request request = wanted.request();
        Optional<String> differs = request.method().equals(Methods.TOOLS_CALL)
                ? route.connection().mirrored(route.name()).flatMap(schema -> headers.apply(request, schema))
                : Optional.empty();
        if (differs.isPresent()) {
            requested.notMade(wanted.loan());
            fail(request, Discovery.HEADERS_DIFFER, differs.get());
            return;
        }
        if (wanted.given().isEmpty()) {
            admitCall(wanted, route);
            return;
        }
        if (wanted.given().stream().anyMatch(each -> givesForbiddenRoot(each.answer()))) {
            requested.notMade(wanted.loan());
            withheldRoots(route.connection());
            fail(request, RpcWriter.DENIED, ROOTS_DENIED);
            return;
        }
        var _ = refusal(wanted.given(), route.connection())
                .thenAccept(refused -> carefully(request, () -> {
                    if (!inFlight.contains(request)) {
                        requested.notMade(wanted.loan()); // taken back while it was decided
                        return;
                    }
                    refused.ifPresentOrElse(denial -> deny(wanted, denial), () -> admitCall(wanted, route));
                }));
    }

    /** Each answer to what a server asked is a send to that, judged by what was asked. */
    private CompletionStage<Optional<Denial>> refusal(List<Given> given, Connection connection) {
        CompletionStage<Optional<Denial>> refused = CompletableFuture.completedFuture(Optional.empty());
        for (Given each : given) {
            Inbound inbound = new Inbound.Answer(connection.upstream(), each.method(), each.answer());
            refused = refused.thenCompose(before -> before.isPresent()
                    ? CompletableFuture.completedFuture(before)
                    : guard.admit(agent, inbound).thenApply(admission -> {
                        observation.decided(each.method(), Optional.empty(), connection, admission, guard);
                        return admission instanceof Admission.Refused no ? Optional.of(no.denial()) : Optional.empty();
                    }));
        }
        return refused;
    }

    private void admitCall(Wanted wanted, Endpoint.Route route) {
        RpcMessage.Request request = wanted.request();
        Inbound inbound = inbound(request, route, params(request));
        var _ = guard.admit(agent, inbound)
                .thenAccept(admission -> carefully(request, () -> {
                    if (!inFlight.contains(request)) {
                        requested.notMade(wanted.loan());
                        return; // taken back while it was decided; its id may be another's by now
                    }
                    observation.decided(request, route, admission, guard);
                    switch (admission) {
                        case Admission.Admitted admitted -> {
                            requested.wasMade(wanted.loan());
                            forward(request, route, admitted.ticket());
                        }
                        case Admission.Refused refused -> refused(wanted, refused.denial());
                    }
                }));
    }

    /** What is refused may wait for a person, or be asked about in its own answer. */
    private void refused(Wanted wanted, Denial denial) {
        RpcMessage.Request request = wanted.request();
        if (!wanted.asks()) {
            deny(wanted, denial);
            return;
        }
        Optional<byte[]> asked = roundTrips.ask(request, denial, wanted.server(), wanted.given(), wanted.loan());
        if (asked.isPresent()) {
            toClient(request.id(), asked.get());
            return;
        }
        boolean waits = asking.await(
                request,
                denial,
                wanted.askedUntil(),
                () -> inFlight.contains(request),
                // Anew: the line may be gone by then, and must not use up the approval, which is good for one call.
                () -> carefully(request, () -> anew(wanted)),
                () -> deny(wanted, denial));
        if (!waits) {
            deny(wanted, denial);
        }
    }

    private void anew(Wanted wanted) {
        guarded(
                wanted.request(),
                server -> known(server, wanted.server(), wanted.given(), wanted.loan(), wanted.request()),
                wanted.askedUntil(),
                true);
    }

    /** What was asked by one server is not known to another. */
    private Answers known(String server, String asked, List<Given> given, String loan, RpcMessage.Request request) {
        if (server.equals(asked)) {
            return new Answers(given, loan);
        }
        requested.notMade(loan);
        return new Answers(RequestedInputs.places(params(request)), "");
    }

    private Inbound inbound(RpcMessage.Request request, Endpoint.Route route, JsonNode params) {
        Connection connection = route.connection();
        return switch (request.method()) {
            case Methods.TOOLS_CALL ->
                new Inbound.ToolCall(
                        connection.upstream(),
                        route.name(),
                        params.path("arguments"),
                        RequestAnnotations.decode(params).value(),
                        connection.resolvesTools() ? new Resolver(request, connection, route.name(), log) : null);
            case Methods.TOOLS_RESOLVE ->
                new Inbound.Resolve(connection.upstream(), route.name(), params.path("arguments"));
            default ->
                new Inbound.Request(
                        connection.upstream(),
                        request.method(),
                        RequestMeta.judged(params),
                        upstreamMessages.isOfRead(connection.upstream().name(), params));
        };
    }

    private void forward(RpcMessage.Request request, Endpoint.Route route, Ticket ticket) {
        if (!inFlight.contains(request)) {
            return; // taken back while it was decided
        }
        MessageEdits edits = MessageEdits.toServer(request).expand(ticket.expanded());
        ticket.told().ifPresent(told -> request.params().ifPresent(params -> edits.tell(params, told)));
        if (!route.pointer().isEmpty()) {
            edits.text(route.pointer(), route.name());
        }
        observation
                .traceparent(request, route, ticket)
                .ifPresent(parent -> request.params().ifPresent(params -> edits.trace(params, parent)));
        Connection connection = route.connection();
        connection.adapt(request, edits);
        boolean watches = Methods.isOfWatching(request.method());
        boolean isKept = connection.watches(
                request.method(), watches ? uri(request) : "", request.id().key());
        if (connection.era() == Era.MODERN && watches) {
            if (!isKept) {
                fail(
                        request,
                        RpcWriter.INVALID_REQUEST,
                        "no more can be watched at this server: unsubscribe from something first");
                return;
            }
            // Such a server tells what it is listened to for, and the client hears of it as of any other.
            connection.listen(() -> carefully(request, () -> watched(request)));
            return;
        }
        RpcId id = rounds.isAgain(request) ? connection.freshId() : connection.idFor(request.id());
        connection.request(
                id,
                edits.id(id).apply(),
                new Pending.Guarded(request.id(), ticket, progressToken(request), named(request), request));
        if (!inFlight.contains(request)) {
            // Taken back between that look and the line, so that nobody there heard of it.
            route.connection().takeBack(request.id().key());
        }
    }

    private void watched(RpcMessage.Request request) {
        if (inFlight.contains(request)) {
            observation.settled(request, Outcome.OK, "");
            toClient(request.id(), RpcWriter.result(request.id(), JSON.objectNode()));
        }
    }

    private void notification(RpcMessage.Notification notification) {
        if (notification.method().equals(Methods.CANCELLED)) {
            cancel(notification);
            return;
        }
        for (Connection connection : receivers(notification)) {
            if (!connection.lane().run(notification.bytes().length, () -> notify(connection, notification))) {
                dropped(notification, connection, "too much waits to go there");
            }
        }
    }

    /** Progress is for the server that asked; without a question that is open it may be of a task, of any of them. */
    private List<Connection> receivers(RpcMessage.Notification notification) {
        if (notification.method().equals(Methods.PROGRESS)) {
            List<Connection> asking = notification
                    .index()
                    .root()
                    .pointer("/params/progressToken")
                    .map(token -> upstreamMessages.askedUnder(token.raw()))
                    .orElse(List.of());
            if (!asking.isEmpty()) {
                return asking;
            }
        }
        return endpoint.receivers(notification.method());
    }

    private void notify(Connection connection, RpcMessage.Notification notification) {
        if (Methods.isPlainNotification(notification.method())) {
            connection.tell(notification);
            return;
        }
        JsonNode params = notification.params().map(Value::tree).orElse(JSON.missingNode());
        Inbound inbound = new Inbound.Request(connection.upstream(), notification.method(), params);
        var _ = guard.admit(agent, inbound).thenAccept(admission -> {
            observation.decided(notification.method(), notification.params(), connection, admission, guard);
            if (admission instanceof Admission.Admitted) {
                connection.tell(notification);
            } else {
                dropped(notification, connection, "it would carry what this server may not have");
            }
        });
    }

    private void dropped(RpcMessage.Notification notification, Connection connection, String why) {
        log.line(
                LogEvent.NOTIFICATION_DROPPED,
                "dropped `" + shown(notification.method()) + "` on its way to `"
                        + connection.upstream().name() + "`: " + why);
    }

    /** A cancellation goes only to the upstream that has the request, under the id by which that knows it. */
    private void cancel(RpcMessage.Notification notification) {
        Optional<Value> requestId = notification.index().root().pointer("/params/requestId");
        Optional<RpcId> named = requestId.flatMap(RpcMessage::idIn);
        if (requestId.isEmpty() || named.isEmpty()) {
            return;
        }
        String key = named.get().key();
        if (!inFlight.leave(key)) {
            return; // answered meanwhile, or never asked
        }
        observation.over(key, Outcome.CANCELLED);
        rounds.over(key);
        for (Connection connection : endpoint.connections()) {
            connection.abandon(key).ifPresent(id -> {
                MessageEdits edits = new MessageEdits(notification);
                if (!key.equals(id.key())) {
                    edits.edits().replace(requestId.get(), id.bytes());
                }
                connection.send(edits.apply());
            });
        }
        client.finish(key);
    }

    /** The client's answer to a request of an upstream: a send to that upstream. */
    private void answer(RpcMessage message, RpcId id, Value content) {
        if (asking.take(id, message instanceof RpcMessage.Result ? content.tree() : null)) {
            return;
        }
        if (rounds.take(message, id, content)) {
            return;
        }
        Optional<UpstreamMessages.Asked> found = upstreamMessages.take(id);
        if (found.isEmpty()) {
            log.line(LogEvent.CLIENT_SKIPPED, "skipped from the client: an answer to nothing that was asked");
            return;
        }
        UpstreamMessages.Asked asked = found.get();
        Connection connection = asked.connection();
        MessageEdits edits = new MessageEdits(message).id(asked.id());
        if (asked.method().equals(Methods.PING)) {
            connection.send(edits.strip(content).apply());
            return;
        }
        if (asked.method().equals("roots/list") && givesForbiddenRoot(content.tree())) {
            withheldRoots(connection);
            connection.send(RpcWriter.failure(asked.id(), RpcWriter.DENIED, ROOTS_DENIED));
            return;
        }
        Inbound inbound = new Inbound.Answer(connection.upstream(), asked.method(), content.tree());
        var _ = guard.admit(agent, inbound).thenAccept(admission -> {
            observation.decided(asked.method(), Optional.empty(), connection, admission, guard);
            connection.send(
                    switch (admission) {
                        case Admission.Admitted admitted -> answered(asked, edits, content);
                        case Admission.Refused refused -> {
                            log.line(
                                    LogEvent.CALL_DENIED,
                                    "denied the answer to `" + shown(asked.method()) + "` ("
                                            + refused.denial().code() + ")",
                                    ": " + refused.denial().toHuman());
                            yield refused(asked);
                        }
                    });
        });
    }

    /** An upstream that asked must get an answer, also where that can't be made. */
    private byte[] answered(UpstreamMessages.Asked asked, MessageEdits edits, Value content) {
        try {
            return edits.strip(content).apply();
        } catch (RuntimeException e) {
            log.fault(LogEvent.CALL_FAULT, "passing the answer to `" + shown(asked.method()) + "` on failed", e);
            return refused(asked);
        }
    }

    private static byte[] refused(UpstreamMessages.Asked asked) {
        return RpcWriter.failure(asked.id(), RpcWriter.DENIED, "the client's policy does not let this answer out");
    }

    private void withheldRoots(Connection connection) {
        log.line(
                LogEvent.CLIENT_ROOTS_WITHHELD,
                "the client's roots hold sluice's own state or policy, so `"
                        + connection.upstream().name()
                        + "` is not told them; put the state elsewhere with `--state`");
    }

    private boolean givesForbiddenRoot(JsonNode answer) {
        return answer.path("roots").values().stream()
                .map(root -> root.path("uri"))
                .anyMatch(uri -> uri.isString() && forbiddenRoot.test(uri.asString()));
    }

    private void deny(Wanted wanted, Denial denial) {
        RpcMessage.Request request = wanted.request();
        requested.notMade(wanted.loan());
        // Who would have received it stands in a detail: that is of the call's arguments.
        log.line(
                LogEvent.CALL_DENIED,
                "denied `" + shown(request.method()) + "` (" + denial.code() + ")",
                ": " + denial.toHuman());
        observation.settled(request, Outcome.DENIED, "");
        toClient(request.id(), Refusals.of(request, denial));
    }

    private void fail(RpcMessage.Request request, int code, String message) {
        observation.settled(request, Outcome.ERROR, Integer.toString(code));
        toClient(request.id(), RpcWriter.failure(request.id(), code, message));
    }

    /** Answers a request that never was in flight. */
    private void refuse(RpcMessage.Request request, int code, String message) {
        client.answer(
                RpcWriter.failure(request.id(), code, message), request.id().key());
    }

    private void toClient(RpcId id, byte[] answer) {
        answered(id.key());
        client.answer(answer, id.key());
    }

    private void answered(String key) {
        rounds.over(key);
        if (inFlight.leave(key)) {
            observation.over(key, Outcome.OK);
        }
    }

    /** Waits until every request has its answer, for {@code millis} at most: a client may ask and then say no more. */
    public void drain(long millis) {
        inFlight.drain(millis);
    }

    /** Returns by what name the client asks; empty where it names nothing. */
    private static String named(RpcMessage.Request request) {
        return request.params()
                .flatMap(params -> params.pointer("/name"))
                .filter(name -> name.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }

    private static String uri(RpcMessage.Request request) {
        return request.params()
                .flatMap(params -> params.pointer("/uri"))
                .filter(uri -> uri.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }

    /** Returns the client's token for progress, as JSON text; empty where it wants none. */
    static String progressToken(RpcMessage.Request request) {
        return request.params()
                .flatMap(params -> params.pointer("/_meta/progressToken"))
                .map(Value::raw)
                .orElse("");
    }

    private static String shown(String method) {
        return method.length() > 80 || !method.chars().allMatch(c -> c > 0x20 && c < 0x7f) ? "a method" : method;
    }

    @Override
    public void close() {
        closed = true;
        asking.close();
        rounds.close();
        endpoint.close();
        upstreamMessages.close();
        observation.close();
    }
}
