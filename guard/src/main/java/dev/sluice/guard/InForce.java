package dev.sluice.guard;

import dev.sluice.policy.KnownServers;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyEngine;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolStatement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A policy that is in force, with what works by it. Another one is put in its place whole, and is another object. */
final class InForce {

    private final Policy policy;
    private final PolicyEngine decisions;
    private final EvidenceSources evidence;
    private final ReaderLookups lookups;
    private final Set<String> described;

    /**
     * Puts together what works by {@code policy}.
     *
     * @param evidence what checks evidence by it
     * @param lookups who is asked by it who may read a resource
     * @param described the servers that policies before it described
     */
    InForce(Policy policy, EvidenceSources evidence, ReaderLookups lookups, Set<String> described) {
        this.described = new TreeSet<>(described);
        this.described.addAll(policy.servers().keySet());
        this.policy = policy;
        this.decisions = new PolicyEngine(policy);
        this.evidence = evidence;
        this.lookups = lookups;
    }

    Policy policy() {
        return policy;
    }

    /** Returns what decides by the policy. */
    PolicyEngine decisions() {
        return decisions;
    }

    EvidenceSources evidence() {
        return evidence;
    }

    ReaderLookups lookups() {
        return lookups;
    }

    /**
     * What is said of one server.
     *
     * @param inForce where it is said
     * @param policy what the operator says
     * @param shipped what the shipped profile says of its tools
     */
    record OfServer(InForce inForce, ServerPolicy policy, Map<String, ToolStatement> shipped) {}

    /** Returns the servers that this policy describes, or one before it. */
    Set<String> described() {
        return Collections.unmodifiableSet(described);
    }

    /**
     * Returns what is said of a server that was connected as {@code first}, and runs as that says.
     *
     * @param ofPolicy whether what is said of it stands in the policy, and nowhere where it does not
     */
    OfServer of(ServerPolicy first, boolean ofPolicy) {
        ServerPolicy now = !ofPolicy
                ? first
                : policy.servers().containsKey(first.name())
                        ? policy.servers().get(first.name()).reachedAs(first)
                        : ServerPolicy.unstated(first.name(), List.of()).reachedAs(first);
        String known = now.known().equals(ServerPolicy.AUTO)
                ? KnownServers.find(now.command()).orElse("")
                : now.known();
        return new OfServer(this, now, KnownServers.tools(known));
    }
}
