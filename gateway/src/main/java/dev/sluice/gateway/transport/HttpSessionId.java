package dev.sluice.gateway.transport;

import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What an upstream over HTTP began with a handshake. Two with the same text are two: each handshake makes its own.
 */
final class HttpSessionId {

    static final HttpSessionId NONE = new HttpSessionId("", "");

    private static final String HEADER = "Mcp-Session-Id";
    private static final int LONGEST = 1_024;

    private final String id;
    private final String revision;

    private HttpSessionId(String id, String revision) {
        this.id = id;
        this.revision = revision;
    }

    /**
     * Returns the id in the head of a handshake's answer, or empty text where the server has no sessions.
     *
     * @throws IOException where it can't be sent back
     */
    static String in(HttpExchange exchange) throws IOException {
        String id = exchange.header(HEADER).orElse("");
        if (id.length() > LONGEST || !id.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IOException(
                    "the id of its session can't be used: it must be up to " + LONGEST + " visible ASCII characters");
        }
        return id;
    }

    /** Returns the session that {@code message} begins as the answer to the handshake {@code request}. */
    static Optional<HttpSessionId> of(String id, RpcId request, byte[] message) {
        try {
            return RpcMessage.parse(message) instanceof RpcMessage.Result result
                            && result.id().key().equals(request.key())
                    ? Optional.of(new HttpSessionId(id, revision(result)))
                    : Optional.empty();
        } catch (MalformedJsonException | InvalidMessageException e) {
            return Optional.empty();
        }
    }

    static boolean answers(RpcId request, byte[] message) {
        try {
            RpcMessage answer = RpcMessage.parse(message);
            return (answer instanceof RpcMessage.Result result
                            && result.id().key().equals(request.key()))
                    || (answer instanceof RpcMessage.Failure failure
                            && failure.id().key().equals(request.key()));
        } catch (MalformedJsonException | InvalidMessageException e) {
            return false;
        }
    }

    private static String revision(RpcMessage.Result result) {
        return result.result()
                .pointer("/protocolVersion")
                .filter(each -> each.kind() == JsonIndex.Kind.STRING)
                .map(JsonIndex.Value::string)
                .filter(each -> each.matches("[0-9A-Za-z.-]{1,40}"))
                .orElse("");
    }

    /** Returns whether there was a handshake. */
    boolean isBegun() {
        return this != NONE;
    }

    /** Returns whether the server keeps a session and can so forget it. */
    boolean isKnown() {
        return !id.isEmpty();
    }

    /**
     * Returns the headers of a request.
     *
     * @param own what the operator says with each
     * @param accept what may come back
     * @param lastId the last event that came, where its stream is to go on; else empty text
     */
    Map<String, String> headers(Map<String, String> own, String accept, String lastId) {
        Map<String, String> headers = new LinkedHashMap<>(own);
        headers.put("Accept", accept);
        if (!id.isEmpty()) {
            headers.put(HEADER, id);
        }
        if (!revision.isEmpty()) {
            headers.put("MCP-Protocol-Version", revision);
        }
        if (!lastId.isEmpty()) {
            headers.put("Last-Event-ID", lastId);
        }
        return headers;
    }
}
