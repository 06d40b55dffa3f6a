package dev.sluice.policy;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One rule of the operator's own: which calls it is about, when it holds, and what then.
 *
 * @param id its name, unlike that of any control
 * @param on which calls it is about; the expression runs for no other
 * @param when true where the rule is violated; null for every call that it is about
 * @param then {@link Strength#ASK} or {@link Strength#DENY}
 * @param because why, in the operator's words; the model and a person read it; empty where nobody said
 */
public record Rule(String id, Selector on, @Nullable Expression when, Strength then, String because) {

    /**
     * Which calls a rule is about: those for which every part holds; an empty part holds for all.
     *
     * @param servers names of upstreams
     * @param tools names of tools, at whichever of the servers
     * @param effects the call has at least one of them
     */
    public record Selector(Set<String> servers, Set<String> tools, Set<Effect> effects) {

        public Selector {
            servers = Collections.unmodifiableSet(new TreeSet<>(servers));
            tools = Collections.unmodifiableSet(new TreeSet<>(tools));
            effects = Collections.unmodifiableSet(new TreeSet<>(effects));
        }

        /** Returns whether there may be such a call to {@code server}. */
        boolean mayBeOf(String server) {
            return servers.isEmpty() || servers.contains(server);
        }

        boolean matches(ToolProfile profile) {
            return mayBeOf(profile.server())
                    && (tools.isEmpty() || tools.contains(profile.tool()))
                    && (effects.isEmpty() || !Collections.disjoint(effects, profile.effects()));
        }
    }
}
