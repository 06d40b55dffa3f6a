package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.util.Optional;
import java.util.function.BiFunction;
import tools.jackson.databind.JsonNode;

/**
 * A request of a modern client that has no answer yet.
 *
 * @param request the request, under an id of its own within the session
 * @param own the id that the client gave it
 * @param headers returns how the headers that it came with differ from its arguments, by the schema of these; empty where they
 *     don't
 */
record Waiting(RpcMessage.Request request, RpcId own, BiFunction<JsonNode, JsonNode, Optional<String>> headers) {

    /** Makes one that came without headers. */
    Waiting(RpcMessage.Request request, RpcId own) {
        this(request, own, (schema, arguments) -> Optional.empty());
    }

    /** Returns by what the transport knows the request. */
    String key() {
        return request.id().key();
    }

    /** Returns what the request says of its client. */
    Optional<RequestMeta> meta() {
        return RequestMeta.of(request);
    }

    /** Returns the client's token for progress, as JSON text; empty where it wants none. */
    String token() {
        return ProxySession.progressToken(request);
    }
}
