package dev.sluice.gateway.proxy;

import dev.sluice.gateway.telemetry.Operation;
import dev.sluice.gateway.telemetry.Outcome;
import dev.sluice.guard.message.RpcId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The requests on one line that have no answer yet, by the ids that they have there. */
final class Unanswered {

    /** A request on the line, with the id that it has there, and what watches it. */
    record Sent(RpcId id, Pending pending, Operation operation) {}

    private static final class Entry {
        private final Sent sent;
        private long alive = System.nanoTime();

        Entry(Sent sent) {
            this.sent = sent;
        }

        boolean is(String clientKey) {
            return sent.pending().clientKey().equals(clientKey);
        }

        /** What waits for changes waits as long as the line is there, and keeps nobody busy. */
        boolean isListening() {
            return sent.pending() instanceof Pending.Own own && own.method().equals(Subscriptions.LISTEN);
        }

        boolean isAbandoned() {
            return sent.pending() instanceof Pending.Abandoned;
        }

        /** Sluice's own questions have a patience of their own, and what was taken back is waited for by nobody. */
        boolean canExpire() {
            return !isAbandoned() && !(sent.pending() instanceof Pending.Own);
        }

        /** Returns whether it is, or was, a call in which the client can be asked anything. */
        boolean canAsk() {
            return switch (sent.pending()) {
                case Pending.Guarded guarded ->
                    ParkedCalls.REPEATABLE.contains(guarded.ticket().method());
                case Pending.Abandoned abandoned -> abandoned.canAsk();
                default -> false;
            };
        }

        /** Of clients with a handshake it need not be known: they are asked by requests of their own. */
        private boolean mayAskYet() {
            return canAsk()
                    && (isAbandoned() || ModernFront.isModern(sent.pending().clientKey()));
        }

        Entry abandoned() {
            return new Entry(new Sent(sent.id(), new Pending.Abandoned(mayAskYet()), Operation.NONE));
        }
    }

    /**
     * What showed no progress for too long.
     *
     * @param over the requests, which count as taken back from now on
     * @param next when to look again; empty where nothing is left that could expire
     */
    record Expired(List<Sent> over, Optional<Duration> next) {}

    private final Map<String, Entry> all = new LinkedHashMap<>();
    private static final String OWN = "ssluice-";

    private final AtomicLong ownIds = new AtomicLong();
    private boolean ended;

    /** Adds a request; returns false where the line has ended. */
    synchronized boolean add(RpcId id, Pending pending, Operation operation) {
        if (!ended) {
            all.put(id.key(), new Entry(new Sent(id, pending, operation)));
        }
        return !ended;
    }

    /** Takes a request out, which has its answer. */
    synchronized Optional<Sent> take(RpcId id) {
        return Optional.ofNullable(all.remove(id.key())).map(each -> each.sent);
    }

    /** Takes all out, and takes none any more. */
    synchronized List<Sent> end() {
        ended = true;
        List<Sent> left = all.values().stream().map(each -> each.sent).toList();
        all.clear();
        return left;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Returns whether somebody waits for the answer to the request of that id. */
    synchronized boolean awaits(RpcId id) {
        Entry entry = all.get(id.key());
        return entry != null && !entry.isAbandoned();
    }

    /** Returns whether somebody waits for anything. */
    synchronized boolean isBusy() {
        return all.values().stream().anyMatch(each -> !each.isAbandoned() && !each.isListening());
    }

    /** Returns the id for a client's request on this line: its own, unless one of Sluice's has the same or could get it. */
    synchronized RpcId idFor(RpcId clientId) {
        return clientId.key().startsWith(OWN) || all.containsKey(clientId.key()) ? freshId() : clientId;
    }

    /** Returns an id for a request of Sluice's own. No id is given twice, so a late answer can't be another request's. */
    synchronized RpcId freshId() {
        RpcId id;
        do {
            id = RpcId.ofText("sluice-" + ownIds.incrementAndGet());
        } while (all.containsKey(id.key()));
        return id;
    }

    private Optional<RpcId> upstreamId(String clientKey) {
        return all.values().stream()
                .filter(each -> each.is(clientKey))
                .map(each -> each.sent.id())
                .findFirst();
    }

    /**
     * Takes note that the client took that request back: an answer that still comes is for nobody, whatever its id means by
     * then. The id stays taken, so that such an answer can't be another request's; of many, the oldest are forgotten.
     *
     * @return the id by which the upstream knows it, for whoever comes first; empty where it has no such request
     */
    synchronized Optional<RpcId> abandon(String clientKey) {
        Optional<RpcId> id = upstreamId(clientKey);
        all.replaceAll((key, each) -> each.is(clientKey) ? cancelled(each) : each);
        forgetOldest();
        return id;
    }

    private static Entry cancelled(Entry entry) {
        entry.sent.operation().outcome(Outcome.CANCELLED, "");
        entry.sent.operation().end();
        return entry.abandoned();
    }

    private void forgetOldest() {
        Iterator<Entry> each = all.values().iterator();
        while (all.size() > 2 * InFlight.MOST && each.hasNext()) {
            if (each.next().isAbandoned()) {
                each.remove();
            }
        }
    }

    /** Returns the client's request that a message without an id most likely belongs to: the oldest that is not answered. */
    synchronized String oldestRequest() {
        return requests().stream().findFirst().orElse("");
    }

    /** Returns the client's requests that a message without an id may belong to, the oldest first. */
    synchronized List<String> requests() {
        return all.values().stream()
                .map(each -> each.sent.pending().clientKey())
                .filter(key -> !key.isEmpty())
                .toList();
    }

    /**
     * Returns the calls that what a server asks may belong to, the oldest first: those in which a client can be asked anything.
     *
     * @param grace for how long one that was taken back is among them: it may have asked before its server heard of that
     */
    synchronized List<Sent> calls(Duration grace) {
        long now = System.nanoTime();
        return all.values().stream()
                .filter(Entry::canAsk)
                .filter(each -> !each.isAbandoned() || now - each.alive < grace.toNanos())
                .map(each -> each.sent)
                .toList();
    }

    /** Returns the request of that id on the line, if it has no answer. */
    synchronized Optional<Sent> sent(RpcId id) {
        return Optional.ofNullable(all.get(id.key())).map(each -> each.sent);
    }

    /** Returns the client's request whose progress {@code token} is about; empty text where there is none. */
    synchronized String requestOfToken(String token) {
        return all.values().stream()
                .filter(each -> each.sent.pending().progressToken().equals(token))
                .map(each -> each.sent.pending().clientKey())
                .findFirst()
                .orElse("");
    }

    /** Takes note that the request with that token goes on. */
    synchronized void progressed(String token) {
        long now = System.nanoTime();
        all.values().stream()
                .filter(each -> each.sent.pending().progressToken().equals(token))
                .forEach(each -> each.alive = now);
    }

    /**
     * Takes back what showed no progress for {@code longest}.
     *
     * @param paused whether the time does not count, since the upstream waits for the client
     */
    synchronized Expired expire(Duration longest, boolean paused) {
        long now = System.nanoTime();
        long silent = -1;
        List<Sent> over = new ArrayList<>();
        for (Map.Entry<String, Entry> entry : all.entrySet()) {
            Entry each = entry.getValue();
            if (!each.canExpire()) {
                continue;
            }
            if (paused) {
                each.alive = now;
            }
            if (now - each.alive >= longest.toNanos()) {
                over.add(each.sent);
                entry.setValue(each.abandoned());
            } else {
                silent = Math.max(silent, now - each.alive);
            }
        }
        forgetOldest();
        return new Expired(over, silent < 0 ? Optional.empty() : Optional.of(longest.minusNanos(silent)));
    }
}
