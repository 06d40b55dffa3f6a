package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcMessage;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** What the messages of a modern client go to: one whose every request says what it can do, since revision 2026-07-28. */
public interface ModernSide {

    /**
     * Returns a request under an id of its own within the session, since clients that share one may use the same ids; what
     * comes for it is sent under the key of that id, with the client's own id in it.
     */
    RpcMessage.Request admitted(RpcMessage.Request request);

    /**
     * Likewise for a request that came with headers.
     *
     * @param sent the values of a header. Those that stand for arguments are compared with them before the request goes on:
     *     only then may it be known which these are
     */
    RpcMessage.Request admitted(RpcMessage.Request request, Function<String, List<String>> sent);

    /** Takes a message of the client; a request is one that {@link #admitted} returned. */
    void fromClient(RpcMessage message);

    /** Returns the input schema of the tool that clients know by that name, where arguments of it stand in headers too. */
    Optional<JsonNode> schema(String tool);

    /**
     * Takes note that the client closed the stream of the request of that key before all of its answer was written, and so
     * takes it back.
     */
    void gone(String request);
}
