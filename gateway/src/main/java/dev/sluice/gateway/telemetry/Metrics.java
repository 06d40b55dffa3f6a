package dev.sluice.gateway.telemetry;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Numbers of the gateway's work, in the text that Prometheus reads.
 *
 * <p>Servers are named as the policy names them, methods and outcomes come from lists of our own, and each family has a bound
 * besides: whoever speaks to the gateway can't make it keep more.
 *
 * <p>Source: Prometheus, Exposition formats, text format 0.0.4. The names of durations are those of OpenTelemetry's semantic
 * conventions for MCP.
 */
public final class Metrics {

    /** The content type of {@link #text}. */
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** The buckets that the conventions advise for operations of MCP, in seconds. */
    private static final double[] OPERATIONS = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300};

    private static final double[] TRANSACTIONS = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1};

    private record Read(String name, String help, String type, LongSupplier value) {}

    private final List<Family> families = new ArrayList<>();
    private final List<Read> reads = new ArrayList<>();
    private volatile Supplier<Map<String, String>> states = Map::of;

    final Family decisions = counter(
            "sluice_decisions_total",
            "Decisions on messages to servers, by what was decided and what was done.",
            "server",
            "decision",
            "code",
            "done");
    final Family requests =
            counter("sluice_requests_total", "Requests of clients that have ended.", "server", "method", "outcome");
    final Family received = histogram(
            "mcp_server_operation_duration_seconds",
            "How long clients waited for an answer.",
            OPERATIONS,
            "mcp_method_name",
            "error_type");
    final Family sent = histogram(
            "mcp_client_operation_duration_seconds",
            "How long servers took to answer.",
            OPERATIONS,
            "server",
            "mcp_method_name",
            "error_type");
    final Family inFlight = gauge("sluice_requests_in_flight", "Requests of clients that have no answer yet.");
    final Family lines = gauge("sluice_upstream_lines_open", "Open lines to servers.", "server");
    final Family starts = counter("sluice_upstream_starts_total", "Lines to servers that were opened.", "server");
    final Family ends =
            counter("sluice_upstream_ends_total", "Lines to servers that ended, stopped or by themselves.", "server");
    final Family failures =
            counter("sluice_upstream_failures_total", "Lines to servers that could not be opened.", "server");
    final Family refusals =
            counter("sluice_http_refusals_total", "Answers over HTTP with a status of 400 or more.", "status");
    final Family transactions = histogram(
            "sluice_store_transaction_duration_seconds",
            "How long transactions on the state took.",
            TRANSACTIONS,
            "outcome");

    Metrics() {}

    private Family counter(String name, String help, String... labels) {
        return add(new Family(name, help, "counter", new double[0], labels));
    }

    private Family gauge(String name, String help, String... labels) {
        return add(new Family(name, help, "gauge", new double[0], labels));
    }

    private Family histogram(String name, String help, double[] bounds, String... labels) {
        return add(new Family(name, help, "histogram", bounds, labels));
    }

    private Family add(Family family) {
        families.add(family);
        return family;
    }

    /** Adds a number that is read when it is asked for and may fall; before the first {@link #text}. */
    public Metrics gauge(String name, String help, LongSupplier value) {
        reads.add(new Read(name, help, "gauge", value));
        return this;
    }

    /** Adds a number that is read when it is asked for and only grows; before the first {@link #text}. */
    public Metrics counter(String name, String help, LongSupplier value) {
        reads.add(new Read(name, help, "counter", value));
        return this;
    }

    /** Adds how each server does, by its name; read when it is asked for. */
    public Metrics states(Supplier<Map<String, String>> read) {
        states = read;
        return this;
    }

    /** Takes note of an answer over HTTP. */
    public void answered(int status) {
        if (status >= 400) {
            refusals.add(1, Integer.toString(status));
        }
    }

    /** Returns all numbers as they are now. */
    public byte[] text() {
        StringBuilder text = new StringBuilder();
        families.forEach(family -> family.write(text));
        for (Read read : reads) {
            Family.head(text, read.name(), read.help(), read.type());
            text.append(read.name())
                    .append(' ')
                    .append(read.value().getAsLong())
                    .append('\n');
        }
        Family now = new Family(
                "sluice_upstream_state",
                "How each server does in this process.",
                "gauge",
                new double[0],
                "server",
                "state");
        states.get().forEach((server, state) -> now.add(1, server, state));
        now.write(text);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }
}
