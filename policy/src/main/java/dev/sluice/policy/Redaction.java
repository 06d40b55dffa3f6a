package dev.sluice.policy;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * One rule of the operator's that takes parts out of answers before the agent sees them.
 *
 * @param id its name, unlike that of any rule or control
 * @param servers names of the upstreams whose answers it is about; empty for all
 * @param tools names of the tools whose answers it is about; empty for all, and for answers of no tool
 * @param when true of the parts that are taken out
 * @param because why, in the operator's words; the model reads it; empty where nobody said
 */
public record Redaction(String id, Set<String> servers, Set<String> tools, Expression when, String because) {

    public Redaction {
        servers = Collections.unmodifiableSet(new TreeSet<>(servers));
        tools = Collections.unmodifiableSet(new TreeSet<>(tools));
    }

    /** Returns whether this is about answers of that tool; an empty {@code tool} stands for any other method. */
    boolean isAbout(String server, String tool) {
        return (servers.isEmpty() || servers.contains(server)) && (tools.isEmpty() || tools.contains(tool));
    }
}
