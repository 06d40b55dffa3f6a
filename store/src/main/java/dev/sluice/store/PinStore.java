package dev.sluice.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The digests of the definitions that were first seen or approved: tools, and a server's instructions. */
public interface PinStore {

    /**
     * One pinned definition.
     *
     * @param server the upstream it belongs to; empty for a policy file
     * @param kind what is pinned: {@code tool}, {@code instructions} or {@code policy}
     * @param name the tool's name, or the policy's path; empty for instructions
     * @param digest the digest of the definition
     * @param at when it was pinned
     */
    record Pin(String server, String kind, String name, String digest, Instant at) {

        /** By server, kind and name: the order of {@link PinStore#all}. */
        public static final Comparator<Pin> ORDER =
                Comparator.comparing(Pin::server).thenComparing(Pin::kind).thenComparing(Pin::name);
    }

    /** Returns the pin of that definition, or empty where it was never seen. */
    Optional<Pin> find(String server, String kind, String name);

    /** Returns all pins, by server, kind and name. */
    List<Pin> all();

    /** Pins a definition, in place of what was pinned before. */
    void pin(Pin pin);
}
