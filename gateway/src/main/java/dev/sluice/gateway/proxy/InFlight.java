package dev.sluice.gateway.proxy;

import java.util.HashSet;
import java.util.Set;

/** The client's requests that have no answer yet, by the keys of their ids. */
final class InFlight {

    /** How many requests of one side may be without an answer. */
    static final int MOST = 1_000;

    /** What became of a request that wants to be in flight. */
    enum Entry {
        ADMITTED,
        TOO_MANY,
        ID_IN_USE
    }

    private final Set<String> keys = new HashSet<>();

    synchronized Entry enter(String key) {
        if (keys.contains(key)) {
            return Entry.ID_IN_USE;
        }
        if (keys.size() >= MOST) {
            return Entry.TOO_MANY;
        }
        keys.add(key);
        return Entry.ADMITTED;
    }

    synchronized boolean contains(String key) {
        return keys.contains(key);
    }

    /** Takes a request out: it was answered, or taken back. Returns whether it was there. */
    synchronized boolean leave(String key) {
        boolean was = keys.remove(key);
        notifyAll();
        return was;
    }

    /** Waits until every request has its answer, for {@code millis} at most. */
    synchronized void drain(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!keys.isEmpty()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
