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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client over HTTP: which of its streams a message to it belongs on, and what of it waits to be read.
 *
 * <p>An answer goes to the POST that asked. What else belongs to a request goes there before the answer; what belongs to
 * none goes to the GET stream, or to an open POST where the client has no such stream, or waits for either.
 *
 * <p>Whoever writes for the client never waits for it: messages are put on a stream, and the thread that serves the
 * client's HTTP request takes them from there. A stream whose connection broke keeps its messages within the bounds of the
 * {@link Backlog}, and goes on when the client asks for it with {@code Last-Event-ID}.
 *
 * <p>Source: MCP revision 2025-11-25, Base Protocol, Transports, Resumability and Redelivery.
 */
public final class HttpSession implements ClientSide {

    /** How long an answer may be JSON: then events begin, so that the client can come back for it. */
    private static final Duration UNTIL_EVENTS = Duration.ofSeconds(5);

    /** How long a stream is silent before it has a sign of life. */
    public static final Duration BETWEEN_BEATS = Duration.ofSeconds(15);

    /** For how long messages wait for a client that lost its GET stream, before an open POST gets them. */
    private static final Duration UNTIL_GIVEN_UP = Duration.ofSeconds(30);

    private static final int MOST_KEPT_STREAMS = 64;
    private static final long STANDALONE = 0;

    private final Log log;
    private final Backlog backlog;
    private final Duration beats;
    private final ReentrantLock lock = new ReentrantLock();
    private final String nonce =
            HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
    private final Map<Long, ClientStream> streams = new LinkedHashMap<>();
    private final Map<String, ClientStream> unanswered = new LinkedHashMap<>();
    private final ClientStream standalone = new ClientStream(STANDALONE, null, lock.newCondition(), () -> {});
    private volatile @Nullable Consumer<RpcMessage> proxy;
    private long made = STANDALONE;
    private long waiting;
    private long written;
    private long listenedUntil;
    private boolean listened;
    private long givenUp;
    private boolean closed;

    /**
     * Makes the session of one client.
     *
     * @param beats how long a stream is silent before it has a sign of life, and how long until its reader is looked at
     */
    public HttpSession(Backlog backlog, Log log, Duration beats) {
        this.backlog = backlog;
        this.beats = beats;
        this.log = log;
        streams.put(STANDALONE, standalone);
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
     * Takes a request and returns when its answer is written, or it was taken back, or the session ended.
     *
     * @param answered run when the request is over, whatever became of it: it has an answer, whether the client reads it or
     *     not, or was lost or refused or taken back; not when the client goes away and the request goes on
     */
    void serve(RpcMessage.Request request, StreamWriter out, Runnable answered) throws IOException {
        ClientStream stream;
        String refused = "";
        lock.lock();
        try {
            stream = new ClientStream(made + 1, request.id(), lock.newCondition(), answered);
            if (closed) {
                refused = "the session has ended; begin a new one with `initialize`";
            } else if (unanswered.containsKey(request.id().key())) {
                refused = "the id is in use by a request that has no answer yet";
            } else if (!backlog.admitsRequests(waiting)) {
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
            out.answer(RpcWriter.failure(request.id(), RpcWriter.INVALID_REQUEST, refused));
            return;
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
        pump(stream, out);
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
            if (closed || !stream.isAttachedTo(out)) {
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
        long left = (out.isStreaming() ? beats : UNTIL_EVENTS).toNanos();
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
        written += event.message().length;
        if (event.last()) {
            unanswered.values().remove(stream);
            if (!streaming) {
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

    private String id(ClientStream stream, long number) {
        return nonce + "-" + stream.number() + "-" + number;
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
        lock.lock();
        try {
            ClientStream stream = unanswered.remove(request);
            if (stream == null || closed) {
                return;
            }
            if (isForgotten(stream)) {
                stream.complete(); // the client went away
                return;
            }
            byte[] answer = message;
            if (!backlog.admits(waiting, message.length)) {
                Optional<RpcId> id = stream.request();
                giveUp("an answer");
                answer = RpcWriter.failure(
                        id.orElseThrow(),
                        RpcWriter.UPSTREAM_FAILED,
                        "the answer was given up, since too much waits to be read; read the open answers first");
            }
            count(answer.length);
            stream.add(answer, true);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean send(byte[] message, String request) {
        lock.lock();
        try {
            ClientStream own = unanswered.get(request);
            ClientStream stream = own != null && !isForgotten(own) ? own : isListening() ? standalone : anyOpen();
            boolean taken =
                    !closed && backlog.admits(waiting, message.length) && stream.waitingMessages() < backlog.messages();
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

    /** Ends all streams; what waits is given up. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            count(-waiting);
            streams.values().forEach(stream -> stream.changed().signalAll());
            unanswered.values().forEach(ClientStream::complete); // its lines end too
            streams.clear();
            unanswered.clear();
        } finally {
            lock.unlock();
        }
    }
}
