package dev.sluice.guard.client;

import dev.sluice.guard.Ticket;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The requests on one line that have no answer yet: no more of the client's than {@link #MOST}. */
final class Unanswered {

    static final int MOST = 1_000;

    /** More requests of Sluice's own are not under way. */
    static final int MOST_OWN = 100;

    /** What is known of a request. */
    sealed interface Pending {

        /** One that is not decided yet. */
        record Undecided(RpcMessage.Request request) implements Pending {}

        /**
         * One that carries no data to judge, on its way.
         *
         * @param definitions which definitions of tools were known when it was asked
         * @param first whether, of a list, the first page was asked for
         */
        record Plain(RpcId id, String method, long definitions, boolean first) implements Pending {}

        /**
         * One that the guard admitted, on its way.
         *
         * @param params its parameters, as the client gave them
         * @param size how many bytes it has
         */
        record Guarded(RpcId id, Ticket ticket, JsonNode params, int size) implements Pending {}

        /** One that the client took back, or nobody waits for any more: its answer is for nobody. */
        record Abandoned() implements Pending {}

        /** One of Sluice's own. */
        record Own(CompletableFuture<RpcMessage> answer) implements Pending {}
    }

    /** What became of a request that wants to be among them. */
    enum Entry {
        ADMITTED,
        TOO_MANY,
        ID_IN_USE
    }

    private record Timed(Pending pending, long since) {}

    private final Map<String, Timed> all = new LinkedHashMap<>();
    private final long timeout;

    /**
     * @param timeout after how long without an answer a request makes room for others
     */
    Unanswered(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    synchronized Entry enter(RpcMessage.Request request) {
        String key = request.id().key();
        if (all.containsKey(key)) {
            return Entry.ID_IN_USE;
        }
        if (all.size() >= MOST) {
            makeRoom();
        }
        if (all.size() >= MOST) {
            return Entry.TOO_MANY;
        }
        all.put(key, new Timed(new Pending.Undecided(request), System.nanoTime()));
        return Entry.ADMITTED;
    }

    /** An answer to what is forgotten here is one to nothing that was asked, and goes nowhere. */
    private void makeRoom() {
        long now = System.nanoTime();
        Iterator<Timed> each = all.values().iterator();
        while (each.hasNext()) {
            Timed timed = each.next();
            if (timed.pending() instanceof Pending.Abandoned
                    || (!(timed.pending() instanceof Pending.Own) && now - timed.since() > timeout)) {
                each.remove();
            }
        }
    }

    synchronized boolean enterOwn(RpcId id, CompletableFuture<RpcMessage> answer) {
        if (all.values().stream()
                        .filter(each -> each.pending() instanceof Pending.Own)
                        .count()
                >= MOST_OWN) {
            return false;
        }
        all.put(id.key(), new Timed(new Pending.Own(answer), System.nanoTime()));
        return true;
    }

    /** Says what is known of a request that is on its way now; returns false where nobody waits for exactly that one. */
    synchronized boolean sent(RpcMessage.Request request, Pending now) {
        boolean waits = isUndecided(request);
        if (waits) {
            all.put(request.id().key(), new Timed(now, System.nanoTime()));
        }
        return waits;
    }

    /** Returns whether exactly that request waits: not a later one that took over the id of one that was taken back. */
    synchronized boolean isUndecided(RpcMessage.Request request) {
        return isUndecided(all.get(request.id().key()), request);
    }

    private static boolean isUndecided(@Nullable Timed timed, RpcMessage.Request request) {
        return timed != null
                && timed.pending() instanceof Pending.Undecided undecided
                && undecided.request().equals(request);
    }

    /** Takes out a request that is answered without its server. */
    synchronized boolean leave(RpcMessage.Request request) {
        boolean waits = isUndecided(request);
        if (waits) {
            all.remove(request.id().key());
        }
        return waits;
    }

    /** Takes out what the server answers. */
    synchronized Optional<Pending> take(RpcId id) {
        Timed timed = all.get(id.key());
        if (timed == null || timed.pending() instanceof Pending.Undecided) {
            return Optional.empty(); // the server can't know that one
        }
        all.remove(id.key());
        return Optional.of(timed.pending());
    }

    /**
     * Takes note that nobody waits for a request any more. The id of one that is on its way stays taken, so that its late
     * answer can't be another's.
     *
     * @return whether its server knows it
     */
    synchronized boolean abandon(RpcId id) {
        Timed timed = all.get(id.key());
        if (timed == null || timed.pending() instanceof Pending.Abandoned || timed.pending() instanceof Pending.Own) {
            return false;
        }
        if (timed.pending() instanceof Pending.Undecided) {
            all.remove(id.key());
            return false;
        }
        all.put(id.key(), new Timed(new Pending.Abandoned(), timed.since()));
        return true;
    }

    /** Takes all out; returns those of Sluice's own. */
    synchronized List<Pending.Own> end() {
        List<Pending.Own> own = all.values().stream()
                .map(Timed::pending)
                .filter(Pending.Own.class::isInstance)
                .map(Pending.Own.class::cast)
                .toList();
        all.clear();
        return own;
    }
}
