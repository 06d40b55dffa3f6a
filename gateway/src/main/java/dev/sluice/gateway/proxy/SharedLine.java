// This file has more than 400 lines because one line and its sessions' ends of it guard each other's state.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.Alarm;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.ServerEra;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One line to a stateless server, for all sessions: {@code shared: true}.
 *
 * <p>Each session has a line of its own that ends here. Ids and progress tokens are made anew, so that no session's can be
 * another's, and whatever the server says goes to the session that asked, or to nobody: only that a list changed goes to
 * all. The server can ask nobody, since nobody can be told apart over such a line. The handshake is Sluice's own. A modern
 * server is told with each request what the client of that session can do, and asks in its answers; it tells changes on
 * streams, of which each session has one of its own.
 */
final class SharedLine implements AutoCloseable {

    private static final Set<String> OF_ALL =
            Set.of(Methods.TOOLS_CHANGED, "notifications/resources/list_changed", "notifications/prompts/list_changed");

    /** What changes the server for everybody, or makes it speak to somebody. */
    private static final Set<String> OF_ONE =
            Set.of(Methods.SET_LEVEL, Methods.SUBSCRIBE, Methods.UNSUBSCRIBE, "roots/list");

    private static final RpcId HELLO = RpcId.ofText("sluice-hello");
    private static final RpcId DISCOVER = RpcId.ofText("sluice-discover");
    private static final RpcId DISCOVER_AGAIN = RpcId.ofText("sluice-discover-again");

    private final String name;
    private final Server.Links links;
    private final Optional<Duration> idle;
    private final ServerEra said;
    private final Standing standing = new Standing();
    private final Log log;
    private final BackOff backOff = new BackOff();
    private final Alarm unused = new Alarm(this::stopIfUnused);
    private final List<Tap> taps = new CopyOnWriteArrayList<>();
    private final Map<String, Asked> asked = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private @Nullable Trunk trunk;
    private volatile @Nullable Trunk beginning;
    private volatile boolean closed;

    /**
     * What a session asked: the id and the token for progress that it has there, the latter as JSON or empty.
     *
     * @param listens whether it is a stream of changes
     */
    private record Asked(Tap tap, RpcId id, String token, boolean listens) {}

    /** What is asked before anybody else asks anything. */
    private record Hello(RpcId id, CompletableFuture<RpcMessage> answer) {}

    SharedLine(ServerPolicy policy, Server.Links links, Log log) {
        this.name = policy.name();
        this.links = links;
        this.idle = policy.line().idle();
        this.said = policy.line().era();
        this.log = log.about("server", policy.name());
    }

    /** Returns a line for one session. */
    UpstreamLink tap() {
        return new Tap();
    }

    private synchronized Trunk trunk() throws IOException {
        Trunk running = trunk;
        if (running != null && !running.over) {
            return running;
        }
        if (closed || !backOff.left().isZero()) {
            throw new IOException(closed ? "sluice is being stopped" : backOff.why());
        }
        Trunk fresh = new Trunk(links.link(""));
        beginning = fresh;
        try {
            fresh.begin();
        } catch (IOException e) {
            fresh.close();
            backOff.failed(String.valueOf(e.getMessage()));
            throw e;
        } finally {
            beginning = null;
        }
        trunk = fresh;
        return fresh;
    }

    private synchronized void stopIfUnused() {
        if (taps.isEmpty() && trunk != null) {
            trunk.close();
            trunk = null;
        }
    }

    /** Says once what would else fill the log. */
    private void once(String what) {
        if (told.add(what)) {
            log.line(LogEvent.UPSTREAM_SKIPPED, "`" + name + "` is shared by all sessions, so " + what);
        }
    }

    @Override
    public void close() {
        closed = true;
        Trunk unfinished = beginning;
        if (unfinished != null) {
            unfinished.close();
        }
        Trunk last;
        synchronized (this) {
            last = trunk;
        }
        unused.off();
        if (last != null) {
            last.close();
        }
    }

    /** The line to the server itself. */
    private final class Trunk implements UpstreamLink.Receiver {
        private final UpstreamLink link;
        private volatile Hello hello = new Hello(HELLO, new CompletableFuture<>());
        private volatile Era era = Era.LEGACY;
        private final long since = System.nanoTime();
        private volatile boolean over;
        private volatile boolean closing;

        Trunk(UpstreamLink link) {
            this.link = link;
        }

        void begin() throws IOException {
            link.start(this);
            ObjectNode params = JsonNodeFactory.instance.objectNode();
            params.put("protocolVersion", Revisions.NEWEST);
            params.putObject("capabilities");
            params.putObject("clientInfo").put("name", "sluice").put("version", MergedAnswers.version());
            JsonNode handshake = MergedAnswers.handshakeOf(params);
            IOException why = new IOException("the server `" + name + "` was not asked");
            List<Era> order = Eras.order(said, standing, false);
            for (Era each : order) {
                try {
                    if (each == Era.LEGACY) {
                        shakeHands(handshake);
                    } else {
                        discover(handshake, Eras.patience(order));
                    }
                    era = each;
                    standing.speaks(each);
                    return;
                } catch (Refusal e) {
                    why = why instanceof Refusal && each == Era.MODERN ? why : e;
                }
            }
            throw why;
        }

        private void shakeHands(JsonNode handshake) throws IOException {
            byte[] request = RpcWriter.request(HELLO, Methods.INITIALIZE, handshake);
            if (!(ask(HELLO, Methods.INITIALIZE, request, Connection.PATIENCE) instanceof RpcMessage.Result)) {
                throw new Refusal("the server `" + name + "` refused the handshake");
            }
            link.send(MergedAnswers.INITIALIZED);
        }

        private void discover(JsonNode handshake, Duration patience) throws IOException {
            JsonNode client = Discovery.params(Discovery.client(handshake, JsonNodeFactory.instance.missingNode()));
            RpcMessage answer = discover(DISCOVER, client, patience);
            if (Discovery.isToBeAskedAgain(answer)) {
                answer = discover(DISCOVER_AGAIN, client, patience);
            }
            Discovery found = Discovery.of(answer);
            String why = "the server `" + name + "` " + found.why();
            switch (found.word()) {
                case MODERN -> {}
                case LEGACY -> throw new Refusal(why);
                case NEITHER -> throw new IOException(why);
            }
        }

        private RpcMessage discover(RpcId id, JsonNode client, Duration patience) throws IOException {
            return ask(id, Methods.DISCOVER, RpcWriter.request(id, Methods.DISCOVER, client), patience);
        }

        private RpcMessage ask(RpcId id, String method, byte[] request, Duration patience) throws IOException {
            Hello asks = new Hello(id, new CompletableFuture<>());
            hello = asks;
            link.send(request);
            try {
                return asks.answer().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                String why = "the server `" + name + "` did not answer `" + method + "`";
                if (!method.equals(Methods.DISCOVER)) {
                    throw new IOException(why, e);
                }
                if (link.hasHeaders()) {
                    link.send(Connection.cancelled(id, "nobody waits for it any more")); // closes its stream
                }
                throw new Refusal(why);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Refusal refusal) {
                    throw refusal;
                }
                throw new IOException(
                        String.valueOf(e.getCause() == null ? "" : e.getCause().getMessage()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        /** Returns the server's answer to the request of a session that asks what the server is. */
        byte[] hello(RpcMessage.Request request) {
            boolean asksSo = request.method().equals(Methods.INITIALIZE) == (era == Era.LEGACY);
            return asksSo
                    ? new MessageEdits(hello.answer().join()).id(request.id()).apply()
                    : RpcWriter.failure(
                            request.id(),
                            RpcWriter.METHOD_NOT_FOUND,
                            "the server `" + name + "` speaks another revision of MCP");
        }

        /** Tells the server that nobody listens to that stream any more. */
        void unlisten(String key) {
            try {
                link.send(Connection.cancelled(RpcId.ofText(key.substring(1)), "nobody listens any more"));
            } catch (IOException e) {
                log.line(LogEvent.UPSTREAM_SKIPPED, "`" + name + "` does not take messages any more");
            }
        }

        @Override
        public void refused(RpcId id, String why) {
            Hello asks = hello;
            if (id.key().equals(asks.id().key())) {
                asks.answer().completeExceptionally(new Refusal(UpstreamMessages.lostOf(name) + why));
            } else {
                lost(id, why, false);
            }
        }

        void close() {
            closing = true;
            link.close();
        }

        @Override
        public void text(byte[] bytes) {
            RpcMessage message;
            try {
                message = RpcMessage.parse(bytes);
            } catch (MalformedJsonException | InvalidMessageException e) {
                OversizeId id = new OversizeId();
                for (byte b : bytes) {
                    id.accept(b);
                }
                id.ofAnswer().ifPresent(each -> lost(each, "its answer can't be read: " + e.getMessage(), true));
                return;
            }
            switch (message) {
                case RpcMessage.Result result -> answer(result.id(), message);
                case RpcMessage.Failure failure -> answer(failure.id(), message);
                case RpcMessage.Request request -> refuse(request);
                case RpcMessage.Notification notification -> notification(notification);
            }
        }

        private void answer(RpcId id, RpcMessage message) {
            Hello asks = hello;
            if (id.key().equals(asks.id().key())) {
                asks.answer().complete(message);
                return;
            }
            Asked who = asked.remove(id.key());
            if (who != null) {
                who.tap().give(new MessageEdits(message).id(who.id()).apply());
            }
        }

        private void refuse(RpcMessage.Request request) {
            boolean ping = request.method().equals(Methods.PING);
            if (!ping) {
                once("it can ask no client; take `shared` out of its entry if it must");
            }
            try {
                link.send(
                        ping
                                ? RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode())
                                : RpcWriter.failure(
                                        request.id(),
                                        RpcWriter.INVALID_REQUEST,
                                        "this line is shared by many clients, so none of them can be asked anything"));
            } catch (IOException e) {
                log.line(LogEvent.UPSTREAM_SKIPPED, "`" + name + "` does not take messages any more");
            }
        }

        private void notification(RpcMessage.Notification message) {
            if (ofStream(message)) {
                return;
            }
            if (OF_ALL.contains(message.method())) {
                taps.forEach(tap -> tap.give(message.bytes()));
                return;
            }
            if (!message.method().equals(Methods.PROGRESS)) {
                once("what it says to no request is for nobody");
                return;
            }
            message.index()
                    .root()
                    .pointer("/params/progressToken")
                    .filter(token -> token.kind() == JsonIndex.Kind.STRING)
                    .ifPresent(token -> {
                        Asked who = asked.get("s" + token.string());
                        if (who != null && !who.token().isEmpty()) {
                            MessageEdits edits = new MessageEdits(message);
                            edits.edits().replace(token, who.token().getBytes(StandardCharsets.UTF_8));
                            who.tap().give(edits.apply());
                        }
                    });
        }

        /** Gives what is of a stream to the session that listens to it; returns whether it is of any. */
        private boolean ofStream(RpcMessage.Notification message) {
            Optional<RpcId> stream = Subscriptions.of(message);
            if (stream.isEmpty()) {
                return false;
            }
            Asked who = asked.get(stream.get().key());
            if (who != null && who.listens()) {
                MessageEdits edits = new MessageEdits(message);
                message.index()
                        .root()
                        .pointer("/params/_meta")
                        .ifPresent(meta -> edits.edits()
                                .setMember(
                                        meta, RequestMeta.SUBSCRIPTION, who.id().bytes()));
                who.tap().give(edits.apply());
            }
            return true;
        }

        @Override
        public void tooLong(MessageLines.TooLong line) {
            line.id().ifPresent(id -> lost(id, "its answer has " + line.bytes() + " bytes, more than the limit", true));
        }

        @Override
        public boolean awaits(RpcId id) {
            Hello asks = hello;
            return id.key().equals(asks.id().key()) ? !asks.answer().isDone() : asked.containsKey(id.key());
        }

        @Override
        public void lost(RpcId id, String why, boolean entered) {
            Hello asks = hello;
            if (id.key().equals(asks.id().key())) {
                asks.answer().completeExceptionally(new IOException(UpstreamMessages.lostOf(name) + why));
            }
            Asked who = asked.remove(id.key());
            if (who != null) {
                who.tap().lost(who.id(), why, entered);
            }
        }

        @Override
        public void unreachable(String why) {
            taps.forEach(tap -> tap.unreachable(why));
        }

        @Override
        public void renewed() {
            taps.forEach(Tap::renewed);
        }

        @Override
        public void ended(String why) {
            over = true;
            hello.answer().completeExceptionally(new IOException("the server `" + name + "` is gone: " + why));
            if (!closing) {
                backOff.died(Duration.ofNanos(System.nanoTime() - since), "the server `" + name + "` is gone: " + why);
            }
            for (Tap tap : taps) {
                if (equals(tap.mine)) { // another may have joined the line that comes after
                    tap.end(why);
                }
            }
        }
    }

    /** A session's line. What comes is handed on by a thread of its own, so that one that is slow keeps back no other. */
    private final class Tap implements UpstreamLink {
        private final TapQueue queue = new TapQueue();
        private volatile @Nullable Trunk mine;

        @Override
        public void start(Receiver receiver) throws IOException {
            taps.add(this); // before the line is looked for: else it could be stopped for want of use
            try {
                mine = trunk();
            } catch (IOException e) {
                taps.remove(this);
                throw e;
            }
            unused.off();
            Thread.ofVirtual().name("from-" + name).start(() -> queue.drainTo(receiver));
            Trunk joined = mine;
            if (joined != null && joined.over) {
                end("the server is gone"); // it ended before it knew of this one
            }
        }

        @Override
        public boolean hasHeaders() {
            Trunk to = mine;
            return to != null && to.link.hasHeaders();
        }

        @Override
        public void send(byte[] bytes) throws IOException {
            send(bytes, Map.of());
        }

        @Override
        public void send(byte[] bytes, Map<String, String> headers) throws IOException {
            Trunk to = mine;
            if (to == null || to.over || queue.isClosed()) {
                throw new IOException("the line to `" + name + "` is closed");
            }
            switch (RpcMessage.parse(bytes)) {
                case RpcMessage.Request request -> send(to, request, headers);
                case RpcMessage.Notification notification -> {
                    if (notification.method().equals(Methods.CANCELLED)) {
                        cancel(to, notification);
                    }
                }
                case RpcMessage.Result result -> {} // nothing was asked
                case RpcMessage.Failure failure -> {}
            }
        }

        private void send(Trunk to, RpcMessage.Request request, Map<String, String> headers) throws IOException {
            if (request.method().equals(Methods.INITIALIZE) || request.method().equals(Methods.DISCOVER)) {
                give(to.hello(request));
                return;
            }
            if (OF_ONE.contains(request.method())) {
                give(RpcWriter.failure(
                        request.id(),
                        RpcWriter.INVALID_REQUEST,
                        "the server `" + name
                                + "` is shared by all sessions, so it does nothing for one of them only"));
                return;
            }
            RpcId id = RpcId.ofText("sluice-" + ids.incrementAndGet());
            MessageEdits edits = new MessageEdits(request).id(id);
            Optional<JsonIndex.Value> token =
                    request.params().flatMap(params -> params.pointer("/_meta/progressToken"));
            token.ifPresent(own -> edits.edits().replace(own, id.bytes()));
            asked.put(
                    id.key(),
                    new Asked(
                            this,
                            request.id(),
                            token.map(JsonIndex.Value::raw).orElse(""),
                            request.method().equals(Subscriptions.LISTEN)));
            try {
                to.link.send(edits.apply(), headers);
            } catch (IOException e) {
                asked.remove(id.key());
                throw e;
            }
        }

        private void cancel(Trunk to, RpcMessage.Notification message) throws IOException {
            Optional<JsonIndex.Value> named = message.index().root().pointer("/params/requestId");
            if (named.isEmpty()) {
                return;
            }
            String key = RpcMessage.id(named.get()).key();
            for (Map.Entry<String, Asked> each : List.copyOf(asked.entrySet())) {
                if (each.getValue().tap() == this && each.getValue().id().key().equals(key)) {
                    asked.remove(each.getKey());
                    MessageEdits edits = new MessageEdits(message);
                    edits.edits()
                            .replace(
                                    named.get(),
                                    RpcId.ofText(each.getKey().substring(1)).bytes());
                    to.link.send(edits.apply());
                }
            }
        }

        void give(byte[] message) {
            if (!queue.add(message.length, receiver -> receiver.text(message))) {
                once("a session that does not read is cut off");
                queue.clear();
                end("the client reads too slowly");
            }
        }

        void lost(RpcId id, String why, boolean entered) {
            if (!queue.add(0, receiver -> receiver.lost(id, why, entered))) {
                queue.clear();
                end("the client reads too slowly");
            }
        }

        void unreachable(String why) {
            queue.add(0, receiver -> receiver.unreachable(why));
        }

        void renewed() {
            queue.add(0, UpstreamLink.Receiver::renewed);
        }

        void end(String why) {
            taps.remove(this);
            Trunk to = mine;
            for (Map.Entry<String, Asked> each : List.copyOf(asked.entrySet())) {
                if (each.getValue().tap() == this && asked.remove(each.getKey(), each.getValue())) {
                    if (each.getValue().listens() && to != null && !to.over) {
                        to.unlisten(each.getKey());
                    }
                }
            }
            queue.end(why);
            if (taps.isEmpty()) {
                idle.ifPresent(unused::in);
            }
        }

        @Override
        public void close() {
            end("the line to it was closed");
        }
    }
}
