package dev.sluice.gateway.telemetry;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where spans go. */
interface Spans extends AutoCloseable {

    /** One piece of work. */
    interface Span {

        void put(String key, String value);

        /** Gives it a better name than it had. */
        void name(String name);

        void event(String name, Map<String, String> values, String listKey, List<String> list);

        /** Returns the W3C trace context of this. */
        String traceparent();

        /**
         * @param error what kind of failure it ended with; empty for none
         */
        void end(String error);
    }

    /**
     * Begins a span of a request that came in.
     *
     * @param traceparent whose work it is part of, as the client says; empty where it says nothing
     * @param tracestate what goes with that; empty for nothing
     */
    Span server(String name, String traceparent, String tracestate);

    /**
     * Begins a span of a request that goes out.
     *
     * @param parent what it is for; null for the gateway's own needs
     */
    Span client(String name, @Nullable Span parent);

    /** Hands on what is left, for a few seconds at most. */
    @Override
    void close();
}
