// This file has more than 400 lines because a line's requests, answers and end are one order of events.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.telemetry.Operation;
import dev.sluice.gateway.telemetry.Outcome;
import dev.sluice.gateway.transport.Alarm;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.SessionOver;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One client session's line to one upstream: what was asked and is not answered yet, and what comes from there, in order.
 *
 * <p>Every request that went out is answered in the end: by the upstream, or, when its answer can't be used or its process
 * ends, by {@link Handler#lost}.
 */
final class Connection implements UpstreamLink.Receiver {

    /** How long Sluice waits for an answer that it needs itself. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** More subscriptions are not remembered. */
    private static final int MOST_WATCHED = 1_000;

    /** Nor longer ones, in characters together: a modern server is told of all of them at once. */
    static final int LONGEST_WATCHED = 64 << 10;

    private static final String NOBODY_WAITS = "nobody waits for it any more";

    /** Who handles what an upstream says. Called from one thread for each connection, in order. */
    interface Handler {
        void result(Connection from, Pending pending, RpcMessage.Result message);

        void failure(Connection from, Pending pending, RpcMessage.Failure message);

        /**
         * Something that the upstream asks.
         *
         * @param stream the request in whose answer it came; null where the line does not say
         */
        void request(Connection from, RpcMessage.Request message, @Nullable RpcId stream);

        /** Returns whether the upstream waits for an answer of the client. */
        boolean isAsking(Connection from);

        /**
         * Something that wants no answer.
         *
         * @param stream the request in whose answer it came; null where the line does not say
         */
        void notification(Connection from, RpcMessage.Notification message, @Nullable RpcId stream);

        /** That a request of the line is not open any more, after it was answered or given up. */
        void settled(Connection from);

        /** That {@code pending} will never be answered; {@code entered} where its answer came but can't be passed on. */
        void lost(Connection from, Pending pending, String why, boolean entered);

        /** That the upstream is gone; everything that was pending was given to {@link #lost}. */
        void ended(Connection from, String why);

        /** Returns what watches the client's requests. */
        Observation observation();
    }

    private final Upstream upstream;
    private final UpstreamLink link;
    private final Handler handler;
    private final Log log;
    private final Duration timeout;
    private final Alarm expiry = new Alarm(this::expire);
    private final Object expiryLock = new Object();

    /** Whether the alarm is set; only under its lock, or a request that comes while it goes off would never expire. */
    private boolean expiring;

    private final Unanswered unanswered = new Unanswered();
    private final Set<String> watched;

    /** Of those, what the upstream has not agreed to yet: the keys of the requests that ask for it. Under the set's lock. */
    private final Map<String, Set<String>> subscribing = new HashMap<>();

    private final Lane lane;
    private volatile boolean closed;
    private volatile boolean endedItself;
    private volatile Consumer<String> whenEnded = why -> {};
    private volatile Runnable whenUnreachable = () -> {};
    private volatile Runnable whenRenewed = () -> {};
    private long skipped;
    private volatile boolean toolsKnown;
    private final Object definitionsLock = new Object();
    private long definitions;
    private volatile String unreachable = "";
    private volatile @Nullable RpcMessage handshake;
    private volatile @Nullable ModernLine modern;
    private final MirroredArguments mirrored = new MirroredArguments();
    private volatile BiPredicate<Pending.Plain, Runnable> whenRefused = (plain, otherwise) -> false;

    /**
     * Makes a line that is not begun.
     *
     * @param timeout how long a request may show no progress
     * @param watched the resources that the client is subscribed to, which is kept up to date here
     */
    Connection(Upstream upstream, UpstreamLink link, Handler handler, Duration timeout, Set<String> watched, Log log) {
        this.watched = watched;
        this.timeout = timeout;
        this.upstream = upstream;
        this.link = link;
        this.handler = handler;
        this.log = log.about("server", upstream.name());
        this.lane = new Lane(log);
    }

    Upstream upstream() {
        return upstream;
    }

    /** Returns what keeps the client's messages to this upstream in order. */
    Lane lane() {
        return lane;
    }

    /** Returns which era the line speaks; legacy until it is known otherwise. */
    Era era() {
        return modern == null ? Era.LEGACY : Era.MODERN;
    }

    /** Returns what is otherwise on a line to a modern server; empty on others. */
    Optional<ModernLine> modern() {
        return Optional.ofNullable(modern);
    }

    /**
     * Asks the upstream whether it is a modern one, and begins the line so where it is.
     *
     * @param patience how long each answer is waited for
     * @throws IOException where it does not answer
     */
    Discovery discover(Slot.Greeting greeting, Duration patience) throws IOException {
        ObjectNode params = Discovery.params(Discovery.client(greeting.handshake(), greeting.level()));
        RpcMessage answer = ask(Methods.DISCOVER, params, patience);
        if (Discovery.isToBeAskedAgain(answer)) {
            answer = ask(Methods.DISCOVER, params, patience);
        }
        Discovery said = Discovery.of(answer);
        if (said.word() == Discovery.Word.MODERN) {
            modern(answer, greeting);
        }
        return said;
    }

    /** Says that the upstream is a modern one, which answered {@code server/discover} so. */
    void modern(RpcMessage answer, Slot.Greeting greeting) {
        JsonNode capabilities = answer instanceof RpcMessage.Result result
                ? result.result().tree().path("capabilities")
                : JsonNodeFactory.instance.missingNode();
        modern = new ModernLine(greeting, new Subscriptions(listening, capabilities, watched));
        handshake = answer;
    }

    /** Returns the upstream's answer to {@code initialize} or {@code server/discover}, where it has come. */
    Optional<RpcMessage> handshake() {
        return Optional.ofNullable(handshake);
    }

    boolean hasEnded() {
        return unanswered.hasEnded();
    }

    /** Returns whether the upstream said in its handshake that it has {@code capability}. */
    boolean offers(String capability) {
        RpcMessage answer = handshake;
        return answer != null
                && answer.index()
                        .root()
                        .pointer("/result/capabilities/" + capability)
                        .isPresent();
    }

    /** Returns whether the upstream said in its handshake that it can be asked what calls of its tools do (SEP-1862). */
    boolean resolvesTools() {
        RpcMessage answer = handshake;
        return answer != null
                && answer.index()
                        .root()
                        .pointer("/result/capabilities/tools/resolve")
                        .filter(value -> value.kind() == Kind.TRUE)
                        .isPresent();
    }

    void handshake(RpcMessage answer) {
        handshake = answer;
    }

    /** Returns whether all tools that the upstream has are known here. */
    boolean toolsKnown() {
        ModernLine line = modern;
        return (line == null || line.isFresh())
                && toolsKnown; // in this order: what makes the line fresh is seen in both
    }

    /** Says that the tools may be others now: none of those that are known here count as known. */
    void toolsChanged() {
        synchronized (definitionsLock) {
            definitions++;
            toolsKnown = false;
        }
    }

    /** Returns which definitions these are: another number after each word of the upstream that they changed. */
    long definitions() {
        synchronized (definitionsLock) {
            return definitions;
        }
    }

    /**
     * Says that tools were listed.
     *
     * @param since which definitions there were when the list was asked for; if there are others now, what came is of before
     * @param all whether these are all
     */
    void toolsListed(long since, boolean all) {
        synchronized (definitionsLock) {
            toolsKnown = definitions == since && (all || toolsKnown);
        }
    }

    void start() throws IOException {
        try {
            link.start(this);
        } catch (IOException e) {
            handler.observation().failed(this);
            throw e;
        }
        handler.observation().opened(this);
    }

    /** Sends a request whose answer goes to {@code answered}; a line that is down answers at once. */
    void request(RpcId id, byte[] message, Pending answered) {
        boolean listens = answered instanceof Pending.Own own && own.method().equals(Subscriptions.LISTEN);
        Operation operation = listens ? Operation.NONE : handler.observation().sent(this, answered);
        if (!unanswered.add(id, answered, operation)) {
            over(operation, Outcome.LOST, "");
            handler.lost(this, answered, "its process ended", false);
            return;
        }
        if (!(answered instanceof Pending.Own)) {
            synchronized (expiryLock) {
                if (!expiring) {
                    expiring = true;
                    expiry.in(timeout);
                }
            }
        }
        try {
            if (modern != null && link.hasHeaders()) {
                link.send(message, mirrored.headers(message));
            } else {
                link.send(message);
            }
        } catch (IOException e) {
            take(id, Outcome.LOST, "")
                    .ifPresent(mine -> handler.lost(this, mine, "it does not take messages any more", false));
        }
    }

    /**
     * Asks the upstream something on Sluice's own behalf and waits for the answer.
     *
     * @throws IOException where none comes
     */
    RpcMessage ask(String method, JsonNode params) throws IOException {
        return ask(method, params, PATIENCE);
    }

    private RpcMessage ask(String method, JsonNode params, Duration patience) throws IOException {
        CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
        RpcId id = unanswered.freshId();
        request(id, own(id, method, params.toString()), new Pending.Own(method, answer));
        try {
            return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            if (take(id, Outcome.LOST, "").isPresent() && canTakeBack(method)) {
                send(cancelled(id, NOBODY_WAITS));
            }
            if (e.getCause() instanceof Refusal refusal) {
                throw refusal;
            }
            throw new IOException(
                    "the server `" + upstream.name() + "` did not answer `" + method + "`" + because(e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for `" + upstream.name() + "`", e);
        }
    }

    /**
     * Of a line that is not begun nothing is taken back, since its server may not know of such things yet; but over HTTP the
     * stream of {@code server/discover} is closed, of which the server need know nothing.
     */
    private boolean canTakeBack(String method) {
        return !method.equals(Methods.INITIALIZE) && (!method.equals(Methods.DISCOVER) || link.hasHeaders());
    }

    /**
     * Asks the upstream something on Sluice's own behalf, without waiting here.
     *
     * @param params the parameters, as JSON text
     * @return completes with the answer; with a fault where none comes in that time
     */
    CompletableFuture<RpcMessage> askLater(String method, String params, Duration within) {
        CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
        RpcId id = unanswered.freshId();
        request(id, own(id, method, params), new Pending.Own(method, answer));
        return answer.orTimeout(within.toMillis(), TimeUnit.MILLISECONDS).whenComplete((came, fault) -> {
            if (fault != null && take(id, Outcome.LOST, "").isPresent()) {
                send(cancelled(id, NOBODY_WAITS));
            }
        });
    }

    /** Asks the upstream something on Sluice's own behalf, whose answer nobody waits for: it counts as lost in time. */
    void askAndGoOn(String method, JsonNode params) {
        var _ = askLater(method, params.toString(), timeout);
    }

    /** Returns a request of Sluice's own, which says on a modern line what every request must. */
    private byte[] own(RpcId id, String method, String params) {
        byte[] request = RpcWriter.request(id, method, params);
        ModernLine line = modern;
        if (line == null || method.equals(Methods.DISCOVER)) {
            return request;
        }
        RpcMessage message = RpcMessage.parse(request);
        return new MessageEdits(message).ofClient(line.client()).apply();
    }

    /** Writes into a request of the client what it must say on this line of its client, and nothing that it must not. */
    void adapt(RpcMessage message, MessageEdits edits) {
        ModernLine line = modern;
        if (line == null) {
            edits.withoutClient();
        } else {
            line.edit(message, edits);
        }
    }

    /** Sends a notification of the client, unless its upstream is one that has no such. */
    void tell(RpcMessage.Notification notification) {
        boolean legacy = modern == null;
        if (legacy || ModernLine.takes(notification.method())) {
            MessageEdits edits = MessageEdits.toServer(notification);
            send((legacy ? edits.withoutClient() : edits).apply());
        }
    }

    /** Returns an id for a request that no other on this line has or had. */
    RpcId freshId() {
        return unanswered.freshId();
    }

    /** Takes note of what a list of tools says of headers; returns the names of tools that can't be called over HTTP for it. */
    Set<String> mirrors(Value tools) {
        Set<String> faulty = mirrored.learn(tools);
        return modern == null || !link.hasHeaders() ? Set.of() : faulty;
    }

    /** Returns the input schema of a tool of which arguments stand in headers too; empty for any other. */
    Optional<JsonNode> mirrored(String tool) {
        return mirrored.schema(tool);
    }

    /** Listens to what the session wants to hear of, where the upstream is a modern one. */
    void listen() {
        ModernLine line = modern;
        if (line != null) {
            line.subscriptions().refresh();
        }
    }

    /**
     * Listens as {@link #listen()} does, though not for each of many that want so at about the same time.
     *
     * @param then what is done once the upstream was asked
     */
    void listen(Runnable then) {
        ModernLine line = modern;
        if (line == null) {
            then.run();
        } else {
            line.subscriptions().refreshSoon(then);
        }
    }

    private final Subscriptions.Line listening = new Subscriptions.Line() {
        @Override
        public RpcId freshId() {
            return unanswered.freshId();
        }

        @Override
        public CompletableFuture<RpcMessage> listen(RpcId id, ObjectNode params) {
            CompletableFuture<RpcMessage> over = new CompletableFuture<>();
            request(id, own(id, Subscriptions.LISTEN, params.toString()), new Pending.Own(Subscriptions.LISTEN, over));
            return over;
        }

        @Override
        public void takeBack(RpcId id) {
            if (take(id, Outcome.CANCELLED, "").isPresent()) {
                send(cancelled(id, NOBODY_WAITS));
            }
        }

        @Override
        public void toolsChanged() {
            Connection.this.toolsChanged();
        }
    };

    /**
     * Takes note of a request of the client that goes out now, if it says what the client watches.
     *
     * @param clientKey the key of its id
     * @return false where it is of a resource that is not remembered, since too many are
     */
    boolean watches(String method, String uri, String clientKey) {
        synchronized (watched) {
            if (method.equals(Methods.SUBSCRIBE) && !uri.isEmpty()) {
                long length = watched.stream().mapToLong(String::length).sum() + uri.length();
                boolean fits = watched.size() < MOST_WATCHED && length <= LONGEST_WATCHED;
                boolean isNew = fits && watched.add(uri);
                if (isNew && modern == null) {
                    subscribing.put(uri, new HashSet<>());
                }
                Optional.ofNullable(subscribing.get(uri)).ifPresent(asking -> asking.add(clientKey));
                return isNew || watched.contains(uri);
            }
            if (method.equals(Methods.UNSUBSCRIBE)) {
                watched.remove(uri);
                subscribing.remove(uri);
            }
            return true;
        }
    }

    /** Takes note of whether the upstream agreed to what the client's request of that key asks for, if that is to watch. */
    void subscribed(String clientKey, boolean agreed) {
        synchronized (watched) {
            subscribing.entrySet().removeIf(each -> {
                Set<String> asking = each.getValue();
                boolean isOver = asking.remove(clientKey) && (agreed || asking.isEmpty());
                if (isOver && !agreed) {
                    watched.remove(each.getKey());
                }
                return isOver;
            });
        }
    }

    /** Why an answer was lost is told in one sentence that names the server; only its end is news here. */
    private String because(@Nullable Throwable why) {
        String text = why == null ? "" : String.valueOf(why.getMessage());
        String start = UpstreamMessages.lostOf(upstream.name());
        return text.startsWith(start) ? ": " + text.substring(start.length()) : "";
    }

    static byte[] cancelled(RpcId id, String reason) {
        return ("{\"jsonrpc\":\"2.0\",\"method\":\"" + Methods.CANCELLED + "\",\"params\":{\"requestId\":" + id.json()
                        + ",\"reason\":\"" + reason + "\"}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Ends the requests that showed no progress for too long. While the upstream waits for the client, none does. */
    private void expire() {
        Unanswered.Expired expired;
        synchronized (expiryLock) {
            expired = unanswered.expire(timeout, handler.isAsking(this));
            expiring = expired.next().isPresent() && !closed;
            if (expiring) {
                expiry.in(expired.next().orElseThrow());
            }
        }
        for (Unanswered.Sent each : expired.over()) {
            over(each.operation(), Outcome.LOST, "");
            handler.lost(this, each.pending(), "it showed no progress for " + timeout.toSeconds() + " s", false);
            if (!(each.pending() instanceof Pending.Plain plain
                    && plain.method().equals(Methods.INITIALIZE))) {
                send(cancelled(
                        each.id(), "no progress in time")); // after the client heard of it: this may have to wait
            }
        }
    }

    /** Returns whether anything is under way on the line. */
    boolean isBusy() {
        return unanswered.isBusy() || handler.isAsking(this);
    }

    /** Sends something that wants no answer; where the line is down, nobody is there to read it. */
    void send(byte[] message) {
        try {
            link.send(message);
        } catch (IOException e) {
            log.line(LogEvent.UPSTREAM_SKIPPED, "`" + upstream.name() + "` does not take messages any more");
        }
    }

    /** Returns the id for a client's request on this line: its own, unless one of Sluice's has the same. */
    RpcId idFor(RpcId clientId) {
        return unanswered.idFor(clientId);
    }

    /** Takes note that the client took that request back; returns its id here, once. */
    Optional<RpcId> abandon(String clientKey) {
        subscribed(clientKey, false);
        return unanswered.abandon(clientKey);
    }

    /** Returns the client's request that a message without an id most likely belongs to: the oldest that is not answered. */
    String oldestRequest() {
        return unanswered.oldestRequest();
    }

    /** Returns the client's requests that a message without an id may belong to, the oldest first. */
    List<String> requests() {
        return unanswered.requests();
    }

    /** Returns the calls that what the server asks may belong to, as {@link Unanswered#calls} says. */
    List<Unanswered.Sent> calls(Duration grace) {
        return unanswered.calls(grace);
    }

    /** Returns the request that the upstream has under that id, if it has no answer. */
    Optional<Unanswered.Sent> sent(RpcId id) {
        return unanswered.sent(id);
    }

    /** Returns how long a request may show no progress. */
    Duration timeout() {
        return timeout;
    }

    /** Returns the client's request whose progress {@code token} is about; empty text where there is none. */
    String requestOfToken(String token) {
        return unanswered.requestOfToken(token);
    }

    /**
     * @param code the code of an error; empty for none
     */
    private Optional<Pending> take(RpcId id, Outcome outcome, String code) {
        Optional<Unanswered.Sent> sent = unanswered.take(id);
        sent.ifPresent(each -> over(each.operation(), outcome, code));
        return sent.map(Unanswered.Sent::pending);
    }

    private Optional<Pending> take(RpcMessage.Result result) {
        Optional<Unanswered.Sent> sent = unanswered.take(result.id());
        ModernLine line = modern;
        sent.filter(each -> line != null && asksForTools(each.pending())).ifPresent(each -> {
            if (line != null) {
                line.listed(result);
            }
        });
        sent.map(Unanswered.Sent::operation)
                .filter(operation -> !operation.equals(Operation.NONE))
                .ifPresent(operation -> over(operation, outcome(result.result()), ""));
        return sent.map(Unanswered.Sent::pending);
    }

    private static boolean asksForTools(Pending pending) {
        return switch (pending) {
            case Pending.Own own -> own.method().equals(Methods.TOOLS_LIST);
            case Pending.Plain plain -> plain.method().equals(Methods.TOOLS_LIST);
            default -> false;
        };
    }

    /** Takes a request of the client back that is on the line already. */
    void takeBack(String clientKey) {
        abandon(clientKey).ifPresent(id -> send(cancelled(id, NOBODY_WAITS)));
    }

    private static void over(Operation operation, Outcome outcome, String code) {
        operation.outcome(outcome, code);
        operation.end();
    }

    private static Outcome outcome(Value result) {
        boolean failed = result.kind() == Kind.OBJECT
                && result.member("isError")
                        .filter(flag -> flag.kind() == Kind.TRUE)
                        .isPresent();
        return failed ? Outcome.TOOL_ERROR : Outcome.OK;
    }

    private static String code(Value error) {
        return error.kind() == Kind.OBJECT
                ? error.member("code")
                        .filter(code -> code.kind() == Kind.NUMBER)
                        .map(Value::raw)
                        .orElse("")
                : "";
    }

    @Override
    public void text(byte[] bytes) {
        said(bytes, null);
    }

    @Override
    public void text(byte[] bytes, RpcId stream) {
        said(bytes, stream);
    }

    private void said(byte[] bytes, @Nullable RpcId stream) {
        RpcMessage message;
        try {
            message = RpcMessage.parse(bytes);
        } catch (MalformedJsonException | InvalidMessageException e) {
            unreadable(bytes, String.valueOf(e.getMessage()));
            return;
        }
        switch (message) {
            case RpcMessage.Result result -> {
                take(result).ifPresentOrElse(p -> carefully(p, () -> handler.result(this, p, result)), this::orphan);
                settled();
            }
            case RpcMessage.Failure failure -> {
                take(failure.id(), Outcome.ERROR, code(failure.error()))
                        .ifPresentOrElse(p -> carefully(p, () -> handler.failure(this, p, failure)), this::orphan);
                settled();
            }
            case RpcMessage.Request request -> {
                if (modern == null) {
                    carefully(null, () -> handler.request(this, request, stream));
                } else {
                    skip("a request, of which its revision of MCP has none");
                    send(RpcWriter.failure(
                            request.id(), RpcWriter.METHOD_NOT_FOUND, "servers of this revision ask in their answers"));
                }
            }
            case RpcMessage.Notification notification -> {
                if (notification.method().equals(Methods.PROGRESS)) {
                    notification
                            .index()
                            .root()
                            .pointer("/params/progressToken")
                            .ifPresent(token -> unanswered.progressed(token.raw()));
                }
                ModernLine line = modern;
                Optional<RpcMessage.Notification> heard = line == null
                        ? Optional.of(notification)
                        : line.came(notification, id -> lost(id, "it ended the stream", false));
                heard.ifPresent(plain -> carefully(null, () -> handler.notification(this, plain, stream)));
            }
        }
    }

    /** Says that a request is not open any more. */
    private void settled() {
        carefully(null, () -> handler.settled(this));
    }

    /** A fault must not stop the line, and what it was about must not hang. */
    private void carefully(@Nullable Pending about, Runnable work) {
        try {
            work.run();
        } catch (SessionOver e) {
            if (about != null) {
                handler.lost(this, about, String.valueOf(e.getMessage()), true);
            }
        } catch (RuntimeException e) {
            log.fault(LogEvent.UPSTREAM_FAULT, "handling a message of `" + upstream.name() + "` failed", e);
            if (about != null) {
                handler.lost(this, about, "handling its answer failed", true);
            }
        }
    }

    private void orphan() {
        skip("an answer to nothing that was asked");
    }

    private void unreadable(byte[] bytes, String why) {
        OversizeId id = new OversizeId();
        for (byte b : bytes) {
            id.accept(b);
        }
        Optional<Pending> answered = id.ofAnswer().flatMap(own -> take(own, Outcome.LOST, ""));
        if (answered.isPresent()) {
            handler.lost(this, answered.get(), "its answer can't be read: " + why, true);
        } else {
            skip("a line on its standard output that is no message (" + why + ")");
        }
        settled();
    }

    @Override
    public void tooLong(MessageLines.TooLong line) {
        String why = "its answer has " + line.bytes() + " bytes, more than the limit";
        Optional<Pending> answered = line.id().flatMap(own -> take(own, Outcome.LOST, ""));
        if (answered.isPresent()) {
            handler.lost(this, answered.get(), why, true);
        } else {
            skip("a message of " + line.bytes() + " bytes, more than the limit");
        }
        settled();
    }

    /** Says so at first, then ever more rarely: a server that writes garbage must not fill the log. */
    private void skip(String what) {
        skipped++;
        if (skipped <= 10 || Long.bitCount(skipped) == 1) {
            log.line(
                    LogEvent.UPSTREAM_SKIPPED,
                    "skipped from `" + upstream.name() + "`: " + what
                            + (skipped > 10 ? " (" + skipped + " so far)" : ""));
        }
    }

    @Override
    public boolean awaits(RpcId id) {
        return unanswered.awaits(id);
    }

    @Override
    public void lost(RpcId id, String why, boolean entered) {
        take(id, Outcome.LOST, "").ifPresent(mine -> handler.lost(this, mine, why, entered));
        settled();
    }

    @Override
    public void refused(RpcId id, String why) {
        take(id, Outcome.LOST, "").ifPresent(mine -> {
            switch (mine) {
                case Pending.Own own ->
                    own.answer().completeExceptionally(new Refusal(UpstreamMessages.lostOf(upstream.name()) + why));
                case Pending.Plain plain when refused(plain, () -> handler.lost(this, plain, why, false)) -> {}
                default -> handler.lost(this, mine, why, false);
            }
        });
        settled();
    }

    /**
     * Returns whether somebody else sees to it that the client's handshake was refused.
     *
     * @param otherwise what they do, on another thread, where nothing else comes of it: the client is to hear of the refusal
     */
    boolean refused(Pending.Plain plain, Runnable otherwise) {
        return plain.method().equals(Methods.INITIALIZE) && whenRefused.test(plain, otherwise);
    }

    /** Says who sees to it that the client's handshake is refused. */
    void whenRefused(BiPredicate<Pending.Plain, Runnable> done) {
        whenRefused = done;
    }

    @Override
    public void unreachable(String why) {
        unreachable = why;
        whenUnreachable.run();
    }

    @Override
    public void renewed() {
        toolsChanged(); // before anything more is sent: its tools may be others
        Thread.ofVirtual().name("renewed-" + upstream.name()).start(whenRenewed);
    }

    /** Says what is done when the upstream forgot the session and it was begun anew; on a thread of its own. */
    void whenRenewed(Runnable done) {
        whenRenewed = done;
    }

    /** Says what is done when the upstream can't be reached; on the thread that says so. */
    void whenUnreachable(Runnable done) {
        whenUnreachable = done;
    }

    /** Returns why the upstream could not be reached; empty text where it could. */
    String unreachable() {
        return unreachable;
    }

    @Override
    public void ended(String why) {
        endedItself = !closed;
        modern().ifPresent(line -> line.subscriptions().close());
        handler.observation().ended(this);
        var lost = unanswered.end();
        whenEnded.accept(why); // before the client is told: if it calls again at once, that must be known
        lost.forEach(each -> {
            over(each.operation(), Outcome.LOST, "");
            handler.lost(this, each.pending(), why, false);
        });
        expiry.off();
        handler.ended(this, why);
    }

    /** Says who is told before everybody else that the line ended; on the thread that says so. */
    void whenEnded(Consumer<String> told) {
        whenEnded = told;
    }

    /** Returns whether the line ended before it was closed from here. */
    boolean endedItself() {
        return endedItself;
    }

    void close() {
        closed = true;
        modern().ifPresent(line -> line.subscriptions().close());
        expiry.off();
        link.close();
    }
}
