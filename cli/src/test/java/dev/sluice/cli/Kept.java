package dev.sluice.cli;

import dev.sluice.gateway.State;
import dev.sluice.store.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What stands in a state folder, read while others use it. */
final class Kept {

    private Kept() {}

    static List<JsonNode> audit(Path folder) {
        List<JsonNode> events = new ArrayList<>();
        try (State state = State.open(folder)) {
            state.engine()
                    .transact(tx -> tx.audit().read(1, 100_000))
                    .forEach(record -> events.add(JsonMapper.shared().readTree(record.json())));
        }
        return events;
    }

    static List<JsonNode> decisions(Path folder) {
        return audit(folder).stream()
                .filter(event -> event.path("kind").asString("").equals("decision"))
                .toList();
    }

    static List<Session> sessions(Path folder) {
        try (State state = State.open(folder)) {
            return state.engine().transact(tx -> tx.sessions().live());
        }
    }
}
