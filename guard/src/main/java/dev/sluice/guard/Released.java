package dev.sluice.guard;

import dev.sluice.labels.Label;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * That a message may reach the agent, and what is written on it.
 *
 * @param label what it entered the session with
 * @param untrusted whether a claim or the operator, and not silence, makes it untrusted
 * @param sensitive whether a claim or the operator, and not silence, makes it private
 * @param meta members for {@code _meta}, all under our own keys
 * @param edits how parts are taken out that the agent must not see, which must be done before it is passed on
 */
public record Released(Label label, boolean untrusted, boolean sensitive, ObjectNode meta, List<Edit> edits) {

    public Released {
        edits = List.copyOf(edits);
    }

    /** Returns whether anything is taken out: where the edits can't be made, all of the message must be held back. */
    public boolean isCut() {
        return !edits.isEmpty();
    }

    /** Returns what takes the place of the whole message; empty where at least a part of it is left. */
    public Optional<JsonNode> replacement() {
        return edits.stream()
                .filter(each -> each.pointer().isEmpty())
                .flatMap(each -> Optional.ofNullable(each.value()).stream())
                .findFirst();
    }
}
