package dev.sluice.gateway.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Spans that are kept where a test can look at them. */
final class KeptSpans implements Spans {

    final List<Kept> all = new ArrayList<>();

    final class Kept implements Span {
        final String kind;
        final String parent;
        final Map<String, String> values = new TreeMap<>();
        final List<String> events = new ArrayList<>();
        final List<String> ends = new ArrayList<>();
        String name;

        Kept(String kind, String name, String parent) {
            this.kind = kind;
            this.name = name;
            this.parent = parent;
            all.add(this);
        }

        @Override
        public void put(String key, String value) {
            values.put(key, value);
        }

        @Override
        public void name(String better) {
            name = better;
        }

        @Override
        public void event(String event, Map<String, String> told, String listKey, List<String> list) {
            Map<String, String> sorted = new TreeMap<>(told);
            sorted.put(listKey, list.toString());
            events.add(event + sorted);
        }

        @Override
        public String traceparent() {
            return "00-" + all.indexOf(this);
        }

        @Override
        public void end(String error) {
            ends.add(error);
        }
    }

    @Override
    public Span server(String name, String traceparent, String tracestate) {
        return new Kept("server", name, traceparent + "/" + tracestate);
    }

    @Override
    public Span client(String name, @Nullable Span parent) {
        return new Kept("client", name, parent == null ? "" : parent.traceparent());
    }

    @Override
    public void close() {}
}
