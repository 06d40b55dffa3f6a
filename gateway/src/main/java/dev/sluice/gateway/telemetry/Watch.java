package dev.sluice.gateway.telemetry;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What watches the requests and lines of one client's session. */
public final class Watch {

    /** One that watches nothing. */
    public static final Watch NONE = new Watch(null, null, false, "", "");

    /** The W3C trace context that came in the header {@code traceparent} of the HTTP request that is being served. */
    public static final ScopedValue<String> HEADER = ScopedValue.newInstance();

    private static final Pattern REVISION = Pattern.compile("20[0-9]{2}-[0-9]{2}-[0-9]{2}");

    /** What names of tools may be, as the protocol says. */
    private static final Pattern TOOL = Pattern.compile("[A-Za-z0-9_.-]{1,128}");

    private static final Pattern CODE = Pattern.compile("-?[0-9]{1,10}");

    private final @Nullable Metrics metrics;
    private final @Nullable Spans spans;
    private final boolean propagates;
    private final String digest;
    private final String transport;
    private volatile String revision = "";

    Watch(@Nullable Metrics metrics, @Nullable Spans spans, boolean propagates, String digest, String transport) {
        this.metrics = metrics;
        this.spans = spans;
        this.propagates = propagates;
        this.digest = digest;
        this.transport = transport;
    }

    /** Returns whether anything is watched. */
    public boolean isOn() {
        return metrics != null || spans != null;
    }

    /** Returns whether spans are made, to which a client's may be the parent. */
    public boolean isTracing() {
        return spans != null;
    }

    /** Returns whether servers are told of the span that their request belongs to. */
    public boolean propagates() {
        return propagates;
    }

    /** Takes note of the revision of the protocol that the client named. */
    public void speaks(String named) {
        if (REVISION.matcher(named).matches()) {
            revision = named;
        }
    }

    /**
     * Begins a request of the client, or another message of it that is decided on.
     *
     * @param traceparent whose work it is part of, as the client says; empty where it says nothing
     * @param tracestate what goes with that; empty for nothing
     */
    public Operation request(String method, String traceparent, String tracestate) {
        if (!isOn()) {
            return Operation.NONE;
        }
        String known = KnownMethods.of(method);
        String parent = traceparent.isEmpty() && HEADER.isBound() ? HEADER.get() : traceparent;
        return new Watched(
                known,
                spans == null ? null : spans.server(known, parent, traceparent.isEmpty() ? "" : tracestate),
                null);
    }

    /** Begins a request that the gateway sends to a server for itself. */
    public Operation own(String server, String method) {
        if (!isOn()) {
            return Operation.NONE;
        }
        String known = KnownMethods.of(method);
        Watched own = new Watched(known, spans == null ? null : spans.client(known, null), Watched.NOBODY);
        own.about(server, "");
        return own;
    }

    /** Takes note that a line to a server was opened. */
    public void opened(String server) {
        if (metrics != null) {
            metrics.starts.add(1, server);
            metrics.lines.add(1, server);
        }
    }

    /** Takes note that a line to a server can't be opened. */
    public void failed(String server) {
        if (metrics != null) {
            metrics.failures.add(1, server);
        }
    }

    /** Takes note that a line to a server ended. */
    public void ended(String server) {
        if (metrics != null) {
            metrics.ends.add(1, server);
            metrics.lines.add(-1, server);
        }
    }

    /** A request, in spans and numbers, whichever are wanted. */
    private final class Watched implements Operation {

        /** For whom the gateway's own requests are. */
        private static final Operation NOBODY = new Operation() {};

        private record End(Outcome outcome, String code) {}

        private final String method;
        private final Spans.@Nullable Span span;

        /** For whom a request to a server is; null for the client's own. */
        private final @Nullable Operation parent;

        private final long from = System.nanoTime();
        private final AtomicBoolean over = new AtomicBoolean();
        private @Nullable End end;
        private volatile String server = "";

        Watched(String method, Spans.@Nullable Span span, @Nullable Operation parent) {
            this.method = method;
            this.span = span;
            this.parent = parent;
            if (span != null) {
                span.put("mcp.method.name", method);
                span.put("sluice.session", digest);
                span.put("network.transport", transport);
                if (!revision.isEmpty()) {
                    span.put("mcp.protocol.version", revision);
                }
            }
            if (metrics != null && parent == null) {
                metrics.inFlight.add(1);
            }
        }

        @Override
        public void about(String to, String tool) {
            server = to;
            if (span == null) {
                return;
            }
            span.put("sluice.server", to);
            if (TOOL.matcher(tool).matches()) {
                span.put("gen_ai.tool.name", tool);
                span.put("gen_ai.operation.name", "execute_tool");
                span.name(method + " " + tool);
            }
        }

        @Override
        public void decided(Verdict verdict) {
            if (metrics != null) {
                metrics.decisions.add(1, verdict.server(), verdict.decision(), verdict.code(), verdict.done());
            }
            if (span != null) {
                Map<String, String> values = new LinkedHashMap<>();
                values.put("sluice.server", verdict.server());
                values.put("sluice.decision", verdict.decision());
                values.put("sluice.decision.code", verdict.code());
                values.put("sluice.decision.done", verdict.done());
                values.put("sluice.policy.digest", verdict.policy());
                values.put("sluice.approval.state", verdict.approval());
                span.event("sluice.decision", values, "sluice.decision.rules", verdict.rules());
            }
        }

        @Override
        public Operation upstream(String to, String asked, String tool) {
            String known = KnownMethods.of(asked);
            Watched child = new Watched(known, spans == null ? null : spans.client(known, span), this);
            child.about(to, tool);
            return child;
        }

        @Override
        public String traceparent() {
            return span == null ? "" : span.traceparent();
        }

        @Override
        public void outcome(Outcome outcome, String code) {
            var _ = settle(outcome, code);
        }

        private synchronized End settle(Outcome outcome, String code) {
            End first = end;
            if (first == null) {
                first = new End(outcome, CODE.matcher(code).matches() ? code : "");
                end = first;
            }
            return first;
        }

        @Override
        public void end() {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            End last = settle(Outcome.OK, "");
            if (parent != null) {
                parent.outcome(last.outcome(), last.code());
            }
            String error = last.outcome() == Outcome.OK ? "" : last.outcome().id();
            if (metrics != null) {
                count(metrics, error, last.outcome());
            }
            if (span != null) {
                if (!last.code().isEmpty()) {
                    span.put("rpc.response.status_code", last.code());
                }
                span.end(last.code().isEmpty() ? error : last.code());
            }
        }

        private void count(Metrics into, String error, Outcome outcome) {
            double seconds = (System.nanoTime() - from) / 1e9;
            if (parent == null) {
                into.inFlight.add(-1);
                into.requests.add(1, server, method, outcome.id());
                into.received.observe(seconds, method, error);
            } else {
                into.sent.observe(seconds, server, method, error);
            }
        }
    }
}
