package dev.sluice.guard.client;

import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.store.StoreException;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The lines of all conversations that share one connection to a server, as clients do that live longer than a conversation.
 *
 * <p>Each request is judged in the conversation that it was given for, and so is its answer. What carries no data (opening
 * the connection, lists, a ping) may belong to none; any other request that belongs to none is refused. What the server says
 * to no request is for nobody, since nobody can tell in which conversation it will be read: only that a list or a resource
 * changed is passed on, and requests without any words. Safe for use by several threads.
 */
public final class Lines implements AutoCloseable {

    /** More lines than these are not kept while some of them wait for nothing; a line that is needed again is made anew. */
    private static final int MOST = 1_000;

    /** A request under way, on its line. */
    private record Asked(Line line, String token) {}

    private final Enforcement enforcement;
    private final String server;
    private final ToServer toServer;
    private final int most;

    /** A conversation that no model has: what belongs to none is on its line. */
    private final Conversation nobodys;

    private final Line base;
    private final Map<String, Line> lines = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Asked> asked = new HashMap<>();
    private boolean closed;

    /**
     * @param server the server's name in the policy
     * @param toServer carries messages of Sluice's own to the server
     * @throws IllegalArgumentException where no server can have that name
     */
    public Lines(Enforcement enforcement, String server, ToServer toServer) {
        this(enforcement, server, toServer, MOST);
    }

    Lines(Enforcement enforcement, String server, ToServer toServer, int most) {
        this.most = most;
        this.enforcement = enforcement;
        this.server = server;
        this.toServer = toServer;
        this.nobodys = enforcement.conversation("connection " + UUID.randomUUID());
        this.base = connect(nobodys);
    }

    /**
     * Says what becomes of a message of the client that belongs to no conversation, or of which that is not known.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @see Line#fromClient
     */
    public CompletionStage<Step> fromClient(byte[] message) {
        RpcMessage parsed = parsed(message);
        if (parsed instanceof RpcMessage.Request request) {
            if (request.method().equals(Methods.INITIALIZE)) {
                linesNow().forEach(Line::toolsChanged); // whoever answers may be another process than before
            }
            return belongsToNone(request)
                    ? on(base, request, message)
                    : CompletableFuture.completedFuture(new Step.Reply(refusal(request)));
        }
        if (parsed instanceof RpcMessage.Notification notification
                && notification.method().equals(Methods.CANCELLED)) {
            Optional<RpcId> id = notification
                    .params()
                    .flatMap(params -> params.pointer("/requestId"))
                    .flatMap(RpcMessage::idIn);
            return id.map(this::lineOf).orElse(base).fromClient(message);
        }
        return base.fromClient(message);
    }

    /**
     * Says what becomes of a message of the client that belongs to {@code conversation}.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @see Line#fromClient
     */
    public CompletionStage<Step> fromClient(Conversation conversation, byte[] message) {
        return parsed(message) instanceof RpcMessage.Request request
                        && !belongsToNone(request)
                        && !request.method().equals(Methods.SET_LEVEL)
                ? on(lineOf(conversation), request, message)
                : fromClient(message);
    }

    /** {@code logging/setLevel} would hold for everybody, and what it brings is for nobody. */
    private static boolean belongsToNone(RpcMessage.Request request) {
        String method = request.method();
        return (Methods.isPlainRequest(method) && !method.equals(Methods.SET_LEVEL)) || method.equals(Methods.DISCOVER);
    }

    private byte[] refusal(RpcMessage.Request request) {
        String why = request.method().equals(Methods.SET_LEVEL)
                ? "`logging/setLevel` would hold for every conversation on this connection; set it where the connection"
                        + " has one conversation"
                : "sluice denied this: it is not known which conversation it belongs to. Say so where the call is made, or"
                        + " use a connection that has one conversation";
        enforcement.say(System.Logger.Level.WARNING, "`" + server + "`: " + why);
        if (!request.method().equals(Methods.TOOLS_CALL)) {
            return RpcWriter.failure(request.id(), RpcWriter.DENIED, why);
        }
        ObjectNode result = RpcWriter.toolError(why, JsonNodeFactory.instance.objectNode());
        boolean modern = request.params()
                .flatMap(params -> params.pointer("/_meta/" + Definitions.VERSION.replace("/", "~1")))
                .isPresent();
        return RpcWriter.result(request.id(), modern ? result.put("resultType", "complete") : result);
    }

    private static @Nullable RpcMessage parsed(byte[] message) {
        try {
            return RpcMessage.parse(message);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return null; // a line says why
        }
    }

    private CompletionStage<Step> on(Line line, RpcMessage.Request request, byte[] message) {
        String key = request.id().key();
        String token = request.params()
                .flatMap(params -> params.pointer("/_meta/progressToken"))
                .map(Value::raw)
                .orElse("");
        synchronized (this) {
            if (closed || asked.putIfAbsent(key, new Asked(line, token)) != null) {
                String why = closed
                        ? "the line is closed; connect again"
                        : "the id is in use by a request that has no answer yet";
                return CompletableFuture.completedFuture(
                        new Step.Reply(RpcWriter.failure(request.id(), RpcWriter.INVALID_REQUEST, why)));
            }
        }
        return line.fromClient(message).thenApply(step -> {
            if (!(step instanceof Step.Pass)) {
                take(request.id());
            }
            return step;
        });
    }

    private Line lineOf(Conversation conversation) {
        List<Line> idle;
        Line line;
        synchronized (this) {
            line = lines.get(conversation.key());
            if (line != null) {
                return line;
            }
            idle = roomMade();
            line = connect(conversation).openedOn(base);
            lines.put(conversation.key(), line);
        }
        idle.forEach(Line::close);
        return line;
    }

    private List<Line> roomMade() {
        List<Line> idle = new ArrayList<>();
        Iterator<Line> eldest = lines.values().iterator();
        while (lines.size() >= most && eldest.hasNext()) {
            Line line = eldest.next();
            if (asked.values().stream().noneMatch(each -> each.line() == line)) {
                eldest.remove();
                idle.add(line);
            }
        }
        return idle;
    }

    private synchronized Line lineOf(RpcId id) {
        Asked there = asked.get(id.key());
        return there == null ? base : there.line();
    }

    private synchronized @Nullable Line take(RpcId id) {
        Asked there = asked.remove(id.key());
        return there == null ? null : there.line();
    }

    private synchronized List<Line> linesNow() {
        return new ArrayList<>(lines.values());
    }

    private Line connect(Conversation conversation) {
        Own own = new Own();
        Line line = conversation.connect(server, own);
        own.line = line;
        return line;
    }

    /** Messages of a line's own: their answers are for that line. */
    private final class Own implements ToServer {
        private volatile @Nullable Line line;

        @Override
        public CompletionStage<?> send(byte[] message) {
            if (RpcMessage.parse(message) instanceof RpcMessage.Request request) {
                synchronized (Lines.this) {
                    asked.put(request.id().key(), new Asked(Objects.requireNonNull(line), ""));
                }
            }
            return toServer.send(message);
        }
    }

    /**
     * Says what becomes of a message of the server. Never throws.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @see Line#fromServer
     */
    public Step fromServer(byte[] message) {
        RpcMessage parsed = parsed(message);
        if (parsed instanceof RpcMessage.Result result) {
            return answered(result.id(), message);
        }
        if (parsed instanceof RpcMessage.Failure failure) {
            return answered(failure.id(), message);
        }
        if (parsed instanceof RpcMessage.Request request) {
            return Methods.isSilent(request.method(), request.params(), true)
                    ? base.fromServer(message)
                    : new Step.Reply(RpcWriter.failure(
                            request.id(),
                            RpcWriter.METHOD_NOT_FOUND,
                            "this connection is shared: only what is asked of the server is answered on it"));
        }
        return parsed instanceof RpcMessage.Notification notification
                ? says(notification, message)
                : unreadable(message);
    }

    private Step answered(RpcId id, byte[] message) {
        Line line = take(id);
        return line == null ? new Step.Drop("an answer to nothing that was asked") : line.fromServer(message);
    }

    /** Its line says so, and whoever waits for it is told. */
    private Step unreadable(byte[] message) {
        return Line.skimmed(message)
                .ofAnswer()
                .map(id -> answered(id, message))
                .orElseGet(() -> base.fromServer(message));
    }

    private Step says(RpcMessage.Notification notification, byte[] message) {
        if (notification.method().equals(Methods.PROGRESS)) {
            Line line = lineOfToken(notification);
            return line == null ? new Step.Drop("progress of nothing that was asked") : line.fromServer(message);
        }
        if (!Methods.isSilent(notification.method(), notification.params(), true)) {
            return new Step.Drop(
                    "what a server says to no request is for nobody where conversations share a connection");
        }
        if (notification.method().equals(Methods.TOOLS_CHANGED)) {
            linesNow().forEach(Line::toolsChanged);
        }
        return base.fromServer(message);
    }

    private synchronized @Nullable Line lineOfToken(RpcMessage.Notification notification) {
        String token = notification
                .params()
                .flatMap(params -> params.pointer("/progressToken"))
                .map(Value::raw)
                .orElse("");
        return asked.values().stream()
                .filter(each -> !token.isEmpty() && each.token().equals(token))
                .map(Asked::line)
                .findFirst()
                .orElse(null);
    }

    /**
     * Takes note that nobody waits for a request of the client any more.
     *
     * @see Line#forget
     */
    public void forget(byte[] request) {
        if (parsed(request) instanceof RpcMessage.Request lost) {
            Line line = take(lost.id());
            if (line != null) {
                line.forget(request);
            }
        }
    }

    /** Ends all lines: nothing is passed on any more. What the conversations have seen stays. */
    @Override
    public void close() {
        List<Line> all;
        synchronized (this) {
            closed = true;
            all = linesNow();
            lines.clear();
            asked.clear();
        }
        all.forEach(Line::close);
        base.close();
        try {
            nobodys.end();
        } catch (StoreException e) {
            enforcement.say(System.Logger.Level.WARNING, "the end of a connection can't be kept: " + e.getMessage());
        }
    }
}
