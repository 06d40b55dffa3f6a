// This file has more than 400 lines because all that passes a front stands here, both ways, each kind in a few lines.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.BodyBudget;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.gateway.transport.ModernSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.ParamHeaders;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.store.Session;
import dev.sluice.store.StoreException;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The front that modern clients meet: it stands between their transport and a {@link ProxySession}, and puts what they say,
 * and what is said to them, into the form that the other side knows.
 *
 * <p>Requests pass as they are, under ids of this front's own, so that clients of one session need not know of each other.
 * Answers get what every modern answer has. What a server says beside answers reaches a client only where the revision
 * lets it: with the request that it belongs to, or on a stream that listens for it, as {@link Listens} says; what a legacy
 * server asks, in an answer, as {@link ParkedCalls} says.
 *
 * <p>A client over stdio may turn to {@code initialize} after it began as a modern one. From then on what is of no modern
 * request passes both ways as it is.
 *
 * <p>Source: MCP revision 2026-07-28.
 */
public final class ModernFront implements ClientSide, ModernSide, AutoCloseable {

    /** How the ids begin that are given here; no client's own may. */
    static final String PREFIX = "modern-";

    private static final String OWN = PREFIX + "own-";

    /** What is no method any more. */
    private static final Set<String> REMOVED = Set.of(
            Methods.INITIALIZE,
            Methods.PING,
            Methods.SET_LEVEL,
            Methods.SUBSCRIBE,
            Methods.UNSUBSCRIBE,
            "tasks/result",
            "tasks/list");

    /** What is no notification of a client any more. */
    private static final Set<String> UNKNOWN =
            Set.of(Methods.INITIALIZED, Methods.PROGRESS, "notifications/roots/list_changed");

    private final ClientSide out;
    private final Log log;
    private final AtomicLong ids = new AtomicLong();
    private final Map<String, Waiting> admitted = new ConcurrentHashMap<>();
    private final Map<String, Consumer<RpcMessage>> own = new ConcurrentHashMap<>();
    private final Listens listens;
    private final ParkedCalls calls;

    /** Which gravity the servers were asked for last, as its place among all; above them where they were not. */
    private final AtomicInteger gravity = new AtomicInteger(RequestMeta.LOG_LEVELS.size());

    private volatile boolean legacyToo;
    private volatile Function<String, Optional<JsonNode>> mirrored = tool -> Optional.empty();
    private volatile Consumer<RpcMessage> core = message -> {};

    /**
     * Makes a front, which takes nothing before it is connected.
     *
     * @param out the way to the clients; each request is known there by the key of the id that {@link #admitted} gave it
     * @param agent whose session the calls are of: one that ended gives none of their answers out
     */
    public ModernFront(ClientSide out, Guard guard, AgentSession agent, Log log) {
        this(out, ParkedCalls.LONGEST, () -> session(guard, agent, log), ParkedCalls.Room.FREE, log);
    }

    /**
     * Makes a front of one among many clients, which takes nothing before it is connected.
     *
     * @param room what calls that wait for their clients take from, for as long as they wait
     */
    public ModernFront(ClientSide out, Guard guard, AgentSession agent, BodyBudget room, Log log) {
        this(
                out,
                ParkedCalls.LONGEST,
                () -> session(guard, agent, log),
                new ParkedCalls.Room() {
                    @Override
                    public boolean take(long bytes) {
                        return room.take(agent.principal(), bytes);
                    }

                    @Override
                    public void give(long bytes) {
                        room.give(agent.principal(), bytes);
                    }
                },
                log);
    }

    /**
     * Makes a front.
     *
     * @param parked how long a call waits for what its server asked
     * @param session returns the id of the session of the agent; empty where none lives
     */
    ModernFront(ClientSide out, Duration parked, Supplier<Optional<String>> session, ParkedCalls.Room room, Log log) {
        this.out = out;
        this.log = log;
        this.listens = new Listens(out, this::ask);
        this.calls = new ParkedCalls(
                new ParkedCalls.Ways() {
                    @Override
                    public void toClient(Waiting to, byte[] answer) {
                        out.answer(ModernAnswers.of(to, answer, log), to.key());
                    }

                    @Override
                    public void toServer(byte[] answer) {
                        core.accept(RpcMessage.parse(answer));
                    }

                    @Override
                    public void takeBack(RpcId call) {
                        core.accept(cancelled(call));
                    }

                    @Override
                    public void again(Waiting call) {
                        begin(anew(call));
                    }
                },
                session,
                parked,
                room);
    }

    /** What can't be looked up counts as over. */
    private static Optional<String> session(Guard guard, AgentSession agent, Log log) {
        try {
            return guard.resume(agent).map(Session::id);
        } catch (StoreException e) {
            log.fault(LogEvent.STATE_UNUSABLE, "whether a session lives can't be told", e);
            return Optional.empty();
        }
    }

    /** Says which session takes the messages of the clients. */
    public void connect(ProxySession session) {
        mirrored = session::mirrored;
        session.headers(this::mismatch);
        connect(session::fromClient);
    }

    @Override
    public Optional<JsonNode> schema(String tool) {
        return mirrored.apply(tool);
    }

    /** Says what takes the messages of the clients. */
    void connect(Consumer<RpcMessage> to) {
        core = to;
    }

    /**
     * Returns what a client says of itself with a request, in the form of the parameters of {@code initialize}: what a
     * session begins with whose first request it is.
     */
    public static JsonNode handshake(RequestMeta meta) {
        JsonNode tree = meta.meta().tree();
        ObjectNode handshake = JsonNodeFactory.instance.objectNode().put("protocolVersion", meta.version());
        handshake.set(
                "capabilities",
                tree.path(RequestMeta.CAPABILITIES) instanceof ObjectNode all
                        ? all
                        : JsonNodeFactory.instance.objectNode());
        if (tree.path(RequestMeta.CLIENT_INFO) instanceof ObjectNode info) {
            handshake.set("clientInfo", info);
        } else {
            handshake.putObject("clientInfo").put("name", "unknown").put("version", "unknown");
        }
        return handshake;
    }

    @Override
    public RpcMessage.Request admitted(RpcMessage.Request request) {
        return admitted(new Waiting(inner(request), request.id()));
    }

    @Override
    public RpcMessage.Request admitted(RpcMessage.Request request, Function<String, List<String>> sent) {
        return admitted(new Waiting(
                inner(request), request.id(), (schema, arguments) -> ParamHeaders.mismatch(schema, arguments, sent)));
    }

    private RpcMessage.Request admitted(Waiting waiting) {
        admitted.put(waiting.key(), waiting);
        return waiting.request();
    }

    private RpcMessage.Request inner(RpcMessage.Request request) {
        RpcId id = RpcId.ofText(PREFIX + ids.incrementAndGet());
        return new RpcMessage.Request(request.index(), id, request.method(), request.params());
    }

    /** Returns how the headers of the client's request differ from the arguments of the core's call. */
    private Optional<String> mismatch(RpcMessage.Request call, JsonNode schema) {
        JsonNode arguments = call.params()
                .filter(all -> all.kind() == Kind.OBJECT)
                .flatMap(all -> all.member("arguments"))
                .map(Value::tree)
                .orElse(JsonNodeFactory.instance.missingNode());
        return calls.recipient(call.id().key()).flatMap(to -> to.to().headers().apply(schema, arguments));
    }

    @Override
    public void fromClient(RpcMessage message) {
        switch (message) {
            case RpcMessage.Request request -> {
                Waiting waiting = admitted.remove(request.id().key());
                if (waiting == null) {
                    legacy(request);
                } else {
                    modern(waiting);
                }
            }
            case RpcMessage.Notification notification -> notification(notification);
            case RpcMessage.Result _, RpcMessage.Failure _ -> answer(message);
        }
    }

    private void modern(Waiting waiting) {
        RpcMessage.Request request = waiting.request();
        Optional<String> state = ParkedCalls.state(request);
        if (REMOVED.contains(request.method())) {
            out.answer(
                    RpcWriter.failure(
                            waiting.own(),
                            RpcWriter.METHOD_NOT_FOUND,
                            "method not found: revision " + RequestMeta.REVISION + " has no `" + request.method()
                                    + "`"),
                    waiting.key());
        } else if (request.method().equals(Listens.METHOD)) {
            listens.listen(waiting);
        } else if (state.isPresent()) {
            calls.retried(waiting, state.get());
        } else {
            begin(waiting);
        }
    }

    private void begin(Waiting waiting) {
        logs(waiting);
        core.accept(calls.enter(waiting));
    }

    /** Returns a call as its server can take it that was never asked what the call answers. */
    private static Waiting anew(Waiting call) {
        RpcMessage.Request request = call.request();
        MessageEdits edits = new MessageEdits(request).id(request.id());
        request.params().ifPresent(params -> {
            edits.edits().removeMember(params, ParkedCalls.STATE);
            edits.edits().removeMember(params, ParkedCalls.RESPONSES);
        });
        return new Waiting((RpcMessage.Request) RpcMessage.parse(edits.apply()), call.own(), call.headers());
    }

    /**
     * Takes an error by which a legacy server says that a person must open addresses before a call is made again.
     *
     * @param request the id of the call
     * @param addresses what would be asked for each, as JSON text
     * @return false where the client is to get the error itself
     */
    boolean mustOpen(RpcId request, List<String> addresses) {
        return isModern(request.key()) && calls.mustOpen(request.key(), addresses);
    }

    /** A legacy server that logs is told of which gravity; what is not grave enough for one request is left out of that. */
    private void logs(Waiting waiting) {
        String level = waiting.meta().map(RequestMeta::logLevel).orElse("");
        int wanted = RequestMeta.LOG_LEVELS.indexOf(level);
        if (wanted < 0) {
            return;
        }
        if (gravity.getAndUpdate(before -> Math.min(before, wanted)) > wanted) {
            ask(Methods.SET_LEVEL, "{\"level\":\"" + level + "\"}", said -> {
                if (said instanceof RpcMessage.Failure failure
                        && failure.error().tree().path("code").asInt(0) != RpcWriter.METHOD_NOT_FOUND) {
                    gravity.set(RequestMeta.LOG_LEVELS.size()); // none of them could be told: with the next one, then
                }
            });
        }
    }

    private void legacy(RpcMessage.Request request) {
        if (isModern(request.id().key())) {
            out.answer(
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.INVALID_REQUEST,
                            "ids that begin with `" + PREFIX + "` are given by sluice; take another"),
                    request.id().key());
            return;
        }
        if (request.method().equals(Methods.INITIALIZE)) {
            legacyToo = true;
        }
        core.accept(request);
    }

    private void answer(RpcMessage message) {
        if (legacyToo) {
            core.accept(message);
        } else {
            log.line(LogEvent.CLIENT_SKIPPED, "skipped from the client: an answer to nothing that was asked");
        }
    }

    private void notification(RpcMessage.Notification notification) {
        if (notification.method().equals(Methods.CANCELLED)) {
            cancel(notification);
        } else if (legacyToo || !UNKNOWN.contains(notification.method())) {
            core.accept(notification);
        }
    }

    /** Where two requests of a session have that id, it is not known which is meant. */
    private void cancel(RpcMessage.Notification notification) {
        Optional<Value> requestId = notification.index().root().pointer("/params/requestId");
        Optional<RpcId> named = requestId.flatMap(RpcMessage::idIn);
        if (requestId.isEmpty() || named.isEmpty()) {
            return;
        }
        List<String> meant = new ArrayList<>(calls.named(named.get()));
        meant.addAll(listens.named(named.get()));
        if (meant.size() == 1) {
            String request = meant.get(0);
            if (!listens.left(request)) {
                calls.left(request).ifPresent(call -> {
                    MessageEdits edits = new MessageEdits(notification);
                    edits.edits().replace(requestId.get(), call.bytes());
                    core.accept(RpcMessage.parse(edits.apply()));
                });
            }
            out.finish(request);
        } else if (meant.isEmpty() && legacyToo) {
            core.accept(notification);
        }
    }

    @Override
    public void gone(String request) {
        admitted.remove(request);
        if (!listens.left(request)) {
            Optional<RpcId> open = calls.left(request);
            open.ifPresentOrElse(call -> core.accept(cancelled(call)), () -> calls.lost(request));
        }
    }

    private static RpcMessage cancelled(RpcId call) {
        return RpcMessage.parse(
                ("{\"jsonrpc\":\"2.0\",\"method\":\"" + Methods.CANCELLED + "\",\"params\":{\"requestId\":"
                                + call.json() + ",\"reason\":\"the client does not wait for it any more\"}}")
                        .getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether the core's request of that key is one of a modern client, or of this front's own. */
    static boolean isModern(String request) {
        return request.startsWith("s" + PREFIX);
    }

    /** Returns whether a request of that id is one that a front asks itself. */
    static boolean isOwn(RpcId id) {
        return id.key().startsWith("s" + OWN);
    }

    /** Asks the core something of this front's own. */
    private void ask(String method, String params, Consumer<RpcMessage> answered) {
        RpcId id = RpcId.ofText(OWN + ids.incrementAndGet());
        own.put(id.key(), answered);
        core.accept(RpcMessage.parse(RpcWriter.request(id, method, params)));
    }

    @Override
    public void answer(byte[] message, String request) {
        if (!isModern(request)) {
            out.answer(message, request);
            return;
        }
        Consumer<RpcMessage> asked = own.remove(request);
        if (asked != null) {
            asked.accept(RpcMessage.parse(message));
        } else {
            calls.answered(request, message);
        }
    }

    @Override
    public boolean send(byte[] message, String request) {
        RpcMessage said;
        try {
            said = RpcMessage.parse(message);
        } catch (InvalidMessageException e) {
            return out.send(message, request); // an error about a text that was no message has no id
        }
        return switch (said) {
            case RpcMessage.Request asked -> asked(asked, message, request);
            case RpcMessage.Notification notification -> told(notification, message, request);
            case RpcMessage.Result _, RpcMessage.Failure _ -> out.send(message, request);
        };
    }

    private boolean asked(RpcMessage.Request asked, byte[] message, String request) {
        boolean modern = isModern(request);
        if (legacyToo && !modern) {
            return out.send(message, request);
        }
        if (asked.method().equals(Methods.PING)) {
            core.accept(RpcMessage.parse(RpcWriter.result(asked.id(), JsonNodeFactory.instance.objectNode())));
        } else {
            calls.asked(request, asked);
        }
        return true;
    }

    private boolean told(RpcMessage.Notification notification, byte[] message, String request) {
        boolean modern = isModern(request);
        if (Listens.isListenedFor(notification.method())) {
            listens.notification(notification);
            return !legacyToo || out.send(message, modern ? "" : request);
        }
        if (notification.method().equals(Methods.CANCELLED)) {
            boolean ours = notification
                    .index()
                    .root()
                    .pointer("/params/requestId")
                    .flatMap(RpcMessage::idIn)
                    .filter(calls::withdrawn)
                    .isPresent();
            return ours || !legacyToo || out.send(message, modern ? "" : request);
        }
        if (!modern) {
            return !legacyToo || out.send(message, request);
        }
        return calls.recipient(request)
                .map(to -> switch (notification.method()) {
                    case Methods.PROGRESS -> progress(notification, to);
                    case Methods.MESSAGE ->
                        !isWanted(notification, to.to())
                                || out.send(message, to.to().key());
                    default -> true; // no revision lets a server say it here
                })
                .orElse(true);
    }

    /** The client's own token stands in it, which the call has another in place of where two had the same. */
    private boolean progress(RpcMessage.Notification notification, ParkedCalls.Recipient to) {
        Optional<Value> token = notification.index().root().pointer("/params/progressToken");
        String own = to.to().token();
        if (own.isEmpty() || token.filter(each -> each.raw().equals(to.token())).isEmpty()) {
            return true;
        }
        MessageEdits edits = new MessageEdits(notification);
        if (!own.equals(to.token())) {
            edits.edits().replace(token.get(), own.getBytes(StandardCharsets.UTF_8));
        }
        return out.send(edits.apply(), to.to().key());
    }

    private static boolean isWanted(RpcMessage.Notification notification, Waiting to) {
        int wanted = RequestMeta.LOG_LEVELS.indexOf(
                to.meta().map(RequestMeta::logLevel).orElse(""));
        int gravity = notification
                .params()
                .flatMap(params -> params.pointer("/level"))
                .filter(level -> level.kind() == Kind.STRING)
                .map(level -> RequestMeta.LOG_LEVELS.indexOf(level.string()))
                .orElse(-1);
        return wanted >= 0 && gravity >= wanted;
    }

    @Override
    public void finish(String request) {
        if (isModern(request)) {
            calls.finished(request).ifPresent(out::finish);
        } else {
            out.finish(request);
        }
    }

    /** Ends all streams, and gives up the calls that wait for a client to come back; before the session is closed. */
    @Override
    public void close() {
        listens.close();
        calls.close();
    }
}
