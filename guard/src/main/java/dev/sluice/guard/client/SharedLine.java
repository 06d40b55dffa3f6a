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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * One connection of a client to one server that several conversations share: every request goes through the {@link Line} of
 * its own conversation, which begins as if the client had connected for that alone.
 *
 * <p>A request that carries data and belongs to no conversation is refused. What the server says on its own belongs to none
 * either: where it is more than a number or a name, it is refused or dropped, as with a server that the gateway shares.
 */
public final class SharedLine implements Passage {

    /** Says which conversation a request belongs to. */
    @FunctionalInterface
    public interface Membership {

        /**
         * Returns the conversation.
         *
         * @param meta the {@code _meta} of the request, which no model writes; a missing node where it has none
         * @throws IllegalArgumentException where that can't be said: the request is refused with the message
         * @throws StoreException where the state can't be read or written: the request is refused
         */
        Conversation of(JsonNode meta);
    }

    /** Lines that were not used for longest make room; one that is needed again is begun anew. */
    static final int MOST_LINES = 1_000;

    /** The answer to a request that was forgotten goes nowhere. */
    static final int MOST_REQUESTS = 20_000;

    private final String server;
    private final Membership whose;
    private final ToServer toServer;

    /** For what sets the connection up, and belongs to no conversation. */
    private final Line own;

    private final Map<Conversation, Line> lines = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Line> asked = new LinkedHashMap<>();
    private byte @Nullable [] greeting;
    private @Nullable RpcId greetingId;
    private byte @Nullable [] greeted;
    private boolean told;
    private boolean closed;

    SharedLine(Conversation connections, String server, Membership whose, ToServer toServer) {
        this.server = server;
        this.whose = whose;
        this.toServer = toServer;
        this.own = connect(connections);
    }

    @Override
    public String server() {
        return server;
    }

    /** A line's own requests are remembered like those of its conversation. */
    private static final class Numbered implements ToServer {
        private final SharedLine shared;
        private @Nullable Line line;

        Numbered(SharedLine shared) {
            this.shared = shared;
        }

        @Override
        public CompletionStage<?> send(byte[] message) {
            Line asking = line;
            if (asking != null) {
                Line.skimmed(message).ofRequest().ifPresent(id -> shared.remember(id, asking));
            }
            return shared.toServer.send(message);
        }
    }

    private Line connect(Conversation conversation) {
        Numbered numbered = new Numbered(this);
        Line line = conversation.connect(server, numbered);
        numbered.line = line;
        return line;
    }

    @Override
    public CompletionStage<Step> fromClient(byte[] message) {
        RpcMessage parsed;
        try {
            parsed = RpcMessage.parse(message);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return own.fromClient(message); // which says what is wrong with it
        }
        if (parsed instanceof RpcMessage.Request request) {
            return request(request, message);
        }
        if (parsed instanceof RpcMessage.Notification notification
                && notification.method().equals(Methods.CANCELLED)) {
            return notification
                    .index()
                    .root()
                    .pointer("/params/requestId")
                    .flatMap(RpcMessage::idIn)
                    .flatMap(this::asking)
                    .orElse(own)
                    .fromClient(message);
        }
        return own.fromClient(message);
    }

    private CompletionStage<Step> request(RpcMessage.Request request, byte[] message) {
        boolean greets =
                request.method().equals(Methods.INITIALIZE) || request.method().equals(Methods.DISCOVER);
        if (greets) {
            greet(request.id(), message);
        }
        if (greets || Methods.isPlainRequest(request.method())) {
            return own.fromClient(message);
        }
        Line line;
        try {
            line = line(whose.of(request.params()
                    .flatMap(params -> params.pointer("/_meta"))
                    .map(Value::tree)
                    .orElse(JsonNodeFactory.instance.missingNode())));
        } catch (IllegalArgumentException e) {
            return refused(request, RpcWriter.INVALID_PARAMS, String.valueOf(e.getMessage()));
        } catch (StoreException e) {
            return refused(request, RpcWriter.UPSTREAM_FAILED, "the state of the conversation can't be read");
        }
        if (!remember(request.id(), line)) {
            return refused(request, RpcWriter.INVALID_REQUEST, "the id is in use by a request that has no answer yet");
        }
        return line.fromClient(message).thenApply(step -> {
            if (!(step instanceof Step.Pass)) {
                forgotten(request.id());
            }
            return step;
        });
    }

    private static CompletionStage<Step> refused(RpcMessage.Request request, int code, String why) {
        return CompletableFuture.completedFuture(new Step.Reply(RpcWriter.failure(request.id(), code, why)));
    }

    private synchronized Optional<Line> asking(RpcId id) {
        return Optional.ofNullable(asked.get(id.key()));
    }

    private synchronized void forgotten(RpcId id) {
        asked.remove(id.key());
    }

    private synchronized boolean remember(RpcId id, Line line) {
        if (asked.putIfAbsent(id.key(), line) != null) {
            return false;
        }
        if (asked.size() > MOST_REQUESTS) {
            asked.remove(asked.keySet().iterator().next());
        }
        return true;
    }

    /** Whoever answers may be another process than before: no line may go on as it was. */
    private synchronized void greet(RpcId id, byte[] message) {
        greeting = message;
        greetingId = id;
        greeted = null;
        lines.clear();
    }

    private synchronized Line line(Conversation conversation) {
        Line known = lines.get(conversation);
        if (known != null) {
            return known;
        }
        Line line = connect(conversation);
        if (closed) {
            line.close();
        }
        if (greeting != null && greeted != null) {
            line.fromClient(greeting).toCompletableFuture().join(); // waits for nobody: it carries no data
            line.fromServer(greeted);
        }
        lines.put(conversation, line);
        if (lines.size() > MOST_LINES) {
            lines.remove(lines.keySet().iterator().next()); // what it asked is still answered through it
        }
        return line;
    }

    @Override
    public Step fromServer(byte[] message) {
        Optional<RpcId> answered = Line.skimmed(message).ofAnswer();
        if (answered.isPresent()) {
            return answer(answered.get(), message);
        }
        RpcMessage parsed;
        try {
            parsed = RpcMessage.parse(message);
        } catch (MalformedJsonException | InvalidMessageException e) {
            return own.fromServer(message); // which says what is wrong with it
        }
        if (parsed instanceof RpcMessage.Request request) {
            return isSilent(request.method(), request.params())
                    ? own.fromServer(message)
                    : new Step.Reply(RpcWriter.failure(
                            request.id(),
                            RpcWriter.DENIED,
                            "several conversations share this client, so a server can't ask it anything"));
        }
        if (!(parsed instanceof RpcMessage.Notification notification)) {
            return own.fromServer(message);
        }
        if (notification.method().equals(Methods.CANCELLED)) {
            return own.fromServer(message);
        }
        if (!isSilent(notification.method(), notification.params())) {
            return dropped(notification);
        }
        if (notification.method().equals(Methods.TOOLS_CHANGED)) {
            every().forEach(line -> line.fromServer(message));
        }
        return own.fromServer(message);
    }

    private static boolean isSilent(String method, Optional<Value> params) {
        return Methods.isSilent(method, params, true);
    }

    private Step answer(RpcId id, byte[] message) {
        Line line;
        synchronized (this) {
            Line asking = asked.remove(id.key());
            line = asking == null ? own : asking;
        }
        Step step = line.fromServer(message);
        synchronized (this) {
            if (id.equals(greetingId)
                    && step instanceof Step.Pass pass
                    && RpcMessage.parse(pass.message()) instanceof RpcMessage.Result) {
                greeted = message;
            }
        }
        return step;
    }

    private synchronized Step dropped(RpcMessage.Notification notification) {
        if (!told) {
            told = true;
            own.say("what `" + server
                    + "` says on its own, such as its log, is dropped: several conversations share its"
                    + " client, and it can't be known which of them it is for");
        }
        return new Step.Drop("`" + notification.method() + "` is for no conversation");
    }

    private synchronized Set<Line> every() {
        return new HashSet<>(lines.values());
    }

    @Override
    public void forget(byte[] request) {
        Optional<RpcId> id = Line.skimmed(request).ofRequest();
        id.flatMap(this::asking).orElse(own).forget(request);
        // The answer to it may still come, and must find the line that drops it.
    }

    @Override
    public void close() {
        List<Line> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(lines.values());
            all.addAll(asked.values());
            all.add(own);
            asked.clear();
        }
        all.forEach(Line::close);
    }
}
