package dev.sluice.guard.client;

import dev.sluice.guard.message.RpcId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The requests on a connection that is shared which have no answer yet, each with the line that its answer is for. */
final class OpenRequests {

    /** Whoever asked has given up by then, and its line may make room. */
    private static final Duration GIVEN_UP = Duration.ofHours(1);

    /** Who asks. */
    enum Asker {
        CONVERSATION,
        /** The client, of no conversation: what carries no data. */
        NOBODY,
        SLUICE
    }

    /** One of them. */
    static final class Open {
        private final Line line;
        private final Asker asker;

        /** By which the server says how far it is; empty where it can't. */
        private final String token;

        private final int opening;
        private long sent;
        private boolean isSent;
        private boolean abandoned;

        private Open(Line line, Asker asker, String token, int opening) {
            this.line = line;
            this.asker = asker;
            this.token = token;
            this.opening = opening;
        }

        Line line() {
            return line;
        }

        Asker asker() {
            return asker;
        }

        /** Returns how often the connection had been opened when it was asked. */
        int opening() {
            return opening;
        }

        private boolean isGivenUp() {
            return isSent && (abandoned || System.nanoTime() - sent > GIVEN_UP.toNanos());
        }
    }

    private final int most;
    private final Map<String, Open> all = new LinkedHashMap<>();

    /**
     * @param most how many may be under way
     */
    OpenRequests(int most) {
        this.most = most;
    }

    synchronized boolean has(RpcId id) {
        return all.containsKey(id.key());
    }

    /** Returns whether one more may be under way; what was given up makes room. */
    synchronized boolean haveRoom() {
        if (all.size() >= most) {
            all.values().removeIf(Open::isGivenUp);
        }
        return all.size() < most;
    }

    /** Takes note of a request of the client, which the server does not know yet. */
    synchronized Open enter(RpcId id, Line line, Asker asker, String token, int opening) {
        Open open = new Open(line, asker, token, opening);
        all.put(id.key(), open);
        return open;
    }

    /** Takes note of a request of a line's own, which goes on at once. */
    synchronized void enterOwn(RpcId id, Line line) {
        sent(enter(id, line, Asker.SLUICE, "", 0));
    }

    /** Takes note that the server gets it. */
    synchronized void sent(Open open) {
        open.isSent = true;
        open.sent = System.nanoTime();
    }

    synchronized void remove(RpcId id, Open open) {
        all.remove(id.key(), open);
    }

    /** Takes out a request of a line's own for which nothing waits any more. */
    synchronized void removeOwn(RpcId id) {
        Open open = all.get(id.key());
        if (open != null && open.asker == Asker.SLUICE) {
            all.remove(id.key());
        }
    }

    /** Takes out what the server answers. */
    synchronized @Nullable Open take(RpcId id) {
        Open open = all.get(id.key());
        if (open == null || !open.isSent) {
            return null; // the server can't know that one
        }
        all.remove(id.key());
        return open;
    }

    /**
     * Takes note that the client does not wait for its request any more. The id stays taken, so that a late answer can't be
     * another's.
     *
     * @return the line that must hear of it; null where there is no such request
     */
    synchronized @Nullable Line abandon(RpcId id) {
        Open open = all.get(id.key());
        if (open == null || open.asker == Asker.SLUICE) {
            return null;
        }
        open.abandoned = true;
        return open.line;
    }

    synchronized boolean isAbandoned(Open open) {
        return open.abandoned;
    }

    /** Returns what somebody waits for under a token; empty where that is nothing, or where two lines have that token. */
    synchronized Optional<Open> under(String token) {
        List<Open> found = all.values().stream()
                .filter(open -> open.isSent && !open.abandoned && !token.isEmpty() && open.token.equals(token))
                .toList();
        return found.stream()
                .filter(first -> found.stream().allMatch(each -> each.line == first.line))
                .findFirst();
    }

    /** Returns the lines that wait for something. */
    synchronized Set<Line> busy() {
        Set<Line> busy = new HashSet<>();
        for (Open open : all.values()) {
            if (!open.isGivenUp()) {
                busy.add(open.line);
            }
        }
        return busy;
    }

    /** Takes all out; returns their lines. */
    synchronized Set<Line> end() {
        Set<Line> lines = new HashSet<>();
        Iterator<Open> each = all.values().iterator();
        while (each.hasNext()) {
            lines.add(each.next().line);
            each.remove();
        }
        return lines;
    }
}
