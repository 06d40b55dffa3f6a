package dev.sluice.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How strong the controls are: for every call, and where a server or a tool has a word of its own. The nearest wins.
 *
 * @param file what holds where nothing nearer is said
 * @param servers what is said of servers, by name
 * @param tools what is said of tools, by the names of their server and of themselves
 */
public record Profiles(Profile file, Map<String, Profile> servers, Map<String, Map<String, Profile>> tools) {

    public Profiles {
        servers = Map.copyOf(servers);
        Map<String, Map<String, Profile>> copied = new LinkedHashMap<>();
        tools.forEach((server, said) -> copied.put(server, Map.copyOf(said)));
        tools = Map.copyOf(copied);
    }

    /** Returns one profile for every call. */
    public static Profiles all(Profile profile) {
        return new Profiles(profile, Map.of(), Map.of());
    }

    /** Returns the profile under which a call of {@code tool} is decided. */
    public Profile of(String server, String tool) {
        Profile near = tools.getOrDefault(server, Map.of()).get(tool);
        return near != null ? near : servers.getOrDefault(server, file);
    }
}
