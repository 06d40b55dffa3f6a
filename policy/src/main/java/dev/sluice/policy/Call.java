package dev.sluice.policy;

import dev.sluice.labels.SessionLabel;
import tools.jackson.databind.JsonNode;

/**
 * One call, with all that a decision depends on.
 *
 * @param tool the tool as its server defines it now
 * @param stated what the operator and a shipped profile say of it
 * @param arguments what it is called with; not an object where the call is malformed
 * @param session what the session has seen, which is what the call carries
 * @param pinned whether the definition is the one that was approved
 */
public record Call(
        ToolDefinition tool, ToolStatement stated, JsonNode arguments, SessionLabel session, boolean pinned) {

    /** Returns what this call can do. */
    public ToolProfile profile() {
        return ToolProfiles.resolve(tool, stated, session.isOnlyFrom(tool.server()));
    }
}
