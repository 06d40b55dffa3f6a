package dev.sluice.guard.message;

import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Upstream;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a list of a server's tools says, once the guard has taken note of it.
 *
 * @param unapproved the names of tools that must not be offered: their definition is not the approved one, or they are too
 *     many
 * @param ours the names of tools that must not be offered because they are those of Sluice's own
 */
public record ListedTools(Set<String> unapproved, Set<String> ours) {

    public ListedTools {
        unapproved = Set.copyOf(unapproved);
        ours = Set.copyOf(ours);
    }

    /**
     * Lets the guard take note of {@code tools}, the array of a list.
     *
     * @throws dev.sluice.store.StoreException where the state can't be read or written: nothing of the list may be offered
     */
    public static ListedTools of(Guard guard, AgentSession agent, Upstream upstream, Value tools) {
        List<ToolDefinition> definitions = new ArrayList<>();
        for (Value tool : tools.elements()) {
            if (!MessageEdits.name(tool).isEmpty()) {
                definitions.add(ToolDefinition.of(upstream.name(), tool.tree(), tool.bytes()));
            }
        }
        Set<String> unapproved = guard.define(agent, upstream, definitions);
        Set<String> ours = new TreeSet<>();
        if (guard.hides()) {
            definitions.stream()
                    .map(ToolDefinition::name)
                    .filter(VariableTools.NAMES::contains)
                    .forEach(ours::add);
        }
        return new ListedTools(unapproved, ours);
    }

    /** Returns the names of all that must not be offered. */
    public Set<String> withheld() {
        Set<String> all = new TreeSet<>(unapproved);
        all.addAll(ours);
        return all;
    }
}
