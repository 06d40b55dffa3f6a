package dev.sluice.gateway.transport;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whether the gateway can do its work, for load balancers and people.
 *
 * @param isWell whether it can decide calls: the state can be read and written
 * @param servers how each server is, by name
 */
public record Health(boolean isWell, Map<String, String> servers) {

    static final String PATH = "/health";

    public Health {
        servers = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    }

    int status() {
        return isWell ? 200 : 503;
    }

    /** Returns this as JSON; the servers only for those who may know of them. */
    byte[] json(boolean withServers) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("status", isWell ? "ok" : "state-unreachable");
        if (withServers) {
            ArrayNode all = json.putArray("servers");
            servers.forEach((name, state) -> all.addObject().put("name", name).put("state", state));
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }
}
