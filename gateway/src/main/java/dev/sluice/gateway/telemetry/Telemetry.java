package dev.sluice.gateway.telemetry;

import dev.sluice.gateway.Log;
import dev.sluice.guard.Secrets;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.store.Engine;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the operator wants to be told of the gateway's work; nothing of it costs anything that is not wanted. */
public final class Telemetry implements AutoCloseable {

    /** Nothing. */
    public static final Telemetry NONE = new Telemetry(null, null, false);

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

    private final @Nullable Metrics metrics;
    private final @Nullable Spans spans;
    private final boolean propagates;

    private Telemetry(@Nullable Metrics metrics, @Nullable Spans spans, boolean propagates) {
        this.metrics = metrics;
        this.spans = spans;
        this.propagates = propagates;
    }

    /** Returns one that tells {@code metrics} and {@code spans}. */
    static Telemetry of(@Nullable Metrics metrics, @Nullable Spans spans, boolean propagates) {
        return new Telemetry(metrics, spans, propagates);
    }

    /**
     * Starts what {@code settings} ask for.
     *
     * @param isScraped whether there is anybody who could read metrics
     * @param environment gives the value of a variable, or null
     * @throws IOException where it can't be started so; the message says the mend
     */
    public static Telemetry start(
            GatewaySettings.Telemetry settings,
            boolean isScraped,
            Function<String, @Nullable String> environment,
            Log log)
            throws IOException {
        Metrics metrics = settings.metrics() && isScraped ? new Metrics() : null;
        boolean traces = settings.isTracing() && !OtlpWords.isDisabled(environment);
        if (metrics == null && !traces) {
            return NONE;
        }
        return new Telemetry(
                metrics, traces ? spans(settings, environment, log) : null, traces && settings.propagate());
    }

    private static Spans spans(
            GatewaySettings.Telemetry settings, Function<String, @Nullable String> environment, Log log)
            throws IOException {
        OtlpWords words;
        try {
            words = OtlpWords.read(environment);
        } catch (IllegalArgumentException e) {
            throw new IOException(String.valueOf(e.getMessage()), e);
        }
        OtlpWords.SECRET.forEach(Secrets::add);
        URI collector = URI.create(settings.collector());
        if (!words.headers().isEmpty()
                && !"https".equals(collector.getScheme())
                && !LOOPBACK.contains(String.valueOf(collector.getHost()))) {
            throw new IOException("`otlp` is reached unencrypted, so the headers of OTEL_EXPORTER_OTLP_HEADERS could be"
                    + " read on the way; write an https address, or take the headers out");
        }
        return new OtlpSpans(settings.collector(), words, log);
    }

    /** Returns the numbers; empty where nobody wants them. */
    public Optional<Metrics> metrics() {
        return Optional.ofNullable(metrics);
    }

    /** Returns {@code engine}, with how long its transactions take among the numbers. */
    public Engine timed(Engine engine) {
        return metrics == null ? engine : new TimedEngine(engine, metrics.transactions);
    }

    /**
     * Returns what watches one client's session.
     *
     * @param digest the first digits of a digest of what the session is found by; never its id, which is a secret
     * @param transport {@code pipe} or {@code tcp}
     */
    public Watch session(String digest, String transport) {
        return metrics == null && spans == null ? Watch.NONE : new Watch(metrics, spans, propagates, digest, transport);
    }

    @Override
    public void close() {
        if (spans != null) {
            spans.close();
        }
    }
}
