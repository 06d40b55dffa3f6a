package dev.sluice.gateway.proxy;

import java.util.Optional;

/**
 * How tools and prompts of several servers are named behind one endpoint: {@code server__tool}.
 *
 * <p>Reversible, since no server's name holds two underscores. Behind an endpoint of one server, its own names stand.
 */
record Names(boolean shared) {

    private static final String BETWEEN = "__";

    /** A name as a server knows it. */
    record Local(String server, String name) {}

    String outside(String server, String name) {
        return shared ? server + BETWEEN + name : name;
    }

    /** Returns what {@code outside} names, or empty where it can't name anything here. */
    Optional<Local> inside(String outside) {
        int at = outside.indexOf(BETWEEN);
        return at <= 0 ? Optional.empty() : Optional.of(new Local(outside.substring(0, at), outside.substring(at + 2)));
    }
}
