package dev.sluice.gateway.telemetry;

/**
 * One request that is being watched: of the client, or to a server, from when it came or went until its answer.
 *
 * <p>Used from several threads. After its end nothing more is taken note of.
 */
public interface Operation {

    /** One that nobody watches. */
    Operation NONE = new Operation() {};

    /**
     * Says where it goes.
     *
     * @param server the server's name in the policy
     * @param tool a tool that the server listed; empty where none is called, or one that is not known
     */
    default void about(String server, String tool) {}

    /** Says what was decided of it. */
    default void decided(Verdict verdict) {}

    /** Begins the request that goes to a server because of this one. */
    default Operation upstream(String server, String method, String tool) {
        return NONE;
    }

    /** Returns the W3C trace context that says to others that they work for this; empty where there is none. */
    default String traceparent() {
        return "";
    }

    /**
     * Says what became of it; the first word counts.
     *
     * @param code the JSON-RPC code of an error; empty for none
     */
    default void outcome(Outcome outcome, String code) {}

    /** Ends it, once; it went well unless something else was said. */
    default void end() {}
}
