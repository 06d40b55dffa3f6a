package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.Alarm;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which call of a client a question of a legacy server belongs to, where clients can be asked in answers only.
 *
 * <p>Over HTTP the stream says it, where the question comes in the answer to a request. Else only the calls that are open tell:
 * where there are several, the question waits for a while, until all but one have their answers, since whoever waits for an
 * answer gives none. A call whose client is being asked already is not expected to ask more, but for what it asks at about the
 * same time; one that was taken back may have asked before its server heard of that.
 */
final class Askers {

    static final String UNCLEAR = "which call this belongs to can't be told, since several are open here, and the"
            + " client is asked in the answer to one; ask again while one is open";

    private static final String TAKEN_BACK = "the call in which this was asked was taken back";
    private static final String ANSWERED = "the call in which this was asked has its answer";

    /** How long a question waits at most. */
    private static final Duration HELD = Duration.ofSeconds(10);

    /** None of these times is more than this part of what a request on the line may take. */
    private static final int PART = 10;

    /** How long after a question its call may ask something else beside it. */
    private static final Duration BESIDE = Duration.ofSeconds(5);

    /** How long a call that was taken back may be who asks. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private static final int MOST = 16;
    private static final long MOST_BYTES = 4 << 20;

    /** Where questions go. */
    interface Ways {

        /** Asks the client; {@code call} is the key of its request, or empty where the question belongs to none. */
        void ask(Connection from, RpcMessage.Request question, String call);

        /** Returns the calls of a line whose clients were asked something before that moment and have not answered, by key. */
        Set<String> asked(Connection from, long before);
    }

    /** A question that waits: the ids that those calls have on the line that it may belong to, and until when. */
    private record Held(Connection from, RpcMessage.Request question, List<RpcId> calls, long until) {}

    private final Ways ways;
    private final Alarm expiry = new Alarm(this::expire);
    private final List<Held> held = new ArrayList<>();

    Askers(Ways ways) {
        this.ways = ways;
    }

    /**
     * Takes a question, and sees to it that it is asked or refused.
     *
     * @param stream the request in whose answer it came; null where the line does not say
     */
    void take(Connection from, RpcMessage.Request question, @Nullable RpcId stream) {
        if (stream != null) {
            ofStream(from, question, stream);
            return;
        }
        List<Unanswered.Sent> calls = from.calls(Duration.ofNanos(part(from, GRACE)));
        if (calls.stream().map(each -> each.pending().clientKey()).noneMatch(ModernFront::isModern)
                && calls.stream().noneMatch(Askers::isTakenBack)) {
            ways.ask(from, question, from.oldestRequest()); // of one client with a handshake, or of no call
            return;
        }
        Set<String> asked = ways.asked(from, System.nanoTime() - part(from, BESIDE));
        List<Unanswered.Sent> quiet = calls.stream()
                .filter(each -> !asked.contains(each.pending().clientKey()))
                .toList();
        List<Unanswered.Sent> mayBe = quiet.isEmpty() ? calls : quiet;
        if (mayBe.stream().allMatch(Askers::isTakenBack)) {
            refuse(from, question, TAKEN_BACK);
        } else if (mayBe.size() == 1) {
            ways.ask(from, question, mayBe.get(0).pending().clientKey());
        } else if (!hold(from, question, mayBe)) {
            refuse(from, question, UNCLEAR);
        }
    }

    private static long part(Connection from, Duration most) {
        return Math.min(most.toNanos(), from.timeout().toNanos() / PART);
    }

    private void ofStream(Connection from, RpcMessage.Request question, RpcId stream) {
        from.sent(stream)
                .ifPresentOrElse(
                        sent -> {
                            if (isTakenBack(sent)) {
                                refuse(from, question, TAKEN_BACK);
                            } else {
                                ways.ask(from, question, sent.pending().clientKey());
                            }
                        },
                        () -> refuse(from, question, ANSWERED));
    }

    private static boolean isTakenBack(Unanswered.Sent call) {
        return call.pending() instanceof Pending.Abandoned;
    }

    /** A call that was taken back while its question waits is among those still, for as long as that does. */
    private boolean hold(Connection from, RpcMessage.Request question, List<Unanswered.Sent> calls) {
        List<RpcId> ids = calls.stream().map(Unanswered.Sent::id).toList();
        synchronized (held) {
            long bytes = held.stream()
                    .mapToLong(each -> each.question().bytes().length)
                    .sum();
            if (held.size() >= MOST || bytes + question.bytes().length > MOST_BYTES) {
                return false;
            }
            held.add(new Held(from, question, ids, System.nanoTime() + part(from, HELD)));
            next();
            return true;
        }
    }

    /** Looks again at what waits, since a request of that line is not open any more. */
    void settled(Connection from) {
        for (Held each : taken(one -> one.from() == from && open(one).size() <= 1)) {
            List<Unanswered.Sent> left = open(each);
            if (left.isEmpty()) {
                refuse(from, each.question(), ANSWERED);
            } else if (isTakenBack(left.get(0))) {
                refuse(from, each.question(), TAKEN_BACK);
            } else {
                ways.ask(from, each.question(), left.get(0).pending().clientKey());
            }
        }
    }

    private static List<Unanswered.Sent> open(Held held) {
        return held.calls().stream()
                .flatMap(id -> held.from().sent(id).stream())
                .toList();
    }

    /** Takes note that a server took back what it asked under that id; returns whether that waits here. */
    boolean withdrawn(Connection from, RpcId id) {
        return !taken(each -> each.from() == from && each.question().id().key().equals(id.key()))
                .isEmpty();
    }

    /** Returns whether a question of that line waits here. */
    boolean isHolding(Connection from) {
        synchronized (held) {
            return held.stream().anyMatch(each -> each.from() == from);
        }
    }

    /** Forgets the questions of a line that is gone. */
    void ended(Connection from) {
        var _ = taken(each -> each.from() == from);
    }

    private void expire() {
        long now = System.nanoTime();
        taken(each -> each.until() - now <= 0).forEach(each -> refuse(each.from(), each.question(), UNCLEAR));
    }

    private List<Held> taken(Predicate<Held> which) {
        List<Held> taken = new ArrayList<>();
        synchronized (held) {
            Iterator<Held> all = held.iterator();
            while (all.hasNext()) {
                Held each = all.next();
                if (which.test(each)) {
                    all.remove();
                    taken.add(each);
                }
            }
            next();
        }
        return taken;
    }

    /** Sets the alarm for what is over next. */
    private void next() {
        if (held.isEmpty()) {
            expiry.off();
            return;
        }
        long now = System.nanoTime();
        long first = held.stream().mapToLong(each -> each.until() - now).min().orElse(0);
        expiry.in(Duration.ofNanos(Math.max(0, first)));
    }

    private static void refuse(Connection from, RpcMessage.Request question, String why) {
        from.send(RpcWriter.failure(question.id(), RpcWriter.INVALID_REQUEST, why));
    }
}
