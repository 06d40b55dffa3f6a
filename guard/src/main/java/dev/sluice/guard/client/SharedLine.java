// This file has more than 400 lines because which line each kind of message is for is decided in one place.
package dev.sluice.guard.client;

import dev.sluice.guard.client.OpenRequests.Asker;
import dev.sluice.guard.client.OpenRequests.Open;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.store.StoreException;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * One connection of a client to one server that several conversations share, as clients do that live longer than a
 * conversation. Made by {@link Enforcement#share}.
 *
 * <p>Each request is judged in its conversation, and so is its answer. What carries no data (opening the connection, lists, a
 * ping) may belong to none; any other request that belongs to none is refused. What the server says to no request is for
 * nobody, since nobody can tell in which conversation it will be read: only that a list or a resource changed is passed on,
 * and requests without any words. Where the connection is opened anew by {@code initialize}, nothing that was known of its server holds any more.
 */
public final class SharedLine implements Passage {

    /** Says which conversation a message of the client belongs to of which that was not said. */
    @FunctionalInterface
    public interface Membership {

        /**
         * Returns the conversation.
         *
         * @param meta the {@code _meta} of the message, which no model writes; a missing node where it has none
         * @throws IllegalArgumentException where that can't be said: the message is refused, with these words
         * @throws StoreException where the state can't be read or written: the message is refused
         */
        Conversation of(JsonNode meta);
    }

    /** More lines than these are not kept while some of them wait for nothing; one that is needed again is begun anew. */
    static final int MOST_LINES = 1_000;

    /** More requests are not under way at a time. */
    static final int MOST_REQUESTS = 20_000;

    private static final Step CLOSED = new Step.Drop("the connection is closed");

    private final Enforcement enforcement;
    private final String server;
    private final Membership membership;
    private final ToServer toServer;
    private final int mostLines;

    /** A conversation that no model has: what belongs to none is on its line. */
    private final Conversation nobodys;

    private final Line base;
    private final OpenRequests open;
    private final Map<String, Line> lines = new LinkedHashMap<>(16, 0.75f, true);

    /** How often the connection was opened. */
    private int opening;

    private boolean told;
    private volatile boolean closed;

    SharedLine(Enforcement enforcement, Conversation nobodys, String server, Membership membership, ToServer toServer) {
        this(enforcement, nobodys, server, membership, toServer, MOST_LINES, MOST_REQUESTS);
    }

    SharedLine(
            Enforcement enforcement,
            Conversation nobodys,
            String server,
            Membership membership,
            ToServer toServer,
            int mostLines,
            int mostRequests) {
        this.enforcement = enforcement;
        this.server = server;
        this.membership = membership;
        this.toServer = toServer;
        this.mostLines = mostLines;
        this.nobodys = nobodys;
        this.open = new OpenRequests(mostRequests);
        this.base = connect(nobodys);
    }

    @Override
    public String server() {
        return server;
    }

    private Line connect(Conversation conversation) {
        AtomicReference<Line> line = new AtomicReference<>();
        line.set(conversation.connect(
                server,
                message -> own(Objects.requireNonNull(line.get()), toServer).send(message)));
        return line.get();
    }

    /** Returns what carries messages of a line's own: their answers are for that line. */
    private ToServer own(Line line, ToServer carrier) {
        return message -> {
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("the connection is closed"));
            }
            RpcMessage parsed = RpcMessage.parse(message);
            if (parsed instanceof RpcMessage.Request request) {
                open.enterOwn(request.id(), line);
            } else if (parsed instanceof RpcMessage.Notification notification) {
                takenBack(notification).ifPresent(open::removeOwn);
            }
            return carrier.send(message);
        };
    }

    private static Optional<RpcId> takenBack(RpcMessage.Notification notification) {
        return notification.method().equals(Methods.CANCELLED)
                ? notification
                        .params()
                        .flatMap(params -> params.pointer("/requestId"))
                        .flatMap(RpcMessage::idIn)
                : Optional.empty();
    }

    /** {@inheritDoc} Its {@link Membership} says which conversation it belongs to. */
    @Override
    public CompletionStage<Step> fromClient(byte[] message) {
        return accept(null, message, toServer);
    }

    /** {@inheritDoc} Its {@link Membership} says which conversation it belongs to. */
    @Override
    public CompletionStage<Step> fromClient(byte[] message, ToServer carrier) {
        return accept(null, message, carrier);
    }

    /**
     * Says what becomes of a message of the client that belongs to {@code conversation}.
     *
     * @param conversation one of the same enforcement
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @see Passage#fromClient(byte[])
     */
    public CompletionStage<Step> fromClient(Conversation conversation, byte[] message) {
        return accept(conversation, message, toServer);
    }

    /**
     * Says what becomes of a message of the client that belongs to {@code conversation}, where connections depend on who asks.
     *
     * @param conversation one of the same enforcement
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @param carrier carries those messages of Sluice's own that this one makes necessary, at any time, on any thread
     * @see Passage#fromClient(byte[], ToServer)
     */
    public CompletionStage<Step> fromClient(Conversation conversation, byte[] message, ToServer carrier) {
        return accept(conversation, message, carrier);
    }

    private CompletionStage<Step> accept(@Nullable Conversation given, byte[] message, ToServer carrier) {
        RpcMessage parsed = parsed(message);
        if (parsed instanceof RpcMessage.Request request) {
            return request(request, message, given, carrier);
        }
        if (closed) {
            return done(CLOSED);
        }
        // Servers ask only what carries nothing here, on the line of nobody; and that one says what can't be read.
        CompletionStage<Step> step = parsed instanceof RpcMessage.Notification notification
                ? notification(notification, message, given)
                : base.fromClient(message);
        return step.thenApply(each -> closed ? CLOSED : each);
    }

    /** Returns nothing for what is too long or can't be read: a line says so. */
    private @Nullable RpcMessage parsed(byte[] message) {
        if (message.length > enforcement.guard().policy().gateway().limits().messageBytes()) {
            return null;
        }
        try {
            return RpcMessage.parse(message);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return null;
        }
    }

    private static CompletionStage<Step> done(Step step) {
        return CompletableFuture.completedFuture(step);
    }

    private static Step failed(RpcMessage.Request request, int code, String why) {
        return new Step.Reply(RpcWriter.failure(request.id(), code, why));
    }

    private static Step closedTo(RpcMessage.Request request) {
        return failed(request, RpcWriter.UPSTREAM_FAILED, "the line is closed; connect again");
    }

    private CompletionStage<Step> request(
            RpcMessage.Request request, byte[] message, @Nullable Conversation given, ToServer carrier) {
        String method = request.method();
        if (closed) {
            return done(closedTo(request));
        }
        if (method.equals(Methods.SET_LEVEL)) {
            return done(ofNone(
                    request,
                    "`logging/setLevel` would hold for every conversation on this connection; set it where the"
                            + " connection has one conversation"));
        }
        if (method.equals(Methods.INITIALIZE)) {
            openedAnew();
        }
        boolean discovers = method.equals(Methods.DISCOVER);
        if (discovers) {
            // Asked at any time, and again and again; what the server can do may be other than it was.
            linesNow().forEach(Line::toolsChanged);
        }
        if (discovers || method.equals(Methods.INITIALIZE) || Methods.isPlainRequest(method)) {
            return on(null, request, message, carrier);
        }
        Conversation conversation;
        try {
            conversation = given == null ? membership.of(meta(request.params())) : given;
        } catch (IllegalArgumentException e) {
            return done(ofNone(request, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            enforcement.fault("the conversation of a request to `" + server + "` can't be had", e);
            return done(failed(
                    request,
                    RpcWriter.UPSTREAM_FAILED,
                    "the state of the conversation can't be read; the log of sluice says why"));
        }
        return on(conversation, request, message, carrier);
    }

    private static JsonNode meta(Optional<Value> params) {
        return params.flatMap(all -> all.pointer("/_meta"))
                .map(Value::tree)
                .orElse(JsonNodeFactory.instance.missingNode());
    }

    private Step ofNone(RpcMessage.Request request, String why) {
        enforcement.say(System.Logger.Level.WARNING, "`" + server + "`: " + why);
        return request.method().equals(Methods.TOOLS_CALL)
                ? new Step.Reply(
                        RpcWriter.result(request.id(), RpcWriter.toolError(why, JsonNodeFactory.instance.objectNode())))
                : failed(request, RpcWriter.DENIED, why);
    }

    /** Lines are begun, and judge, outside the monitor: one that waits for the state holds up no other's answers. */
    private CompletionStage<Step> on(
            @Nullable Conversation conversation, RpcMessage.Request request, byte[] message, ToServer carrier) {
        Line begun = null;
        List<Line> idle = List.of();
        Open entry = null;
        while (entry == null) {
            synchronized (this) {
                if (closed) {
                    return done(closedTo(request));
                }
                if (open.has(request.id())) {
                    return done(failed(
                            request,
                            RpcWriter.INVALID_REQUEST,
                            "the id is in use by a request that has no answer yet"));
                }
                if (!open.haveRoom()) {
                    return done(failed(
                            request, RpcWriter.INVALID_REQUEST, "too many requests have no answer yet; wait for some"));
                }
                Line line = conversation == null ? base : lines.get(conversation.key());
                if (line == null && begun != null && conversation != null) {
                    idle = roomMade();
                    lines.put(conversation.key(), begun);
                    line = begun;
                }
                if (line != null) {
                    entry = open.enter(
                            request.id(),
                            line,
                            conversation == null ? Asker.NOBODY : Asker.CONVERSATION,
                            token(request.params(), "/_meta/progressToken"),
                            opening);
                }
            }
            if (entry == null && conversation != null) {
                begun = connect(conversation).openedOn(base);
            }
        }
        idle.forEach(Line::close);
        Open asked = entry;
        return asked.line()
                .fromClient(message, own(asked.line(), carrier))
                .thenApply(step -> decided(asked, request, message, step));
    }

    private static String token(Optional<Value> params, String pointer) {
        return params.flatMap(all -> all.pointer(pointer))
                .flatMap(RpcMessage::idIn)
                .map(RpcId::key)
                .orElse("");
    }

    /** What was decided on what an earlier server said of its tools is not sent to another. */
    private Step decided(Open asked, RpcMessage.Request request, byte[] message, Step step) {
        boolean over;
        boolean other;
        synchronized (this) {
            over = closed;
            other = asked.asker() == Asker.CONVERSATION && asked.opening() != opening;
            if (step instanceof Step.Pass && !over && !other) {
                open.sent(asked);
                return step;
            }
        }
        boolean takenBack = open.isAbandoned(asked);
        open.remove(request.id(), asked);
        if (step instanceof Step.Reply || takenBack || !(over || other)) {
            return step instanceof Step.Pass ? new Step.Drop("taken back meanwhile") : step;
        }
        asked.line().forget(message);
        return over
                ? closedTo(request)
                : failed(
                        request,
                        RpcWriter.UPSTREAM_FAILED,
                        "the connection to the server was opened anew meanwhile; ask again");
    }

    private synchronized List<Line> roomMade() {
        List<Line> idle = new ArrayList<>();
        if (lines.size() >= mostLines) {
            Set<Line> busy = open.busy();
            Iterator<Line> eldest = lines.values().iterator();
            while (lines.size() >= mostLines && eldest.hasNext()) {
                Line line = eldest.next();
                if (!busy.contains(line)) {
                    eldest.remove();
                    idle.add(line);
                }
            }
        }
        return idle;
    }

    /**
     * Whoever answers may be another process than before. No line goes on: each is begun anew when it is needed, and only
     * what was asked already is still answered through the old one.
     */
    private void openedAnew() {
        List<Line> before;
        Set<Line> busy;
        synchronized (this) {
            opening++;
            before = new ArrayList<>(lines.values());
            busy = open.busy();
            lines.clear();
        }
        for (Line line : before) {
            line.toolsChanged();
            if (!busy.contains(line)) {
                line.close();
            }
        }
    }

    private CompletionStage<Step> notification(
            RpcMessage.Notification notification, byte[] message, @Nullable Conversation given) {
        if (notification.method().equals(Methods.CANCELLED)) {
            Line line = takenBack(notification).map(open::abandon).orElse(null);
            return (line == null ? base : line).fromClient(message);
        }
        if (Methods.isPlainNotification(notification.method())) {
            return base.fromClient(message);
        }
        Conversation conversation;
        try {
            conversation = given == null ? membership.of(meta(notification.params())) : given;
        } catch (IllegalArgumentException e) {
            return done(new Step.Drop("it is not known which conversation it belongs to: " + e.getMessage()));
        } catch (RuntimeException e) {
            enforcement.fault("the conversation of a message to `" + server + "` can't be had", e);
            return done(new Step.Drop("the state of its conversation can't be read"));
        }
        return noted(conversation).fromClient(message);
    }

    /** For what waits for nothing, a line need not be kept. */
    private Line noted(Conversation conversation) {
        Line known;
        synchronized (this) {
            known = lines.get(conversation.key());
        }
        return known == null ? connect(conversation).openedOn(base) : known;
    }

    @Override
    public Step fromServer(byte[] message) {
        if (closed) {
            return CLOSED;
        }
        Step step = judged(message);
        return closed ? CLOSED : step;
    }

    private Step judged(byte[] message) {
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
                    : failed(
                            request,
                            RpcWriter.DENIED,
                            "several conversations share this client, so a server can't ask it anything");
        }
        return parsed instanceof RpcMessage.Notification notification
                ? says(notification, message)
                : Line.skimmed(message)
                        .ofAnswer()
                        .map(id -> answered(id, message))
                        .orElseGet(() -> base.fromServer(message)); // which says what is wrong with it
    }

    private Step answered(RpcId id, byte[] message) {
        Open asked = open.take(id);
        if (asked == null) {
            return new Step.Drop("an answer to nothing that was asked");
        }
        Step step = asked.line().fromServer(message);
        return asked.asker() == Asker.NOBODY ? withoutWords(step) : step;
    }

    /** An error text is the server's, and nobody can tell who will read it. */
    private Step withoutWords(Step step) {
        return step instanceof Step.Pass pass && RpcMessage.parse(pass.message()) instanceof RpcMessage.Failure failure
                ? new Step.Pass(RpcWriter.failure(
                        failure.id(),
                        failure.error().tree().path("code").asInt(RpcWriter.UPSTREAM_FAILED),
                        "the server `" + server
                                + "` gave no answer but an error, whose words are kept back: they belong to no"
                                + " conversation"))
                : step;
    }

    private Step says(RpcMessage.Notification notification, byte[] message) {
        boolean silent = Methods.isSilent(notification.method(), notification.params(), true);
        if (notification.method().equals(Methods.PROGRESS)) {
            return open.under(token(notification.params(), "/progressToken"))
                    .filter(asked -> silent || asked.asker() != Asker.NOBODY)
                    .map(asked -> asked.line().fromServer(message))
                    .orElseGet(() -> new Step.Drop("progress of nothing that was asked in a conversation"));
        }
        if (!silent) {
            return dropped();
        }
        if (notification.method().equals(Methods.TOOLS_CHANGED)) {
            linesNow().forEach(Line::toolsChanged);
        }
        return base.fromServer(message);
    }

    private synchronized List<Line> linesNow() {
        return new ArrayList<>(lines.values());
    }

    private Step dropped() {
        boolean first;
        synchronized (this) {
            first = !told;
            told = true;
        }
        if (first) {
            enforcement.say(
                    System.Logger.Level.WARNING,
                    "what `" + server
                            + "` says on its own, such as its log, is dropped: several conversations share its client,"
                            + " and it can't be known which of them it is for");
        }
        return new Step.Drop("what a server says to no request is for nobody where conversations share a connection");
    }

    @Override
    public void forget(byte[] request) {
        // The answer to it may still come, and must find the line that drops it.
        Line.skimmed(request).ofRequest().map(open::abandon).ifPresent(line -> line.forget(request));
    }

    @Override
    public void close() {
        List<Line> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = new ArrayList<>(lines.values());
            all.addAll(open.end());
            all.add(base);
            lines.clear();
        }
        all.forEach(Line::close);
        try {
            nobodys.end();
        } catch (StoreException e) {
            enforcement.say(System.Logger.Level.WARNING, "the end of a connection can't be kept: " + e.getMessage());
        }
    }
}
