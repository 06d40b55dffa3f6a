package dev.sluice.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The text that Prometheus reads. */
class MetricsTest {

    private static final String LABEL = "[a-z_]+=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\"";
    private static final Pattern LINE = Pattern.compile("# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|histogram))"
            + "|[a-z_]+(?:\\{" + LABEL + "(?:," + LABEL + ")*\\})? -?[0-9.E+-]+");

    private static List<String> text(Family family) {
        StringBuilder text = new StringBuilder();
        family.write(text);
        return text.toString().lines().toList();
    }

    @Test
    void durations_areCountedInEveryBucketThatTheyFit() {
        Family family = new Family("d_seconds", "Durations.", "histogram", new double[] {0.1, 1}, "what");
        family.observe(0.1, "x");
        family.observe(0.5, "x");
        family.observe(2, "x");

        assertEquals(
                List.of(
                        "# HELP d_seconds Durations.",
                        "# TYPE d_seconds histogram",
                        "d_seconds_bucket{what=\"x\",le=\"0.1\"} 1",
                        "d_seconds_bucket{what=\"x\",le=\"1.0\"} 2",
                        "d_seconds_bucket{what=\"x\",le=\"+Inf\"} 3",
                        "d_seconds_sum{what=\"x\"} 2.6",
                        "d_seconds_count{what=\"x\"} 3"),
                text(family));
    }

    @Test
    void labels_areEscaped() {
        Family family = new Family("c_total", "Counts.", "counter", new double[0], "a", "b");
        family.add(2, "q\"\\", "l\n");

        assertEquals("c_total{a=\"q\\\"\\\\\",b=\"l\\n\"} 2", text(family).get(2));
    }

    @Test
    void labelsBeyondTheBound_areCountedTogether() {
        Family family = new Family("c_total", "Counts.", "counter", new double[0], "name");
        for (int i = 0; i < Family.MOST + 500; i++) {
            family.add(1, "n" + i);
        }

        List<String> lines = text(family);
        assertEquals(2 + Family.MOST + 1, lines.size());
        assertTrue(lines.contains("c_total{name=\"other\"} 500"));
    }

    @Test
    void everyLine_isOfTheFormat() {
        Metrics metrics = new Metrics().gauge("g", "A gauge.", () -> -3).counter("c_total", "A counter.", () -> 4);
        metrics.answered(404);
        metrics.answered(200);
        metrics.decisions.add(1, "s\"", "deny", "c\\", "refused");
        metrics.sent.observe(1e-7, "s", "tools/call", "");

        String text = new String(metrics.text(), StandardCharsets.UTF_8);
        assertTrue(text.endsWith("\n"));
        text.lines().forEach(line -> assertTrue(LINE.matcher(line).matches() || line.contains("le=\"+Inf\""), line));
        assertTrue(text.contains("\ng -3\n"));
        assertTrue(text.contains("\nc_total 4\n"));
        assertTrue(text.contains("\nsluice_http_refusals_total{status=\"404\"} 1\n"));
        assertTrue(!text.contains("status=\"200\""));
    }
}
