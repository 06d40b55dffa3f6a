package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.RpcMessage;
import java.util.HashMap;
import java.util.Map;

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

    private final Map<String, RpcMessage.Request> requests = new HashMap<>();

    synchronized Entry enter(RpcMessage.Request request) {
        String key = request.id().key();
        if (requests.containsKey(key)) {
            return Entry.ID_IN_USE;
        }
        if (requests.size() >= MOST) {
            return Entry.TOO_MANY;
        }
        requests.put(key, request);
        return Entry.ADMITTED;
    }

    /** Returns whether exactly that request waits: not a later one that took over the id of one that was taken back. */
    synchronized boolean contains(RpcMessage.Request request) {
        return request.equals(requests.get(request.id().key()));
    }

    /** Puts {@code next}, which has the same id, in the place of {@code before}; returns whether that still waits. */
    synchronized boolean replace(RpcMessage.Request before, RpcMessage.Request next) {
        boolean waits = contains(before);
        if (waits) {
            requests.put(next.id().key(), next);
        }
        return waits;
    }

    /** Takes a request out: it was answered, or taken back. Returns whether it was there. */
    synchronized boolean leave(String key) {
        boolean was = requests.remove(key) != null;
        notifyAll();
        return was;
    }

    /** Waits until every request has its answer, for {@code millis} at most. */
    synchronized void drain(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!requests.isEmpty()) {
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
