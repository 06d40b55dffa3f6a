// This file has more than 400 lines because all that can become of a message over HTTP stands here, each way in a few
// lines.
package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * An upstream over Streamable HTTP, as MCP 2025-11-25 has it (basic/transports), and the revisions before that and after.
 *
 * <p>Messages are sent one after the other; answers are read side by side, and handed on one at a time, each event when it
 * came. Whoever takes them slowly makes the upstream wait. A session that the upstream forgot (404) is begun anew with the
 * same handshake, and the request that it refused for that is sent once more, but a call of a tool is not: its tools may be
 * others now, and so is not for us to say whether it ran. What the upstream does wrong ends a request,
 * never the line: it ends when it is closed.
 *
 * <p>A request that names its revision in {@code _meta} is one of 2026-07-28: it has no session, its headers say what it is,
 * its stream is not resumed, and is closed where the request is taken back.
 */
public final class HttpUpstream implements UpstreamLink {

    private static final Duration HANDSHAKE = Duration.ofSeconds(60);
    private static final Duration TELLING = Duration.ofSeconds(5);
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** What a request may take at most; whoever asked has given up long before. */
    private static final Duration LONGEST = Duration.ofHours(25);

    /** How long an answer may still come that nobody waits for any more. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final int LARGEST_REFUSAL = 64 << 10;
    private static final Set<Integer> BLIND = Set.of(401, 403, 407, 408, 429);
    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";
    private static final byte[] INITIALIZED =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}".getBytes(StandardCharsets.UTF_8);

    private final String name;
    private final HttpAddress address;
    private final UpstreamHttp http;
    private final int limit;
    private final Log log;
    private final SendQueue queue = new SendQueue();
    private final ReentrantLock delivering = new ReentrantLock();
    private final ReentrantLock renewing = new ReentrantLock();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<HttpExchange, String> open = new ConcurrentHashMap<>();
    private final AtomicLong turns = new AtomicLong();
    private volatile @Nullable HttpExchange listening;
    private final AtomicInteger faults = new AtomicInteger();
    private final AtomicInteger pings = new AtomicInteger();
    private volatile HttpSessionId session = HttpSessionId.NONE;
    private volatile byte @Nullable [] handshake;
    private volatile boolean initialized;
    private volatile boolean modern;
    private volatile @Nullable Receiver receiver;
    private boolean ended;

    /**
     * Makes a line that does nothing yet.
     *
     * @param name the upstream's name, for people
     * @param limit the longest message, in bytes
     */
    public HttpUpstream(String name, HttpAddress address, UpstreamHttp http, int limit, Log log) {
        this.name = name;
        this.address = address;
        this.http = http;
        this.limit = limit;
        this.log = log.about("server", name);
    }

    @Override
    public void start(Receiver to) {
        receiver = to;
        Thread.ofVirtual().name("to-" + name).start(this::sendAll);
    }

    @Override
    public void send(byte[] message) throws IOException {
        send(message, Map.of());
    }

    @Override
    public boolean hasHeaders() {
        return true;
    }

    @Override
    public void send(byte[] message, Map<String, String> headers) throws IOException {
        try {
            if (!queue.add(new SendQueue.Outgoing(RpcMessage.parse(message), headers))) {
                throw new IOException("the line to `" + name + "` is closed, or takes nothing for too long");
            }
        } catch (MalformedJsonException | InvalidMessageException e) {
            throw new IOException("a message for `" + name + "` can't be sent: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void sendAll() {
        try {
            for (var next = queue.take(); next.isPresent(); next = queue.take()) {
                send(next.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One message that can't be sent must not end the line. */
    private void send(SendQueue.Outgoing outgoing) throws InterruptedException {
        RpcMessage message = outgoing.message();
        try {
            if (message instanceof RpcMessage.Request request) {
                send(request, ModernHead.of(request, outgoing.headers()));
            } else if (modern) {
                tellModern(message);
            } else {
                tell(message);
            }
        } catch (RuntimeException e) {
            fault("a message to `" + name + "` failed: " + e.getMessage());
            if (message instanceof RpcMessage.Request request) {
                lost(request.id(), "the request failed; the log of sluice says why", false);
            }
        }
    }

    /** Returns once what comes after it may be sent: a request need not be answered for that, but a handshake must. */
    private void send(RpcMessage.Request request, Map<String, String> head) throws InterruptedException {
        boolean isHandshake = request.method().equals("initialize");
        modern = !head.isEmpty();
        if (isHandshake) {
            handshake = request.bytes();
        }
        CountDownLatch sent = new CountDownLatch(1);
        Thread.ofVirtual().name("from-" + name).start(() -> {
            try {
                if (head.isEmpty()) {
                    ask(request, isHandshake ? new CountDownLatch(1) : sent);
                } else {
                    askModern(request, head, sent);
                }
            } catch (UnreachableException e) {
                lost(request.id(), "it can't be reached at " + address.origin() + ": " + e.getMessage(), false);
                unreachable(e);
            } catch (IOException e) {
                lost(request.id(), String.valueOf(e.getMessage()), false);
            } catch (RuntimeException e) {
                fault("a request to `" + name + "` failed: " + e.getMessage());
                lost(request.id(), "the request failed; the log of sluice says why", false);
            } finally {
                sent.countDown();
            }
        });
        var _ = sent.await((isHandshake ? HANDSHAKE : TELLING).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sends a request and hands on what comes of it, to its answer. */
    private void ask(RpcMessage.Request request, CountDownLatch sent) throws IOException {
        boolean isHandshake = request.method().equals("initialize");
        HttpSessionId used = isHandshake ? HttpSessionId.NONE : session;
        String key = request.id().key();
        HttpExchange exchange = begin(HttpMethod.POST, used, "", request.bytes(), key);
        try {
            exchange.awaitSent(TELLING);
            sent.countDown();
            exchange.awaitHead(LONGEST);
            if (isForgotten(exchange.status(), used)) {
                end(exchange);
                used = renewed(used);
                if (request.method().equals("tools/call")) {
                    throw new IOException("it forgot the session, which is begun anew now; call again");
                }
                exchange = begin(HttpMethod.POST, used, "", request.bytes(), key);
                exchange.awaitHead(LONGEST);
                if (exchange.status() == 404) {
                    throw new IOException("it does not know the session that it just began (status 404)");
                }
            }
            answer(exchange, request, used, isHandshake);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            end(exchange);
        }
    }

    /** Sends a request that has no session, and hands on what comes of it, to its answer. */
    private void askModern(RpcMessage.Request request, Map<String, String> head, CountDownLatch sent)
            throws IOException {
        HttpExchange exchange = begin(
                HttpMethod.POST, headers(head), request.bytes(), request.id().key());
        try {
            exchange.awaitSent(TELLING);
            sent.countDown();
            exchange.awaitHead(LONGEST);
            if (exchange.status() != 200) {
                refused(exchange, request.id());
                return;
            }
            plain(exchange);
            switch (exchange.mediaType()) {
                case JSON -> whole(exchange, request.id(), null, limit);
                case EVENTS -> {
                    read(exchange, new Resumption(), request.id());
                    lost(request.id(), "its stream ended before the answer", false);
                }
                default -> throw new IOException("its answer is neither JSON nor an event stream");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            end(exchange);
        }
    }

    private Map<String, String> headers(Map<String, String> head) {
        Map<String, String> headers = new LinkedHashMap<>(address.headers());
        headers.put("Accept", JSON + ", " + EVENTS);
        headers.putAll(head);
        return headers;
    }

    /** Of answers there are none, and a request is taken back by closing its stream. */
    private void tellModern(RpcMessage message) {
        if (!(message instanceof RpcMessage.Notification notification)) {
            return;
        }
        if (notification.method().equals("notifications/cancelled")) {
            cancelled(message, Duration.ZERO);
            return;
        }
        try (HttpExchange exchange =
                begin(HttpMethod.POST, headers(ModernHead.of(notification)), notification.bytes(), "")) {
            int status = exchange.awaitHead(TELLING).status();
            open.remove(exchange);
            if (status / 100 != 2) {
                fault("`" + name + "` did not take a message: " + refusal(status));
            }
        } catch (IOException e) {
            fault("`" + name + "` did not take a message: " + e.getMessage());
        }
    }

    private void answer(HttpExchange exchange, RpcMessage.Request request, HttpSessionId used, boolean isHandshake)
            throws IOException {
        if (exchange.status() != 200) {
            refused(exchange, request.id());
            return;
        }
        plain(exchange);
        String begun = isHandshake ? HttpSessionId.in(exchange) : null;
        switch (exchange.mediaType()) {
            case JSON -> whole(exchange, request.id(), begun, limit);
            case EVENTS -> events(exchange, request.id(), used, begun);
            default -> throw new IOException("its answer is neither JSON nor an event stream");
        }
    }

    /** Reads an answer that is one message; {@code begun} is the session where it answers a handshake, else null. */
    private void whole(HttpExchange exchange, RpcId id, @Nullable String begun, int most) throws IOException {
        byte[] message;
        try (InputStream body = exchange.body()) {
            message = body.readNBytes(Math.min(most, Integer.MAX_VALUE - 16) + 1);
        } catch (IOException e) {
            throw new IOException("the connection broke off before its answer was whole", e);
        }
        if (message.length > most) {
            lost(id, "its answer has more bytes than the limit of " + most, true);
            return;
        }
        begin(begun, id, message);
        deliver(to -> to.text(message));
        lost(id, "what it answered is not the answer to the request", true);
    }

    /** Reads events until the answer came, and asks for the rest where a stream ends before. */
    private void events(HttpExchange first, RpcId id, HttpSessionId used, @Nullable String begun) throws IOException {
        HttpExchange exchange = first;
        Resumption rest = new Resumption();
        while (true) {
            EventStream stream = new EventStream(exchange.body(), limit);
            try {
                for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                    if (event.get() instanceof MessageLines.Text text) {
                        begin(begun, id, text.bytes());
                    }
                    hand(event.get(), id);
                }
            } catch (IOException e) {
                rest.broke();
            } finally {
                end(exchange);
            }
            rest.after(stream);
            if (isClosed() || !awaits(id)) {
                return;
            }
            if (rest.lastId().isEmpty()) {
                throw new IOException("its stream ended before the answer");
            }
            exchange = resume(rest, id, used);
        }
    }

    private HttpExchange resume(Resumption rest, RpcId id, HttpSessionId used) throws IOException {
        while (true) {
            pause(rest.delay());
            HttpExchange exchange = begin(HttpMethod.GET, used, rest.lastId(), null, id.key());
            try {
                exchange.awaitHead(LONGEST);
            } catch (UnreachableException e) {
                end(exchange);
                if (rest.isHopeless()) {
                    throw e;
                }
                continue;
            }
            if (exchange.status() == 200 && exchange.mediaType().equals(EVENTS)) {
                return exchange;
            }
            end(exchange);
            throw new IOException("its stream broke off before the answer, and it does not go on with it (status "
                    + exchange.status() + ")");
        }
    }

    /** Takes note of the session that a handshake's answer begins, before anybody can use it. */
    private void begin(@Nullable String begun, RpcId id, byte[] message) {
        if (begun != null) {
            HttpSessionId.of(begun, id, message).ifPresent(each -> session = each);
        }
    }

    /**
     * Returns whether {@code status} says that the upstream forgot the session. That is 404; many servers say 400, as the
     * examples of the SDKs do, but of wrong requests too: so of these a ping in the same session must be refused as well.
     */
    private boolean isForgotten(int status, HttpSessionId used) throws IOException {
        if (!used.isKnown() || status != 400) {
            return used.isKnown() && status == 404;
        }
        RpcId id = RpcId.ofText("sluice-alive-" + pings.incrementAndGet());
        byte[] ping =
                ("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"method\":\"ping\"}").getBytes(StandardCharsets.UTF_8);
        HttpExchange exchange = begin(HttpMethod.POST, used, "", ping, "");
        try {
            int alive = exchange.awaitHead(TELLING).status();
            return alive == 400 || alive == 404;
        } finally {
            end(exchange);
        }
    }

    /** Returns a session that is none of those that the upstream forgot. */
    private HttpSessionId renewed(HttpSessionId forgotten) throws IOException {
        renewing.lock();
        try {
            byte[] hello = handshake;
            if (session != forgotten || hello == null) {
                return session;
            }
            log.line(LogEvent.UPSTREAM_BEGUN_ANEW, "`" + name + "` forgot the session; it is begun anew");
            RpcId id = ((RpcMessage.Request) RpcMessage.parse(hello)).id();
            HttpExchange exchange = begin(HttpMethod.POST, HttpSessionId.NONE, "", hello, id.key());
            Alarm late = new Alarm(exchange::close);
            late.in(HANDSHAKE);
            try {
                exchange.awaitHead(HANDSHAKE);
                if (exchange.status() != 200) {
                    throw new IOException("it forgot the session, and begins no other: " + refusal(exchange.status()));
                }
                plain(exchange);
                session = HttpSessionId.of(HttpSessionId.in(exchange), id, answerTo(id, exchange))
                        .orElseThrow(() -> new IOException("it forgot the session, and refuses another handshake"));
            } finally {
                late.off();
                end(exchange);
            }
            if (initialized) {
                begun(session);
                deliver(Receiver::renewed);
            }
            return session;
        } finally {
            renewing.unlock();
        }
    }

    private byte[] answerTo(RpcId id, HttpExchange exchange) throws IOException {
        if (exchange.mediaType().equals(JSON)) {
            try (InputStream body = exchange.body()) {
                return body.readNBytes(limit);
            }
        }
        EventStream stream = new EventStream(exchange.body(), limit);
        for (var event = stream.next(); event.isPresent(); event = stream.next()) {
            if (event.get() instanceof MessageLines.Text text && HttpSessionId.answers(id, text.bytes())) {
                return text.bytes();
            }
        }
        throw new IOException("it forgot the session, and does not answer another handshake");
    }

    /** Tells the upstream that the session is in use, and listens from then on. */
    private void begun(HttpSessionId mine) throws IOException {
        HttpExchange exchange = begin(HttpMethod.POST, mine, "", INITIALIZED, "");
        try {
            exchange.awaitHead(TELLING);
        } finally {
            end(exchange);
        }
        listen(mine);
    }

    /** Listens in place of whoever did before: there is one stream at a time. */
    private void listen(HttpSessionId mine) {
        long turn = turns.incrementAndGet();
        HttpExchange before = listening;
        if (before != null) {
            end(before);
        }
        if (mine.isBegun()) {
            Thread.ofVirtual().name("stream-" + name).start(() -> listenOn(mine, turn));
        }
    }

    /** Sends what wants no answer, and waits until it was taken: what comes after it may build on it. */
    private void tell(RpcMessage message) {
        boolean opens = message instanceof RpcMessage.Notification notification
                && notification.method().equals("notifications/initialized");
        cancelled(message, GRACE);
        HttpSessionId used = session;
        try {
            int status = told(message, used);
            if (message instanceof RpcMessage.Notification && isForgotten(status, used)) {
                used = renewed(used);
                status = told(message, used);
            }
            if (status / 100 != 2) {
                fault("`" + name + "` did not take a message: " + refusal(status));
            } else if (opens) {
                initialized = true;
                listen(used);
            }
        } catch (UnreachableException e) {
            fault("`" + name + "` can't be reached at " + address.origin() + ": " + e.getMessage());
            unreachable(e);
        } catch (IOException e) {
            fault("`" + name + "` did not take a message: " + e.getMessage());
        }
    }

    private int told(RpcMessage message, HttpSessionId used) throws IOException {
        HttpExchange exchange = begin(HttpMethod.POST, used, "", message.bytes(), "");
        try {
            return exchange.awaitHead(TELLING).status();
        } finally {
            end(exchange);
        }
    }

    /** An answer that nobody waits for any more may still come for a while; then its stream is closed. */
    private void cancelled(RpcMessage message, Duration grace) {
        if (message instanceof RpcMessage.Notification notification
                && notification.method().equals("notifications/cancelled")) {
            notification
                    .params()
                    .flatMap(params -> params.pointer("/requestId"))
                    .flatMap(RpcMessage::idIn)
                    .map(RpcId::key)
                    .ifPresent(key -> open.forEach((exchange, of) -> {
                        if (of.equals(key)) {
                            new Alarm(exchange::close).in(grace);
                        }
                    }));
        }
    }

    /** Keeps the stream open that belongs to no request, as long as {@code mine} is the session. */
    private void listenOn(HttpSessionId mine, long turn) {
        Resumption rest = new Resumption();
        while (!isClosed() && session == mine && turns.get() == turn) {
            try {
                HttpExchange exchange = begin(HttpMethod.GET, mine, rest.lastId(), null, "");
                listening = exchange;
                try {
                    if (turns.get() != turn) {
                        return; // another began meanwhile, and could not see this one
                    }
                    exchange.awaitHead(HANDSHAKE);
                    if (exchange.status() / 100 != 5) {
                        if (exchange.status() != 200 || !exchange.mediaType().equals(EVENTS)) {
                            unheard(exchange.status());
                            return;
                        }
                        read(exchange, rest, null);
                    } else {
                        rest.broke();
                    }
                } finally {
                    end(exchange);
                }
            } catch (IOException e) {
                rest.broke();
            }
            try {
                pause(rest.delay());
            } catch (IOException e) {
                return;
            }
        }
    }

    private void read(HttpExchange exchange, Resumption rest, @Nullable RpcId of) {
        EventStream stream = new EventStream(exchange.body(), limit);
        try {
            for (var event = stream.next(); event.isPresent(); event = stream.next()) {
                hand(event.get(), of);
            }
        } catch (IOException e) {
            rest.broke();
        }
        rest.after(stream);
    }

    /** 405 is how a server says that it has no such stream; 404 that the session is over, which the next request mends. */
    private void unheard(int status) {
        if (status != 405 && status != 404) {
            fault("`" + name + "` does not let sluice listen: " + refusal(status));
        }
    }

    private HttpExchange begin(
            HttpMethod method, HttpSessionId used, String lastId, byte @Nullable [] body, String request)
            throws IOException {
        return begin(
                method,
                used.headers(address.headers(), method == HttpMethod.GET ? EVENTS : JSON + ", " + EVENTS, lastId),
                body,
                request);
    }

    private HttpExchange begin(HttpMethod method, Map<String, String> headers, byte @Nullable [] body, String request)
            throws IOException {
        if (isClosed()) {
            throw new IOException("the line is closed");
        }
        HttpExchange exchange = http.send(method, address.url(), headers, body);
        open.put(exchange, request);
        if (isClosed()) {
            end(exchange);
        }
        return exchange;
    }

    private void end(HttpExchange exchange) {
        open.remove(exchange);
        exchange.close();
    }

    private void pause(Duration time) throws IOException {
        try {
            if (closed.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("the line is closed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void plain(HttpExchange exchange) throws IOException {
        if (exchange.header("Content-Encoding")
                .filter(each -> !each.equals("identity"))
                .isPresent()) {
            throw new IOException("its answer is compressed, which nobody asked for");
        }
    }

    /** A refusal can have the answer as its body; its other words are nobody's to read. */
    private void refused(HttpExchange exchange, RpcId id) throws IOException {
        int status = exchange.status();
        if (status >= 400
                && status != 401
                && status != 403
                && exchange.mediaType().equals(JSON)) {
            try (InputStream body = exchange.body()) {
                byte[] message = withId(id, body.readNBytes(Math.min(limit, LARGEST_REFUSAL)));
                if (RpcMessage.parse(message) instanceof RpcMessage.Failure failure
                        && failure.id().key().equals(id.key())) {
                    deliver(to -> to.text(message));
                }
            } catch (IOException | MalformedJsonException | InvalidMessageException e) {
                // It is no answer, so the status is all there is.
            }
        }
        // Whoever refuses for want of a credential or of time would refuse any request.
        if (status / 100 == 4 && !BLIND.contains(status)) {
            if (!isClosed()) {
                deliver(to -> to.refused(id, refusal(status)));
            }
        } else {
            lost(id, refusal(status), false);
        }
    }

    /** What is refused for its headers may not have been read as far as its id. */
    private static byte[] withId(RpcId id, byte[] message) {
        JsonIndex index = JsonIndex.parse(message);
        JsonIndex.Value root = index.root();
        boolean without = root.kind() == JsonIndex.Kind.OBJECT
                && root.member("error").isPresent()
                && root.member("id")
                        .filter(own -> own.kind() != JsonIndex.Kind.NULL)
                        .isEmpty();
        return without ? new JsonEdits(index).setMember(root, "id", id.bytes()).apply() : message;
    }

    private String refusal(int status) {
        String look = address.variables().isEmpty()
                ? "write one under `headers` of the server's entry"
                : "look at `" + String.join("`, `", address.variables()) + "`";
        return switch (status) {
            case 401 -> "it wants another credential (status 401); " + look;
            case 403 -> "it lets this credential do nothing here (status 403); " + look;
            case 404 -> "nothing is at its address (status 404); check the path of its `url`";
            case 405 ->
                "no MCP server over Streamable HTTP is at its address (status 405); check the path of its `url`";
            case 429 -> "it has too much to do (status 429); call again later";
            default ->
                status / 100 == 3
                        ? "it sends on to another address (status " + status
                                + "), which is not followed; write that address as its `url`"
                        : status / 100 == 2
                                ? "it took the request and gave no answer (status " + status + ")"
                                : "it answered with status " + status;
        };
    }

    /** What can come again and again must not fill the log. */
    private void fault(String what) {
        int count = faults.incrementAndGet();
        if (!isClosed() && (count <= 10 || Integer.bitCount(count) == 1)) {
            log.line(LogEvent.UPSTREAM_SKIPPED, what + (count > 10 ? " (" + count + " such so far)" : ""));
        }
    }

    /**
     * Hands on what came on a stream.
     *
     * @param of the request that the stream answers; null for the one that answers none
     */
    private void hand(MessageLines.Line line, @Nullable RpcId of) {
        deliver(to -> {
            switch (line) {
                case MessageLines.Text text when of != null -> to.text(text.bytes(), of);
                case MessageLines.Text text -> to.text(text.bytes());
                case MessageLines.TooLong tooLong -> to.tooLong(tooLong);
            }
        });
    }

    private boolean awaits(RpcId id) {
        Receiver to = receiver;
        return to != null && to.awaits(id);
    }

    /** What is lost because the line is being closed is told with its end. */
    private void lost(RpcId id, String why, boolean entered) {
        if (!isClosed()) {
            deliver(to -> to.lost(id, why, entered));
        }
    }

    /** So is what breaks since it is being closed. */
    private void unreachable(UnreachableException e) {
        if (!isClosed()) {
            deliver(to -> to.unreachable(String.valueOf(e.getMessage())));
        }
    }

    private interface Delivery {
        void to(Receiver receiver);
    }

    /** One thing at a time, from whichever stream. */
    private void deliver(Delivery what) {
        Receiver to = receiver;
        delivering.lock();
        try {
            if (!ended && to != null) {
                what.to(to);
            }
        } finally {
            delivering.unlock();
        }
    }

    @Override
    public void close() {
        synchronized (closed) {
            if (isClosed()) {
                return;
            }
            closed.countDown();
        }
        queue.close();
        open.keySet().forEach(this::end);
        HttpSessionId last = session;
        if (last.isKnown()) {
            goodbye(last);
        }
        try {
            // Whoever hands something on to a client that does not read is not waited for.
            boolean held = delivering.tryLock(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
            try {
                Receiver to = receiver;
                if (!ended && to != null) {
                    ended = true;
                    to.ended("the line to it was closed");
                }
            } finally {
                if (held) {
                    delivering.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The server may forget the session; one that keeps it, or is gone, does no harm. */
    private void goodbye(HttpSessionId last) {
        try (HttpExchange exchange =
                http.send(HttpMethod.DELETE, address.url(), last.headers(address.headers(), JSON, ""), null)) {
            exchange.awaitHead(GOODBYE);
        } catch (IOException e) {
            // It is being closed all the same.
        }
    }
}
