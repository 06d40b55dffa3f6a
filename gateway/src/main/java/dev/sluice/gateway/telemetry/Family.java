package dev.sluice.gateway.telemetry;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** Numbers of one name, apart by their labels. Those beyond the bound are counted together, as {@code other}. */
final class Family {

    /** How many label sets are told apart. */
    static final int MOST = 1_000;

    private static final class Cell {
        private final LongAdder[] buckets;
        private final LongAdder count = new LongAdder();
        private final DoubleAdder sum = new DoubleAdder();

        Cell(int bounds) {
            buckets = new LongAdder[bounds];
            for (int i = 0; i < bounds; i++) {
                buckets[i] = new LongAdder();
            }
        }
    }

    private final String name;
    private final String help;
    private final String type;
    private final double[] bounds;
    private final List<String> labels;
    private final Map<List<String>, Cell> cells = new ConcurrentHashMap<>();

    Family(String name, String help, String type, double[] bounds, String... labels) {
        this.name = name;
        this.help = help;
        this.type = type;
        this.bounds = bounds.clone();
        this.labels = List.of(labels);
    }

    /** Adds to a counter or a gauge. */
    void add(long amount, String... values) {
        cell(List.of(values)).count.add(amount);
    }

    /** Takes note of one duration, in seconds. */
    void observe(double seconds, String... values) {
        Cell cell = cell(List.of(values));
        for (int i = 0; i < bounds.length; i++) {
            if (seconds <= bounds[i]) {
                cell.buckets[i].increment();
                break;
            }
        }
        cell.count.increment();
        cell.sum.add(seconds);
    }

    private Cell cell(List<String> values) {
        Cell known = cells.get(values);
        if (known != null) {
            return known;
        }
        List<String> counted = cells.size() < MOST ? values : Collections.nCopies(labels.size(), KnownMethods.OTHER);
        return cells.computeIfAbsent(counted, absent -> new Cell(bounds.length));
    }

    void write(StringBuilder text) {
        head(text, name, help, type);
        if (labels.isEmpty() && cells.isEmpty()) {
            text.append(name).append(" 0\n");
        }
        cells.forEach((values, cell) -> {
            if (!type.equals("histogram")) {
                line(text, "", values, "", Long.toString(cell.count.sum()));
                return;
            }
            // The buckets first: a duration that is added meanwhile must not make one of them more than the count.
            long[] below = new long[bounds.length];
            long sum = 0;
            for (int i = 0; i < bounds.length; i++) {
                sum += cell.buckets[i].sum();
                below[i] = sum;
            }
            String count = Long.toString(Math.max(sum, cell.count.sum()));
            for (int i = 0; i < bounds.length; i++) {
                line(text, "_bucket", values, Double.toString(bounds[i]), Long.toString(below[i]));
            }
            line(text, "_bucket", values, "+Inf", count);
            line(text, "_sum", values, "", Double.toString(cell.sum.sum()));
            line(text, "_count", values, "", count);
        });
    }

    static void head(StringBuilder text, String name, String help, String type) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private void line(StringBuilder text, String suffix, List<String> values, String bound, String number) {
        text.append(name).append(suffix);
        String comma = "{";
        for (int i = 0; i < labels.size(); i++) {
            text.append(comma)
                    .append(labels.get(i))
                    .append("=\"")
                    .append(escaped(values.get(i)))
                    .append('"');
            comma = ",";
        }
        if (!bound.isEmpty()) {
            text.append(comma).append("le=\"").append(bound).append('"');
            comma = ",";
        }
        text.append(comma.equals("{") ? " " : "} ").append(number).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
