package dev.sluice.guard;

import dev.sluice.labels.Source;
import dev.sluice.policy.ReaderLookup;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Who may read resources, asked where the policy says and kept for a short time, in memory only.
 *
 * <p>Fails closed: what fails, takes too long or can't be read permits nobody, and is kept for {@value #FAILED_SECONDS}
 * seconds at most, so that it is neither asked for with every call nor missed when it works again.
 */
final class ReaderLookups {

    private static final int FAILED_SECONDS = 5;
    private static final int MOST_KEPT = 1_024;
    private static final int MOST_NAMES_KEPT = 200_000;
    private static final int THREADS = 16;
    private static final int MOST_WAITING = 1_024;

    /** What answers may take beyond their own limit, for a resolver that keeps to it. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private static final Executor THREADS_OF_ALL = threads();

    private final Map<String, ReaderLookup> lookups;
    private final Map<String, ReaderResolver> resolvers = new HashMap<>();
    private final Clock clock;
    private final Map<Source, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Source, CompletableFuture<Set<String>>> asked = new HashMap<>();
    private int names;

    private record Kept(Set<String> readers, Instant until) {}

    ReaderLookups(Map<String, ReaderLookup> lookups, Function<ReaderLookup, ReaderResolver> make, Clock clock) {
        this.lookups = lookups;
        this.clock = clock;
        lookups.forEach((server, lookup) -> resolvers.put(server, make.apply(lookup)));
    }

    private static Executor threads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), work -> {
                    Thread thread = new Thread(work, "sluice-readers");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Completes with the readers of each of {@code sources}, none where that failed; never with a fault. */
    CompletableFuture<Map<Source, Set<String>>> readers(Set<Source> sources) {
        Map<Source, CompletableFuture<Set<String>>> all = new TreeMap<>();
        sources.forEach(source -> all.put(source, readers(source)));
        List<CompletableFuture<Set<String>>> answers = new ArrayList<>(all.values());
        return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
                .thenApply(none -> {
                    Map<Source, Set<String>> readers = new HashMap<>();
                    all.forEach((source, answer) -> readers.put(source, answer.join()));
                    return readers;
                });
    }

    private CompletableFuture<Set<String>> readers(Source source) {
        ReaderLookup lookup = lookups.get(source.server());
        ReaderResolver resolver = resolvers.get(source.server());
        if (lookup == null || resolver == null || !(source instanceof Source.OfResource resource)) {
            return CompletableFuture.completedFuture(Set.of());
        }
        CompletableFuture<Set<String>> answer = new CompletableFuture<>();
        synchronized (kept) {
            Kept before = kept.get(source);
            if (before != null && before.until().isAfter(clock.instant())) {
                return CompletableFuture.completedFuture(before.readers());
            }
            CompletableFuture<Set<String>> running = asked.putIfAbsent(source, answer);
            if (running != null) {
                return running.handle((readers, fault) -> fault == null ? readers : Set.of());
            }
        }
        CompletableFuture<Set<String>> result = answer.orTimeout(
                        lookup.within().plus(GRACE).toMillis(), TimeUnit.MILLISECONDS)
                .handle((readers, fault) -> keep(source, lookup, readers, fault == null));
        try {
            THREADS_OF_ALL.execute(() -> {
                try {
                    answer.complete(Set.copyOf(resolver.readers(resource)));
                } catch (ReaderResolver.UnresolvedException | RuntimeException e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(e);
        }
        return result;
    }

    private Set<String> keep(Source source, ReaderLookup lookup, Set<String> answered, boolean well) {
        Set<String> readers = well ? answered : Set.of();
        Duration failed = Duration.ofSeconds(FAILED_SECONDS);
        Duration time = readers.isEmpty() && lookup.keep().compareTo(failed) > 0 ? failed : lookup.keep();
        synchronized (kept) {
            asked.remove(source);
            forget(source);
            kept.put(source, new Kept(readers, clock.instant().plus(time)));
            names += readers.size();
            while (kept.size() > MOST_KEPT || (names > MOST_NAMES_KEPT && kept.size() > 1)) {
                forget(kept.keySet().iterator().next());
            }
        }
        return readers;
    }

    private void forget(Source source) {
        Kept old = kept.remove(source);
        names -= old == null ? 0 : old.readers().size();
    }
}
