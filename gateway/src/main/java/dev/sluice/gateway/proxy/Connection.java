package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.jsonrpc.InvalidMessageException;
import dev.sluice.gateway.jsonrpc.OversizeId;
import dev.sluice.gateway.jsonrpc.RpcId;
import dev.sluice.gateway.jsonrpc.RpcMessage;
import dev.sluice.gateway.jsonrpc.RpcWriter;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.Upstream;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One client session's line to one upstream: what was asked and is not answered yet, and what comes from there, in order.
 *
 * <p>Every request that went out is answered in the end: by the upstream, or, when its answer can't be used or its process
 * ends, by {@link Handler#lost}.
 */
final class Connection implements UpstreamLink.Receiver {

    /** How long Sluice waits for an answer that it needs itself. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A request on the line, with the id that it has there. */
    private record Sent(RpcId id, Pending pending) {}

    /** Who handles what an upstream says. Called from one thread for each connection, in order. */
    interface Handler {
        void result(Connection from, Pending pending, RpcMessage.Result message);

        void failure(Connection from, Pending pending, RpcMessage.Failure message);

        void request(Connection from, RpcMessage.Request message);

        void notification(Connection from, RpcMessage.Notification message);

        /** That {@code pending} will never be answered; {@code entered} where its answer came but can't be passed on. */
        void lost(Connection from, Pending pending, String why, boolean entered);

        /** That the upstream is gone; everything that was pending was given to {@link #lost}. */
        void ended(Connection from, String why);
    }

    private final Upstream upstream;
    private final UpstreamLink link;
    private final Handler handler;
    private final Log log;
    private final Map<String, Sent> pending = new LinkedHashMap<>();
    private final AtomicLong ownIds = new AtomicLong();
    private final Lane lane;
    private boolean ended;
    private long skipped;
    private volatile boolean toolsKnown;
    private volatile @Nullable RpcMessage handshake;

    Connection(Upstream upstream, UpstreamLink link, Handler handler, Log log) {
        this.upstream = upstream;
        this.link = link;
        this.handler = handler;
        this.log = log;
        this.lane = new Lane(log);
    }

    Upstream upstream() {
        return upstream;
    }

    /** Returns what keeps the client's messages to this upstream in order. */
    Lane lane() {
        return lane;
    }

    /** Returns the upstream's answer to {@code initialize}, where it has come. */
    Optional<RpcMessage> handshake() {
        return Optional.ofNullable(handshake);
    }

    boolean hasEnded() {
        synchronized (pending) {
            return ended;
        }
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
        return toolsKnown;
    }

    void toolsKnown(boolean known) {
        toolsKnown = known;
    }

    void start() throws IOException {
        link.start(this);
    }

    /** Sends a request whose answer goes to {@code answered}; a line that is down answers at once. */
    void request(RpcId id, byte[] message, Pending answered) {
        boolean down;
        synchronized (pending) {
            down = ended;
            if (!down) {
                pending.put(id.key(), new Sent(id, answered));
            }
        }
        if (down) {
            handler.lost(this, answered, "its process ended", false);
            return;
        }
        try {
            link.send(message);
        } catch (IOException e) {
            take(id).ifPresent(mine -> handler.lost(this, mine, "it does not take messages any more", false));
        }
    }

    /**
     * Asks the upstream something on Sluice's own behalf and waits for the answer.
     *
     * @throws IOException where none comes
     */
    RpcMessage ask(String method, JsonNode params) throws IOException {
        CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
        RpcId id = freshId();
        request(id, RpcWriter.request(id, method, params), new Pending.Own(answer));
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            take(id);
            throw new IOException("the server `" + upstream.name() + "` did not answer `" + method + "`", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for `" + upstream.name() + "`", e);
        }
    }

    /**
     * Asks the upstream something on Sluice's own behalf, without waiting here.
     *
     * @param params the parameters, as JSON text
     * @return completes with the answer; with a fault where none comes in that time
     */
    CompletableFuture<RpcMessage> askLater(String method, String params, Duration within) {
        CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
        RpcId id = freshId();
        request(id, RpcWriter.request(id, method, params), new Pending.Own(answer));
        return answer.orTimeout(within.toMillis(), TimeUnit.MILLISECONDS).whenComplete((came, fault) -> {
            if (fault != null) {
                take(id);
            }
        });
    }

    /** Sends something that wants no answer; where the line is down, nobody is there to read it. */
    void send(byte[] message) {
        try {
            link.send(message);
        } catch (IOException e) {
            log.line("`" + upstream.name() + "` does not take messages any more");
        }
    }

    /** Returns the id by which the upstream knows the client's request of that key; empty where it has no such request. */
    Optional<RpcId> upstreamId(String clientKey) {
        synchronized (pending) {
            return pending.values().stream()
                    .filter(each -> each.pending().clientKey().equals(clientKey))
                    .map(Sent::id)
                    .findFirst();
        }
    }

    /** Returns the id for a client's request on this line: its own, unless one of Sluice's has the same. */
    RpcId idFor(RpcId clientId) {
        synchronized (pending) {
            return pending.containsKey(clientId.key()) ? freshId() : clientId;
        }
    }

    private RpcId freshId() {
        synchronized (pending) {
            RpcId id;
            do {
                id = RpcId.ofText("sluice-" + ownIds.incrementAndGet());
            } while (pending.containsKey(id.key()));
            return id;
        }
    }

    /**
     * Takes note that the client took that request back: an answer that still comes is for nobody, whatever its id means by
     * then. The id stays taken, so that such an answer can't be another request's; of many, the oldest are forgotten.
     */
    void abandon(String clientKey) {
        synchronized (pending) {
            pending.replaceAll((key, sent) ->
                    sent.pending().clientKey().equals(clientKey) ? new Sent(sent.id(), new Pending.Abandoned()) : sent);
            if (pending.size() > 2 * InFlight.MOST) {
                Iterator<Sent> each = pending.values().iterator();
                while (each.hasNext()) {
                    if (each.next().pending() instanceof Pending.Abandoned) {
                        each.remove();
                        return;
                    }
                }
            }
        }
    }

    /** Returns the client's request that a message without an id most likely belongs to: the oldest that is not answered. */
    String oldestRequest() {
        synchronized (pending) {
            return pending.values().stream()
                    .map(each -> each.pending().clientKey())
                    .filter(key -> !key.isEmpty())
                    .findFirst()
                    .orElse("");
        }
    }

    /** Returns the client's request whose progress {@code token} is about; empty text where there is none. */
    String requestOfToken(String token) {
        synchronized (pending) {
            return pending.values().stream()
                    .filter(each -> each.pending().progressToken().equals(token))
                    .map(each -> each.pending().clientKey())
                    .findFirst()
                    .orElse("");
        }
    }

    private Optional<Pending> take(RpcId id) {
        synchronized (pending) {
            return Optional.ofNullable(pending.remove(id.key())).map(Sent::pending);
        }
    }

    @Override
    public void text(byte[] bytes) {
        RpcMessage message;
        try {
            message = RpcMessage.parse(bytes);
        } catch (MalformedJsonException | InvalidMessageException e) {
            unreadable(bytes, String.valueOf(e.getMessage()));
            return;
        }
        switch (message) {
            case RpcMessage.Result result ->
                take(result.id())
                        .ifPresentOrElse(p -> carefully(p, () -> handler.result(this, p, result)), this::orphan);
            case RpcMessage.Failure failure ->
                take(failure.id())
                        .ifPresentOrElse(p -> carefully(p, () -> handler.failure(this, p, failure)), this::orphan);
            case RpcMessage.Request request -> carefully(null, () -> handler.request(this, request));
            case RpcMessage.Notification notification ->
                carefully(null, () -> handler.notification(this, notification));
        }
    }

    /** A fault must not stop the line, and what it was about must not hang. */
    private void carefully(@Nullable Pending about, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            log.line("handling a message of `" + upstream.name() + "` failed: " + e.getMessage());
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
        Optional<Pending> answered = id.ofAnswer().flatMap(this::take);
        if (answered.isPresent()) {
            handler.lost(this, answered.get(), "its answer can't be read: " + why, true);
        } else {
            skip("a line on its standard output that is no message (" + why + ")");
        }
    }

    @Override
    public void tooLong(MessageLines.TooLong line) {
        String why = "its answer has " + line.bytes() + " bytes, more than the limit";
        Optional<Pending> answered = line.id().flatMap(this::take);
        if (answered.isPresent()) {
            handler.lost(this, answered.get(), why, true);
        } else {
            skip("a message of " + line.bytes() + " bytes, more than the limit");
        }
    }

    /** Says so at first, then ever more rarely: a server that writes garbage must not fill the log. */
    private void skip(String what) {
        skipped++;
        if (skipped <= 10 || Long.bitCount(skipped) == 1) {
            log.line("skipped from `" + upstream.name() + "`: " + what
                    + (skipped > 10 ? " (" + skipped + " so far)" : ""));
        }
    }

    @Override
    public void ended(String why) {
        List<Sent> left;
        synchronized (pending) {
            ended = true;
            left = List.copyOf(pending.values());
            pending.clear();
        }
        left.forEach(each -> handler.lost(this, each.pending(), why, false));
        handler.ended(this, why);
    }

    void close() {
        link.close();
    }
}
