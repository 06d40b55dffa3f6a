// This file has more than 400 lines because all that one lock guards stands in one place.
package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One client over HTTP: which of its streams a message to it belongs on, and what of it waits to be read.
 *
 * <p>An answer goes to the POST that asked. What else belongs to a request goes there before the answer; what belongs to
 * none goes to the GET stream, or to an open POST where the client has no such stream, or waits for either.
 *
 * <p>Whoever writes for the client never waits for it: messages are put on a stream, and a thread that serves the client's
 * HTTP request takes them from there. While nothing is on a request's stream there is no such thread; where the answer is
 * all that ever comes, as for most requests, whoever brings it hands it to the connection. A stream whose connection broke keeps its messages within the bounds of the
 * {@link Backlog}, and goes on when the client asks for it with {@code Last-Event-ID}.
 *
 * <p>Since 2026-07-28 a session is what requests of one conversation or principal share, and {@link ModernSide} tells them
 * apart. There is no GET stream, nobody comes back for a stream, and who leaves one takes the request back.
 *
 * <p>Source: MCP revision 2025-11-25, Base Protocol, Transports, Resumability and Redelivery; revision 2026-07-28,
 * Streamable HTTP.
 */
public final class HttpSession implements ClientSide {

    /** How long an answer may be JSON: then events begin, so that the client can come back for it. */
    private static final Duration UNTIL_EVENTS = Duration.ofSeconds(5);

    /** How long a stream is silent before it has a sign of life. */
    public static final Duration BETWEEN_BEATS = Duration.ofSeconds(15);

    /** For how long messages wait for a client that lost its GET stream, before an open POST gets them. */
    private static final Duration UNTIL_GIVEN_UP = Duration.ofSeconds(30);

    private static final String ENDED =
            "the session in which this was asked has ended; whether it did anything is not known";

    private static final int MOST_KEPT_STREAMS = 64;
    private static final long STANDALONE = 0;

    private final Log log;
    private final Backlog backlog;
    private final Duration beats;
    private final Duration untilEvents;
    private final boolean modern;
    private final ReentrantLock lock = new ReentrantLock();
    private final String nonce =
            HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
    private final Map<Long, ClientStream> streams = new LinkedHashMap<>();
    private final Map<String, ClientStream> unanswered = new LinkedHashMap<>();
    private final ClientStream standalone = new ClientStream(STANDALONE, "", null, lock.newCondition(), () -> {});
    private final Alarm alarm = new Alarm(this::beginEvents);

    /** Whether the alarm is set; only under the lock, or a stream that is parked while it goes off would never begin. */
    private boolean watching;

    private volatile @Nullable Consumer<RpcMessage> proxy;
    private volatile @Nullable ModernSide side;
    private long made = STANDALONE;
    private long waiting;
    private long written;
    private long listenedUntil;
    private boolean listened;
    private long givenUp;
    private boolean ending;
    private boolean closed;

    /**
     * Makes the session of one client.
     *
     * @param beats how long a stream is silent before it has a sign of life, and how long until its reader is looked at
     */
    public HttpSession(Backlog backlog, Log log, Duration beats) {
        this(backlog, log, beats, UNTIL_EVENTS, false);
    }

    private HttpSession(Backlog backlog, Log log, Duration beats, Duration untilEvents, boolean modern) {
        this.backlog = backlog;
        this.beats = beats;
        this.untilEvents = untilEvents;
        this.modern = modern;
        this.log = log;
        streams.put(STANDALONE, standalone);
    }

    /**
     * Makes the session of modern clients.
     *
     * @param untilEvents how long an answer may be JSON: then events begin, so that a client that left is noticed
     * @param beats how long a stream is silent before it has a sign of life, likewise
     */
    public static HttpSession modern(Backlog backlog, Log log, Duration untilEvents, Duration beats) {
        return new HttpSession(backlog, log, beats, untilEvents, true);
    }

    /** Says where messages of modern clients go. */
    public void connect(ModernSide to) {
        this.side = to;
        this.proxy = to::fromClient;
    }

    /** Returns the input schema of a tool; empty where its definition is not known. */
    Optional<JsonNode> schema(String tool) {
        ModernSide to = side;
        return to == null ? Optional.empty() : to.schema(tool);
    }

    /** Says where messages of the client go. */
    public void connect(Consumer<RpcMessage> proxy) {
        this.proxy = proxy;
    }

    /** Takes a message of the client that wants no answer. */
    void accept(RpcMessage message) {
        Consumer<RpcMessage> to = proxy;
        if (to != null) {
            to.accept(message);
        }
    }

    /**
     * Takes a request, and returns when its answer is written, or it was taken back, or the session ended; or before that,
     * where nothing is to be written yet: then it leaves the open answer, for whoever brings something to write.
     *
     * @param answered run when the request is over, whatever became of it: it has an answer, whether the client reads it or
     *     not, or was lost or refused or taken back; not when the client goes away and the request goes on
     */
    void serve(RpcMessage.Request request, StreamWriter out, Runnable answered) throws IOException {
        serve(request, name -> List.of(), out, answered);
    }

    /**
     * Likewise for a request whose headers say again what its arguments do.
     *
     * @param sent the values of such a header
     */
    void serve(RpcMessage.Request request, Function<String, List<String>> sent, StreamWriter out, Runnable answered)
            throws IOException {
        ModernSide to = side;
        if (to == null) {
            serve(request, request.id(), out, answered);
            return;
        }
        RpcMessage.Request admitted = to.admitted(request, sent);
        if (!serve(admitted, request.id(), out, answered)) {
            to.gone(admitted.id().key());
        }
    }

    /**
     * @param own the id that the client gave the request
     * @return false where the request was refused here
     */
    private boolean serve(RpcMessage.Request request, RpcId own, StreamWriter out, Runnable answered)
            throws IOException {
        ClientStream stream;
        String refused = "";
        lock.lock();
        try {
            stream = new ClientStream(made + 1, request.id().key(), own, lock.newCondition(), answered);
            if (ending || closed) {
                refused = modern
                        ? "the session has just ended; send the request again"
                        : "the session has ended; begin a new one with `initialize`";
            } else if (unanswered.containsKey(request.id().key())) {
                refused = "the id is in use by a request that has no answer yet";
            } else if (modern ? !backlog.admitsRequestsOfMany(waiting) : !backlog.admitsRequests(waiting)) {
                refused = "too much waits to be read; read the open answers first";
            } else {
                made++;
                streams.put(stream.number(), stream);
                unanswered.put(request.id().key(), stream);
                stream.attach(out);
                if (!isListening()) {
                    divert(stream);
                }
            }
        } finally {
            lock.unlock();
        }
        if (!refused.isEmpty()) {
            answered.run();
            out.answer(RpcWriter.failure(own, RpcWriter.INVALID_REQUEST, refused));
            return false;
        }
        boolean accepted = false;
        try {
            accept(request);
            accepted = true;
        } finally {
            if (!accepted) {
                drop(stream);
            }
        }
        if (!park(stream, out)) {
            pump(stream, out);
        }
        return true;
    }

    /** Leaves a stream on which nothing came yet, so that no thread waits for it; returns whether there was nothing. */
    private boolean park(ClientStream stream, StreamWriter out) {
        lock.lock();
        try {
            if (closed || stream.hasWaiting() || stream.isDone() || !stream.isAttachedTo(out)) {
                return false;
            }
            out.leave();
            stream.park(() -> serveParked(stream, out));
            if (!watching) {
                watching = true;
                alarm.in(untilEvents);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void serveParked(ClientStream stream, StreamWriter out) {
        @Nullable Throwable fault = new IOException("the stream was given up");
        try {
            pump(stream, out);
            fault = null;
        } catch (IOException | RuntimeException e) {
            fault = e;
        } finally {
            out.end(fault); // whatever came in between, or the connection would stay open for good
        }
    }

    /** Begins events on those streams that had nothing for too long. */
    private void beginEvents() {
        lock.lock();
        try {
            long next = Long.MAX_VALUE;
            for (ClientStream stream : unanswered.values()) {
                if (stream.isParked()) {
                    long left = untilEvents.toNanos() - stream.attachedFor();
                    if (left <= 0) {
                        stream.signal();
                    } else {
                        next = Math.min(next, left);
                    }
                }
            }
            watching = next < Long.MAX_VALUE && !closed;
            if (watching) {
                alarm.in(Duration.ofNanos(next));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Keeps a stream open for what belongs to no request, until the session ends or another takes its place. */
    void listen(StreamWriter out) throws IOException {
        go(standalone, out, Long.MAX_VALUE);
    }

    /**
     * Goes on with the stream whose connection broke after the event of that id.
     *
     * @return false where nothing is known of such an event
     */
    boolean resume(String lastEventId, StreamWriter out) throws IOException {
        String[] parts = lastEventId.split("-", -1);
        if (parts.length != 3 || !isNumber(parts[1]) || !isNumber(parts[2])) {
            return false;
        }
        long number = Long.parseLong(parts[1]);
        if (!parts[0].equals(nonce)) {
            // Of a process before this one, or of another session: no message of it is here.
            if (number != STANDALONE) {
                return false;
            }
            listen(out);
            return true;
        }
        ClientStream stream;
        lock.lock();
        try {
            stream = streams.get(number);
        } finally {
            lock.unlock();
        }
        if (stream == null) {
            return false;
        }
        go(stream, out, Long.parseLong(parts[2]));
        return true;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= 18 && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private void go(ClientStream stream, StreamWriter out, long after) throws IOException {
        String position;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            long again = stream.rewind(after);
            written -= again;
            count(again);
            stream.attach(out);
            stream.named();
            listened |= stream == standalone;
            position = id(stream, stream.position());
        } finally {
            lock.unlock();
        }
        try {
            out.begin(position);
        } catch (IOException e) {
            left(stream, out, null);
            throw e;
        }
        pump(stream, out);
    }

    /** Writes what comes on a stream until there is no more, another writer has it, or its reader is not welcome any more. */
    private void pump(ClientStream stream, StreamWriter out) throws IOException {
        try {
            long looked = System.nanoTime();
            while (write(stream, out)) {
                if (System.nanoTime() - looked >= beats.toNanos()) {
                    if (!out.isWelcome()) {
                        left(stream, out, null); // whoever comes back with a better token goes on with it
                        return;
                    }
                    looked = System.nanoTime();
                }
            }
        } finally {
            lock.lock();
            try {
                stream.detach(out);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Writes the next message when it comes, or a sign of life where none does; returns whether there may be more. */
    private boolean write(ClientStream stream, StreamWriter out) throws IOException {
        ClientStream.Event event;
        String id;
        boolean done;
        lock.lock();
        try {
            awaitMessage(stream, out);
            if (!stream.isAttachedTo(out) || (closed && !(modern && stream.hasWaiting()))) {
                return false;
            }
            event = stream.next();
            id = id(stream, event == null ? stream.position() : event.number());
            done = event == null ? stream.isDone() : event.last();
            if (event == null && done) {
                forget(stream);
            }
            if (event != null) {
                count(-event.message().length);
                keep(stream, event, out.isStreaming());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
        try {
            if (event == null && !(done && out.isStreaming())) {
                beat(stream, out, id);
            } else if (event != null && event.last() && !out.isStreaming()) {
                out.answer(event.message());
            } else if (event != null) {
                if (!out.isStreaming()) {
                    beat(stream, out, id(stream, event.number() - 1));
                }
                out.event(id, event.message());
            }
        } catch (IOException e) {
            left(stream, out, event);
            throw e;
        }
        return !done;
    }

    private void awaitMessage(ClientStream stream, StreamWriter out) throws InterruptedException {
        long left = out.isStreaming() ? beats.toNanos() : untilEvents.toNanos() - stream.attachedFor();
        while (left > 0 && !closed && stream.isAttachedTo(out) && !stream.hasWaiting() && !stream.isDone()) {
            left = stream.changed().awaitNanos(left);
        }
    }

    private void beat(ClientStream stream, StreamWriter out, String id) throws IOException {
        if (out.isStreaming()) {
            out.beat();
            return;
        }
        lock.lock();
        try {
            stream.named();
        } finally {
            lock.unlock();
        }
        out.begin(id);
    }

    /** Keeps a message that is being written for a client that may lose it, unless it can't ask for it. */
    private void keep(ClientStream stream, ClientStream.Event event, boolean streaming) {
        if (modern) {
            stream.forget(); // nobody comes back for it
        } else {
            written += event.message().length;
        }
        if (event.last()) {
            unanswered.values().remove(stream);
            if (!streaming || modern) {
                forget(stream); // JSON has no name to come back by
            }
        }
        prune();
    }

    /** Forgets what was written first, and of streams that are done the oldest. */
    private void prune() {
        var oldest = streams.values().iterator();
        while (written > backlog.replay() && oldest.hasNext()) {
            ClientStream stream = oldest.next();
            for (long bytes = stream.forget(); bytes > 0; bytes = written > backlog.replay() ? stream.forget() : 0) {
                written -= bytes;
            }
        }
        long idle = streams.values().stream()
                .filter(each -> each != standalone && !each.isAttached())
                .count();
        if (idle > MOST_KEPT_STREAMS) {
            streams.values().stream()
                    .filter(each -> each != standalone && !each.isAttached())
                    .findFirst()
                    .ifPresent(this::forget);
        }
    }

    /** Forgets a stream; a request that it was to answer goes on, and counts until it is over. */
    private void forget(ClientStream stream) {
        lock.lock();
        try {
            if (streams.remove(stream.number(), stream)) {
                count(-stream.waitingBytes());
                written -= stream.writtenBytes();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a stream, and the request with it. */
    private void drop(ClientStream stream) {
        lock.lock();
        try {
            forget(stream);
            unanswered.values().remove(stream);
            stream.complete();
        } finally {
            lock.unlock();
        }
    }

    private boolean isForgotten(ClientStream stream) {
        return !streams.containsKey(stream.number());
    }

    /** The connection of a stream broke; {@code event} may not have arrived. */
    private void left(ClientStream stream, StreamWriter out, ClientStream.@Nullable Event event) {
        if (modern) {
            takeBack(stream, out);
            return;
        }
        lock.lock();
        try {
            boolean own = stream.isAttachedTo(out); // else whoever came back for it writes it again
            if (event != null && own && streams.containsKey(stream.number())) {
                written -= stream.putBack(event) ? event.message().length : 0;
                count(event.message().length);
            }
            stream.detach(out);
            if (stream == standalone) {
                listenedUntil = System.nanoTime();
            } else if (own && !stream.isNamed()) {
                forget(stream);
            }
            prune();
        } finally {
            lock.unlock();
        }
    }

    /** Since 2026-07-28, who closes the stream of a request takes it back. */
    private void takeBack(ClientStream stream, StreamWriter out) {
        lock.lock();
        try {
            stream.detach(out);
            drop(stream);
        } finally {
            lock.unlock();
        }
        gone(stream.key()); // not under the lock: it may send and finish
    }

    private void gone(String request) {
        ModernSide to = side;
        if (to != null) {
            to.gone(request);
        }
    }

    private String id(ClientStream stream, long number) {
        return nonce + "-" + stream.number() + "-" + number;
    }

    private boolean admits(ClientStream stream, byte[] message) {
        return modern
                ? backlog.admits(stream.waitingBytes(), waiting, message.length)
                : backlog.admits(waiting, message.length);
    }

    private void count(long bytes) {
        waiting += bytes;
        backlog.add(bytes);
    }

    /** Whether the client has a stream for what belongs to no request, or had one a moment ago. */
    private boolean isListening() {
        return standalone.isAttached() || (listened && System.nanoTime() - listenedUntil < UNTIL_GIVEN_UP.toNanos());
    }

    private void divert(ClientStream stream) {
        for (byte[] message = standalone.move(); message != null; message = standalone.move()) {
            stream.add(message, false);
        }
    }

    @Override
    public void answer(byte[] message, String request) {
        StreamWriter parked = answered(message, request);
        if (parked != null) {
            parked.answerAndEnd(message, () -> gone(request));
        }
    }

    /** Puts an answer on its stream; returns to whom it goes instead where the stream is parked, which it then is not. */
    private @Nullable StreamWriter answered(byte[] message, String request) {
        lock.lock();
        try {
            ClientStream stream = unanswered.remove(request);
            if (stream == null || closed) {
                return null;
            }
            if (isForgotten(stream)) {
                stream.complete(); // the client went away
                return null;
            }
            if (stream.isParked()) {
                forget(stream); // JSON has no name to come back by
                return stream.pass();
            }
            byte[] answer = message;
            if (!admits(stream, message)) {
                Optional<RpcId> id = stream.request();
                giveUp("an answer");
                answer = RpcWriter.failure(
                        id.orElseThrow(),
                        RpcWriter.UPSTREAM_FAILED,
                        "the answer was given up, since too much waits to be read; read the open answers first");
            }
            count(answer.length);
            stream.add(answer, true);
            return null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean send(byte[] message, String request) {
        lock.lock();
        try {
            ClientStream own = unanswered.get(request);
            if (modern && (own == null || isForgotten(own))) {
                return false; // clients share the session: it is for none of them
            }
            ClientStream stream = own != null && !isForgotten(own) ? own : isListening() ? standalone : anyOpen();
            boolean taken = !closed && admits(stream, message) && stream.waitingMessages() < backlog.messages();
            if (taken) {
                count(message.length);
                stream.add(message, false);
            } else if (!closed) {
                giveUp("a message");
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private ClientStream anyOpen() {
        return unanswered.values().stream()
                .filter(ClientStream::isAttached)
                .findFirst()
                .orElse(standalone);
    }

    /** Says so at first, then ever more rarely. */
    private void giveUp(String what) {
        givenUp++;
        backlog.gaveUp();
        if (Long.bitCount(givenUp) == 1) {
            log.line(
                    LogEvent.CLIENT_SLOW,
                    "a client over http does not read; " + what + " for it is given up"
                            + (givenUp > 1 ? " (" + givenUp + " so far)" : ""));
        }
    }

    @Override
    public void finish(String request) {
        lock.lock();
        try {
            ClientStream stream = unanswered.remove(request);
            if (stream != null) {
                stream.complete();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all streams; what waits is given up. Requests of modern clients, who can't come back, get an error first. */
    public void close() {
        lastAnswers().forEach((key, own) -> answer(RpcWriter.failure(own, RpcWriter.UPSTREAM_FAILED, ENDED), key));
        lock.lock();
        try {
            closed = true;
            alarm.off();
            streams.values().forEach(ClientStream::signal);
            unanswered.values().forEach(ClientStream::complete); // its lines end too
            streams.values().removeIf(stream -> !(modern && stream.isAttached() && stream.hasWaiting()));
            count(streams.values().stream()
                            .mapToLong(ClientStream::waitingBytes)
                            .sum()
                    - waiting);
            unanswered.clear();
        } finally {
            lock.unlock();
        }
    }

    private Map<String, RpcId> lastAnswers() {
        Map<String, RpcId> last = new LinkedHashMap<>();
        lock.lock();
        try {
            ending = true;
            if (modern) {
                unanswered.forEach((key, stream) -> stream.request().ifPresent(own -> last.put(key, own)));
            }
        } finally {
            lock.unlock();
        }
        return last;
    }
}
