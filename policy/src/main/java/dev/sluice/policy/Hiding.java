package dev.sluice.policy;

import java.util.Map;

/**
 * Where untrusted parts of answers are kept from the agent, which gets handles of them.
 *
 * @param everywhere whether that is so where nothing nearer is said
 * @param servers whether it is so for a server's answers, by its name
 * @param tools whether it is so for a tool's answers, by server and tool
 */
public record Hiding(boolean everywhere, Map<String, Boolean> servers, Map<String, Map<String, Boolean>> tools) {

    /** Nothing is hidden. */
    public static final Hiding NOTHING = new Hiding(false, Map.of(), Map.of());

    public Hiding {
        servers = Map.copyOf(servers);
        tools = Map.copyOf(tools);
    }

    /** Returns whether anything is ever hidden. */
    public boolean isConfigured() {
        return everywhere
                || servers.containsValue(true)
                || tools.values().stream().anyMatch(each -> each.containsValue(true));
    }

    /** Returns whether untrusted parts of such an answer are hidden; an empty {@code tool} stands for any other method. */
    public boolean hides(String server, String tool) {
        Boolean own = tools.getOrDefault(server, Map.of()).get(tool);
        return own != null ? own : servers.getOrDefault(server, everywhere);
    }
}
