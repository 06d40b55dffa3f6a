package dev.sluice.gateway.telemetry;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Spans that go to a collector as OTLP over HTTP. The only class that names OpenTelemetry, and so the only one that needs it
 * to be loaded: that happens where the operator names a collector, and nowhere else.
 */
final class OtlpSpans implements Spans {

    private static final long LAST_WORDS_MS = 5_000;
    private static final int LONGEST_PARENT = 128;
    private static final int LONGEST_STATE = 512;
    private static final String PARENT = "traceparent";
    private static final String STATE = "tracestate";

    /** What the library would say on standard error; held, or what is set on it would go with it. */
    private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

    private static final TextMapGetter<Map<String, String>> GETTER =
            (carrier, name) -> carrier == null ? null : carrier.get(name);

    private final SdkTracerProvider provider;
    private final Tracer tracer;

    /**
     * @param collector where spans are posted to
     * @param words what the operator says of it in the environment
     */
    OtlpSpans(String collector, OtlpWords words, Log log) {
        LIBRARY.setUseParentHandlers(false);
        OtlpHttpSpanExporterBuilder exporter = OtlpHttpSpanExporter.builder().setEndpoint(collector);
        words.headers().forEach(exporter::addHeader);
        AttributesBuilder about = Attributes.builder().put("service.name", words.service());
        words.resource().forEach(about::put);
        this.provider = SdkTracerProvider.builder()
                .setResource(Resource.getDefault().merge(Resource.create(about.build())))
                .setSampler(sampler(words))
                .addSpanProcessor(BatchSpanProcessor.builder(new Watched(exporter.build(), log))
                        .build())
                .build();
        this.tracer = provider.get("dev.sluice.gateway");
    }

    private static Sampler sampler(OtlpWords words) {
        Sampler root = switch (words.sampler().replaceFirst("^parentbased_", "")) {
            case "always_off" -> Sampler.alwaysOff();
            case "traceidratio" -> Sampler.traceIdRatioBased(words.ratio());
            default -> Sampler.alwaysOn();
        };
        return words.sampler().isEmpty() || words.sampler().startsWith("parentbased_")
                ? Sampler.parentBased(root)
                : root;
    }

    @Override
    public Span server(String name, String traceparent, String tracestate) {
        Context from = Context.root();
        if (!traceparent.isEmpty() && traceparent.length() <= LONGEST_PARENT) {
            Map<String, String> carrier = tracestate.isEmpty() || tracestate.length() > LONGEST_STATE
                    ? Map.of(PARENT, traceparent)
                    : Map.of(PARENT, traceparent, STATE, tracestate);
            from = W3CTraceContextPropagator.getInstance().extract(from, carrier, GETTER);
        }
        return new Open(tracer.spanBuilder(name).setSpanKind(SpanKind.SERVER).setParent(from));
    }

    @Override
    public Span client(String name, @Nullable Span parent) {
        SpanBuilder builder = tracer.spanBuilder(name).setSpanKind(SpanKind.CLIENT);
        return new Open(
                parent instanceof Open open ? builder.setParent(open.context()) : builder.setParent(Context.root()));
    }

    @Override
    public void close() {
        provider.shutdown().join(LAST_WORDS_MS, TimeUnit.MILLISECONDS);
    }

    private static final class Open implements Span {

        private final io.opentelemetry.api.trace.Span span;

        Open(SpanBuilder builder) {
            this.span = builder.startSpan();
        }

        Context context() {
            return Context.root().with(span);
        }

        @Override
        public void put(String key, String value) {
            span.setAttribute(key, value);
        }

        @Override
        public void name(String name) {
            span.updateName(name);
        }

        @Override
        public void event(String name, Map<String, String> values, String listKey, List<String> list) {
            AttributesBuilder attributes = Attributes.builder();
            values.forEach(attributes::put);
            attributes.put(AttributeKey.stringArrayKey(listKey), list);
            span.addEvent(name, attributes.build());
        }

        @Override
        public String traceparent() {
            SpanContext own = span.getSpanContext();
            return own.isValid()
                    ? "00-" + own.getTraceId() + "-" + own.getSpanId() + "-"
                            + own.getTraceFlags().asHex()
                    : "";
        }

        @Override
        public void end(String error) {
            if (!error.isEmpty()) {
                span.setAttribute("error.type", error);
                span.setStatus(StatusCode.ERROR);
            }
            span.end();
        }
    }

    /** Says when spans were lost, in our words: the library's hold what a collector answered. */
    private static final class Watched implements SpanExporter {

        private final SpanExporter exporter;
        private final Log log;
        private final AtomicLong failures = new AtomicLong();

        Watched(SpanExporter exporter, Log log) {
            this.exporter = exporter;
            this.log = log;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            CompletableResultCode result = exporter.export(spans);
            return result.whenComplete(() -> {
                if (!result.isSuccess()) {
                    lost();
                }
            });
        }

        /** At first, then ever more rarely. */
        private void lost() {
            long count = failures.incrementAndGet();
            if (Long.bitCount(count) == 1) {
                log.line(
                        LogEvent.TRACES_LOST,
                        "spans can't be handed to the collector; look whether it runs at the address in `otlp`"
                                + (count > 1 ? " (" + count + " times so far)" : ""));
            }
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
