package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One stream of messages to a client over HTTP: what waits to be written, and what was written and may be asked for again.
 *
 * <p>Used under the lock of its {@link HttpSession} only. Messages are counted from 1, and a client that lost its
 * connection names the last that it saw.
 */
final class ClientStream {

    /** A message on the stream; {@code last} where none comes after it. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares events
    record Event(long number, byte[] message, boolean last) {}

    private final long number;
    private final String key;
    private final @Nullable RpcId request;
    private final Condition changed;
    private final Runnable answered;
    private final Deque<Event> waiting = new ArrayDeque<>();
    private final Deque<Event> written = new ArrayDeque<>();
    private long events;
    private @Nullable StreamWriter writer;
    private @Nullable Runnable parked;
    private long attachedAt;
    private boolean named;
    private boolean complete;

    /**
     * @param number which stream of its session it is
     * @param key the key of the request that it answers, as the session knows it; empty for what belongs to no request
     * @param request the id that the client gave that request; null for what belongs to none
     * @param changed signalled when there is something to write, or nothing more will be
     * @param answered run once the answer is there, written or not
     */
    ClientStream(long number, String key, @Nullable RpcId request, Condition changed, Runnable answered) {
        this.answered = answered;
        this.number = number;
        this.key = key;
        this.request = request;
        this.changed = changed;
    }

    long number() {
        return number;
    }

    String key() {
        return key;
    }

    Optional<RpcId> request() {
        return Optional.ofNullable(request);
    }

    Condition changed() {
        return changed;
    }

    /** Adds a message. */
    void add(byte[] message, boolean last) {
        waiting.addLast(new Event(++events, message, last));
        if (last) {
            complete = true;
            answered.run();
        }
        signal();
    }

    /** Says that no more messages come, not even an answer. */
    void complete() {
        complete = true;
        answered.run();
        signal();
    }

    /** Tells whoever serves the stream that it changed; where nobody does, a thread begins to. */
    void signal() {
        changed.signalAll();
        Runnable served = parked;
        if (served != null) {
            parked = null;
            Thread.ofVirtual().name("stream").start(served);
        }
    }

    /**
     * Leaves the stream without a thread that waits for what comes on it.
     *
     * @param served what serves it, once there is something
     */
    void park(Runnable served) {
        parked = served;
    }

    boolean isParked() {
        return parked != null;
    }

    /** Counts the answer that a parked stream was for, and that goes to its writer past it; returns the writer. */
    StreamWriter pass() {
        parked = null;
        complete = true;
        answered.run();
        return Objects.requireNonNull(writer, "a parked stream has a writer");
    }

    /** Returns whether nothing is left to be written, and nothing will be. */
    boolean isDone() {
        return complete && waiting.isEmpty();
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /** Takes the next message to write, which then counts as written; null where there is none. */
    @Nullable
    Event next() {
        Event event = waiting.pollFirst();
        if (event != null) {
            written.addLast(event);
        }
        return event;
    }

    /** Takes the next waiting message away, for another stream; null where there is none. */
    byte @Nullable [] move() {
        Event event = waiting.pollFirst();
        return event == null ? null : event.message();
    }

    /** Makes every message after {@code number} that is still here wait to be written again; returns their bytes. */
    long rewind(long number) {
        long bytes = 0;
        for (Event last = written.peekLast(); last != null && last.number() > number; last = written.peekLast()) {
            written.removeLast();
            waiting.addFirst(last);
            bytes += last.message().length;
        }
        return bytes;
    }

    /** Makes a message that {@link #next} gave wait again, in its place; returns whether it still counted as written. */
    boolean putBack(Event event) {
        boolean was = written.remove(event);
        waiting.addFirst(event);
        return was;
    }

    /** Forgets the oldest message that was written, and returns its length; 0 where there is none. */
    long forget() {
        Event oldest = written.pollFirst();
        return oldest == null ? 0 : oldest.message().length;
    }

    long waitingBytes() {
        return waiting.stream().mapToLong(each -> each.message().length).sum();
    }

    long writtenBytes() {
        return written.stream().mapToLong(each -> each.message().length).sum();
    }

    int waitingMessages() {
        return waiting.size();
    }

    /** Returns the number of the last message that was written. */
    long position() {
        Event next = waiting.peekFirst();
        return next == null ? events : next.number() - 1;
    }

    /** Gives the stream to that writer; whoever had it stops. */
    void attach(StreamWriter writer) {
        this.writer = writer;
        attachedAt = System.nanoTime();
        signal();
    }

    void detach(StreamWriter writer) {
        if (writer.equals(this.writer)) {
            this.writer = null;
        }
    }

    /** Returns for how many nanoseconds the writer has had the stream. */
    long attachedFor() {
        return System.nanoTime() - attachedAt;
    }

    boolean isAttached() {
        return writer != null;
    }

    boolean isAttachedTo(StreamWriter writer) {
        return writer.equals(this.writer);
    }

    /** Says that the client knows a name by which it can ask for the rest. */
    void named() {
        named = true;
    }

    boolean isNamed() {
        return named;
    }
}
