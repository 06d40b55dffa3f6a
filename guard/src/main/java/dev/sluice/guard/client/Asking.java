package dev.sluice.guard.client;

import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Inbound;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Status;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Puts the guard's questions to the approver, and what that says into the guard's state: there alone it counts.
 *
 * <p>A question is put once at a time, however many calls wait for it. An answer that comes too late for its call is kept
 * all the same, for an identical one.
 */
final class Asking {

    /** More questions than these of one conversation are not put at a time: its calls are refused as pending at once. */
    static final int MOST_WAITING = 16;

    /** An answer that comes later is to a question that is over, and keeps no place from others. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What is recorded as who answered. */
    private static final String BY = "host";

    private record Put(String key, CompletableFuture<Boolean> kept) {}

    private final Guard guard;
    private final Approver approver;
    private final Clock clock;
    private final Executor executor;
    private final Map<String, Put> open = new ConcurrentHashMap<>();

    Asking(Guard guard, Approver approver, Clock clock, Executor executor) {
        this.guard = guard;
        this.approver = approver;
        this.clock = clock;
        this.executor = executor;
    }

    /**
     * Puts the question that {@code denial} names, where one waits.
     *
     * @param within how long the call may wait
     * @return completes with whether there is an answer now, by which the call can be decided anew; never with a fault
     */
    CompletionStage<Boolean> answered(
            AgentSession agent, String conversation, Inbound inbound, Denial denial, Duration within) {
        if (denial.pending().isEmpty() || within.isNegative() || within.isZero()) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> kept;
        synchronized (this) {
            Put put = open.get(denial.pending());
            if (put != null) {
                kept = put.kept();
            } else if (open.values().stream()
                            .filter(each -> each.key().equals(agent.key()))
                            .count()
                    >= MOST_WAITING) {
                return CompletableFuture.completedFuture(false);
            } else {
                kept = new CompletableFuture<>();
                open.put(denial.pending(), new Put(agent.key(), kept));
                put(conversation, inbound, denial, kept);
            }
        }
        return kept.copy()
                .completeOnTimeout(false, within.toMillis(), TimeUnit.MILLISECONDS)
                .thenApplyAsync(answered -> answered || isAnswered(denial.pending()), executor)
                .exceptionally(fault -> false);
    }

    private void put(String conversation, Inbound inbound, Denial denial, CompletableFuture<Boolean> kept) {
        CompletableFuture<Boolean> said;
        try {
            said = CompletableFuture.supplyAsync(() -> ask(conversation, inbound, denial), executor)
                    .thenCompose(each -> each);
        } catch (RejectedExecutionException e) {
            said = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<?> unused = said.orTimeout(LONGEST.toMillis(), TimeUnit.MILLISECONDS)
                .handle((yes, fault) -> fault == null && yes != null && keep(denial.pending(), yes))
                .exceptionally(fault -> false) // what can't be kept was not said
                .thenAccept(answered -> {
                    synchronized (this) {
                        open.remove(denial.pending());
                    }
                    kept.complete(answered);
                });
    }

    private CompletionStage<Boolean> ask(String conversation, Inbound inbound, Denial denial) {
        // One that was answered since its call was decided is over: nobody would heed what is said to it now.
        Approval asked = guard.question(denial.pending())
                .filter(each -> each.status() == Status.PENDING)
                .orElseThrow();
        return approver.ask(
                ApprovalRequest.of(asked, conversation, inbound.upstream().name(), inbound.name(), clock.instant()));
    }

    private boolean keep(String id, boolean yes) {
        Optional<Approval> asked = guard.question(id);
        asked.ifPresent(each -> guard.answer(each, yes, BY));
        return asked.isPresent();
    }

    /** Somebody else who shares the state may have answered. */
    private boolean isAnswered(String id) {
        return guard.question(id).map(Approval::status).orElse(Status.PENDING) != Status.PENDING;
    }
}
