package dev.sluice.guard;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;

/**
 * Asks a server what one call of a tool does, before it is made ({@code tools/resolve}, SEP-1862).
 *
 * <p>That sends the arguments of the call. So a guard asks only where the server may have them.
 */
public interface ToolResolver {

    /**
     * Asks with exactly the arguments that the call would have.
     *
     * @param expanded how handles among them become their values, by pointers into the arguments
     * @return completes with the result; with a missing node where the server finds fault with the arguments; with a fault
     *     where nothing comes
     */
    CompletionStage<JsonNode> resolve(List<Edit> expanded);

    /** Returns how long that may take; afterwards it counts as failed. */
    default Duration within() {
        return Duration.ofSeconds(5);
    }

    /** Takes note, for people, of why an answer did not count. */
    default void say(String line) {}
}
