package dev.sluice.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link CanonicalBenchmark} and prints its table as Markdown.
 *
 * <p>In several rounds, each with a new JVM for each row, so that a busy time of the machine meets all rows alike. Code is
 * compiled in the foreground: else a busy machine gets to it only after the warm-up.
 */
public final class CanonicalReport {

    private static final List<String> ROWS = List.of(
            "shaOfJcs",
            "jcsOfSluice",
            "jcsOfSluiceIndex",
            "jcsOfErdtman",
            "shaOfCbor",
            "cborOfSluice",
            "cborOfSluiceIndex",
            "cborOfUpokecenter",
            "cborOfUpokecenterObject");

    /** Nanoseconds of all iterations, by input and row. */
    private final Map<String, List<Double>> times = new TreeMap<>();

    private CanonicalReport() {}

    /** Takes the number of rounds; 4 without one. */
    public static void main(String[] args) throws RunnerException {
        CanonicalReport report = new CanonicalReport();
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        for (int round = 1; round <= rounds; round++) {
            System.err.println("round " + round + " of " + rounds);
            report.add(new Runner(new OptionsBuilder()
                            .include(CanonicalBenchmark.class.getName())
                            .forks(1)
                            .jvmArgsAppend("-Xbatch", "--sun-misc-unsafe-memory-access=allow")
                            .warmupIterations(8)
                            .warmupTime(TimeValue.milliseconds(250))
                            .measurementIterations(10)
                            .measurementTime(TimeValue.milliseconds(100))
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .run());
        }
        report.print();
    }

    private void add(Collection<RunResult> results) {
        for (RunResult result : results) {
            String method = result.getPrimaryResult().getLabel();
            String key = result.getParams().getParam("input") + " " + method;
            for (BenchmarkResult fork : result.getBenchmarkResults()) {
                for (IterationResult iteration : fork.getIterationResults()) {
                    times.computeIfAbsent(key, k -> new ArrayList<>())
                            .add(iteration.getPrimaryResult().getScore());
                }
            }
        }
    }

    private void print() {
        for (String input : List.of("record", "document")) {
            int length = input.equals("record") ? Records.one().length : Records.many().length;
            System.out.printf(Locale.ROOT, "%n%s, %,d bytes of JSON%n%n", input, length);
            System.out.println("| to a digest | least µs | median µs | over sha256 alone: least / median |");
            System.out.println("|---|---|---|---|");
            for (String row : ROWS) {
                String sha = row.contains("cbor") || row.contains("Cbor") ? "shaOfCbor" : "shaOfJcs";
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %.2f | %.2f | %.1f / %.1f |%n",
                        row,
                        least(input, row) / 1000,
                        median(input, row) / 1000,
                        least(input, row) / least(input, sha),
                        median(input, row) / median(input, sha));
            }
            System.out.println();
            times(input, "jcsOfSluice", "jcsOfErdtman");
            times(input, "cborOfSluice", "cborOfUpokecenter");
            times(input, "cborOfSluiceIndex", "cborOfUpokecenterObject");
        }
    }

    private void times(String input, String ours, String theirs) {
        System.out.printf(
                Locale.ROOT,
                "%s is %.1f (least) / %.1f (median) times as fast as %s%n",
                ours,
                least(input, theirs) / least(input, ours),
                median(input, theirs) / median(input, ours),
                theirs);
    }

    private double least(String input, String row) {
        return sorted(input, row).get(0);
    }

    private double median(String input, String row) {
        List<Double> sorted = sorted(input, row);
        return sorted.get(sorted.size() / 2);
    }

    private List<Double> sorted(String input, String row) {
        return times.getOrDefault(input + " " + row, List.of(Double.NaN)).stream()
                .sorted()
                .toList();
    }
}
