package dev.sluice.policy;

import java.util.HashMap;
import java.util.Map;

/** Collects what a policy says under {@code hide}, at each place where it can stand. */
final class HidingReader {

    private enum Hide {
        UNTRUSTED,
        NOTHING
    }

    private final Map<String, Boolean> servers = new HashMap<>();
    private final Map<String, Map<String, Boolean>> tools = new HashMap<>();

    void server(String name, YamlMap map) {
        map.choice("hide", Hide.class).ifPresent(hide -> servers.put(name, hide == Hide.UNTRUSTED));
    }

    void tool(String server, String name, YamlMap map) {
        map.choice("hide", Hide.class)
                .ifPresent(hide ->
                        tools.computeIfAbsent(server, none -> new HashMap<>()).put(name, hide == Hide.UNTRUSTED));
    }

    /** Returns all that was said, with what {@code root} says of everything else. */
    Hiding hiding(YamlMap root) {
        boolean everywhere = root.choice("hide", Hide.class).orElse(Hide.NOTHING) == Hide.UNTRUSTED;
        return new Hiding(everywhere, servers, tools);
    }
}
