package dev.sluice.policy;

import dev.sluice.labels.SessionLabel;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * One call, with all that a decision depends on.
 *
 * @param tool the tool as its server defines it now
 * @param stated what the operator and a shipped profile say of it
 * @param arguments what it is called with; not an object where the call is malformed
 * @param session what the session has seen, which is what the call carries
 * @param pinned whether the definition is the one that was approved
 * @param serverBelieved whether the operator lets the server's claims count in full, also about its own tools
 * @param values where the texts and numbers among the arguments came from
 * @param circumstances what else the decision depends on
 */
public record Call(
        ToolDefinition tool,
        ToolStatement stated,
        JsonNode arguments,
        SessionLabel session,
        boolean pinned,
        boolean serverBelieved,
        List<ArgumentValue> values,
        Circumstances circumstances) {

    public Call {
        values = List.copyOf(values);
    }

    /** A call of which nothing is known but itself and its session. */
    public Call(
            ToolDefinition tool,
            ToolStatement stated,
            JsonNode arguments,
            SessionLabel session,
            boolean pinned,
            boolean serverBelieved,
            List<ArgumentValue> values) {
        this(tool, stated, arguments, session, pinned, serverBelieved, values, Circumstances.UNKNOWN);
    }

    /** A call of a tool whose server is believed about its own data only, of whose arguments nothing is known. */
    public Call(ToolDefinition tool, ToolStatement stated, JsonNode arguments, SessionLabel session, boolean pinned) {
        this(tool, stated, arguments, session, pinned, false, unknown(arguments));
    }

    /** Returns the values of arguments of which nothing is known: each may hold anything. */
    public static List<ArgumentValue> unknown(JsonNode arguments) {
        return arguments.propertyNames().stream()
                .map(name -> ArgumentValue.unknown(
                        name, "/" + name.replace("~", "~0").replace("/", "~1")))
                .toList();
    }

    /** Returns this call, made in {@code other} circumstances. */
    public Call in(Circumstances other) {
        return new Call(tool, stated, arguments, session, pinned, serverBelieved, values, other);
    }

    /** Returns what this call can do. */
    public ToolProfile profile() {
        return ToolProfiles.resolve(tool, stated, serverBelieved || session.isOnlyFrom(tool.server()));
    }
}
