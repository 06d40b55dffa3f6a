package dev.sluice.gateway.transport;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much may wait to be read by clients, in one session and in all of them together.
 *
 * <p>Nothing that writes for a client ever waits for it: a slow reader must not stall the others. So what a client does
 * not read stays here, and beyond the bounds it is given up.
 */
public final class Backlog {

    /** What a session may have waiting also where all of them together have too much. */
    private static final long FAIR_SHARE = 1 << 20;

    private final long bytes;
    private final long all;
    private final int messages;
    private final long replay;
    private final AtomicLong total = new AtomicLong();
    private final AtomicLong givenUp = new AtomicLong();

    /**
     * @param bytes the most that may wait in one session; on one stream where many clients share a session
     * @param all the most that may wait in all sessions; a session that many clients share may have half of it
     * @param messages how many messages that belong to no request may wait in one session
     * @param replay how many bytes of what was written a session keeps, for a client that lost its connection
     */
    public Backlog(long bytes, long all, int messages, long replay) {
        this.bytes = bytes;
        this.all = all;
        this.messages = messages;
        this.replay = replay;
    }

    /** Returns the usual bounds: 32 MiB a session, a quarter of the heap for all, 1 MiB kept. */
    public static Backlog of(int messages) {
        return new Backlog(32 << 20, Runtime.getRuntime().maxMemory() / 4, messages, 1 << 20);
    }

    /** Returns whether a session with {@code waiting} bytes may have {@code more}. */
    boolean admits(long waiting, long more) {
        long own = waiting + more;
        return own <= bytes && (own <= FAIR_SHARE || total.get() + more <= all);
    }

    /**
     * Returns whether one stream of a session that many clients share may have {@code more}: who does not read one stream
     * must not make those of others be given up.
     *
     * @param stream how many bytes wait on it
     * @param session how many wait in its session
     */
    boolean admits(long stream, long session, long more) {
        long own = session + more;
        return stream + more <= bytes && (own <= FAIR_SHARE || (own <= all / 2 && total.get() + more <= all));
    }

    /** Returns whether a session with {@code waiting} bytes, which many clients share, may be asked for more. */
    boolean admitsRequestsOfMany(long waiting) {
        return waiting <= FAIR_SHARE || (waiting <= all / 2 && total.get() <= all / 2);
    }

    /** Returns whether a session with {@code waiting} bytes may ask for more. */
    boolean admitsRequests(long waiting) {
        return waiting <= bytes / 2;
    }

    void add(long more) {
        total.addAndGet(more);
    }

    void gaveUp() {
        givenUp.incrementAndGet();
    }

    /** Returns how many bytes wait in all sessions. */
    public long waiting() {
        return total.get();
    }

    /** Returns how many messages were given up. */
    public long givenUp() {
        return givenUp.get();
    }

    int messages() {
        return messages;
    }

    long replay() {
        return replay;
    }
}
