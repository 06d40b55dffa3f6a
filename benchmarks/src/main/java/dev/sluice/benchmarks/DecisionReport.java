package dev.sluice.benchmarks;

import dev.sluice.guard.provenance.Place;
import dev.sluice.guard.provenance.Provenance;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/** Runs {@link DecisionBenchmark}, measures what a session holds in memory, and prints both as Markdown. */
public final class DecisionReport {

    private DecisionReport() {}

    /** Takes the number of JVMs for each row; 2 without one. */
    public static void main(String[] args) throws RunnerException {
        int forks = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        List<RunResult> results = new ArrayList<>(new Runner(new OptionsBuilder()
                        .include(DecisionBenchmark.class.getName())
                        .forks(forks)
                        .jvmArgsAppend("-Xbatch", "--sun-misc-unsafe-memory-access=allow")
                        .warmupIterations(6)
                        .warmupTime(TimeValue.milliseconds(500))
                        .measurementIterations(8)
                        .measurementTime(TimeValue.milliseconds(500))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run());
        System.out.println("| one decision | answers before | median µs | p99 µs |");
        System.out.println("|---|---|---|---|");
        for (RunResult result : results) {
            Result<?> primary = result.getPrimaryResult();
            Statistics times = primary.getStatistics();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %,d | %.2f | %.2f |%n",
                    primary.getLabel(),
                    Integer.parseInt(result.getParams().getParam("calls")),
                    times.getPercentile(50) / 1000,
                    times.getPercentile(99) / 1000);
        }
        memory();
    }

    private static void memory() {
        System.out.println();
        System.out.println("| answers of 300 characters | characters remembered | MiB of heap for each session |");
        System.out.println("|---|---|---|");
        for (int answers : new int[] {0, 10, 100, 1_000, 10_000, 100_000}) {
            int sessions = answers > 1_000 ? 8 : answers > 10 ? 50 : 2_000;
            long before = used();
            List<Provenance> all = new ArrayList<>();
            for (int i = 0; i < sessions; i++) {
                all.add(filled(answers, i));
            }
            long after = used();
            System.out.printf(
                    Locale.ROOT,
                    "| %,d | %,d | %.3f |%n",
                    answers,
                    all.get(0).size(),
                    (after - before) / (double) sessions / (1 << 20));
        }
    }

    private static Provenance filled(int answers, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Provenance seen = new Provenance();
        for (int i = 0; i < answers; i++) {
            seen.seen(
                    DecisionBenchmark.words(random, 300),
                    new Place(
                            Label.BOTTOM, false, new Origin(Instant.EPOCH.plusSeconds(i), "c" + i, "notes", "tool1")));
        }
        return seen;
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
