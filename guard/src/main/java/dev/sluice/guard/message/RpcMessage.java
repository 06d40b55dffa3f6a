package dev.sluice.guard.message;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.util.Optional;

/**
 * One JSON-RPC 2.0 message, as the bytes it came in and where its members stand in them.
 *
 * <p>Refused: batches (no served revision of MCP has them, and a check that reads one message would not read the rest),
 * and whatever two readers could take for two kinds of message, such as one with both {@code result} and {@code error}.
 */
public sealed interface RpcMessage {

    /** Returns the ranges of the message's bytes. */
    JsonIndex index();

    /** Returns the message as it came. */
    default byte[] bytes() {
        return index().root().bytes();
    }

    /** Something that wants an answer. */
    record Request(JsonIndex index, RpcId id, String method, Optional<JsonIndex.Value> params) implements RpcMessage {}

    /** Something that wants none. */
    record Notification(JsonIndex index, String method, Optional<JsonIndex.Value> params) implements RpcMessage {}

    /** An answer. */
    record Result(JsonIndex index, RpcId id, JsonIndex.Value result) implements RpcMessage {}

    /** A failure. */
    record Failure(JsonIndex index, RpcId id, JsonIndex.Value error) implements RpcMessage {}

    /**
     * Returns the message that {@code bytes} are.
     *
     * @throws dev.sluice.wire.json.MalformedJsonException where they are no JSON that has one meaning
     * @throws InvalidMessageException where they are no such message
     */
    static RpcMessage parse(byte[] bytes) {
        return parse(bytes, JsonIndex.Limits.DEFAULT);
    }

    /** Reads one message as {@link #parse(byte[])} does, within other limits. */
    static RpcMessage parse(byte[] bytes, JsonIndex.Limits limits) {
        JsonIndex index = JsonIndex.parse(bytes, 0, bytes.length, limits);
        JsonIndex.Value root = index.root();
        if (root.kind() == Kind.ARRAY) {
            throw new InvalidMessageException("batches are not accepted; send one message at a time");
        }
        if (root.kind() != Kind.OBJECT) {
            throw new InvalidMessageException("a message must be a JSON object");
        }
        Optional<JsonIndex.Value> version = root.member("jsonrpc");
        if (version.isEmpty()
                || version.get().kind() != Kind.STRING
                || !version.get().string().equals("2.0")) {
            throw new InvalidMessageException("a message must say `\"jsonrpc\":\"2.0\"`");
        }
        Optional<JsonIndex.Value> method = root.member("method");
        Optional<JsonIndex.Value> result = root.member("result");
        Optional<JsonIndex.Value> error = root.member("error");
        int kinds = (method.isPresent() ? 1 : 0) + (result.isPresent() ? 1 : 0) + (error.isPresent() ? 1 : 0);
        if (kinds != 1) {
            throw new InvalidMessageException(
                    "a message must have exactly one of `method`, `result` and `error`", method.isEmpty() && kinds > 0);
        }
        Optional<JsonIndex.Value> id = root.member("id");
        if (method.isPresent()) {
            if (method.get().kind() != Kind.STRING) {
                throw new InvalidMessageException("`method` must be a string");
            }
            Optional<JsonIndex.Value> params = root.member("params");
            if (params.isPresent()
                    && params.get().kind() != Kind.OBJECT
                    && params.get().kind() != Kind.ARRAY) {
                throw new InvalidMessageException("`params` must be an object");
            }
            return id.isPresent()
                    ? new Request(index, RpcId.of(id.get()), method.get().string(), params)
                    : new Notification(index, method.get().string(), params);
        }
        if (id.isEmpty()) {
            throw new InvalidMessageException("an answer must have an `id`", true);
        }
        RpcId answered = answered(id.get());
        return result.isPresent()
                ? new Result(index, answered, result.get())
                : new Failure(index, answered, error.orElseThrow());
    }

    private static RpcId answered(JsonIndex.Value id) {
        try {
            return RpcId.of(id);
        } catch (InvalidMessageException e) {
            throw new InvalidMessageException(String.valueOf(e.getMessage()), true);
        }
    }

    /** Returns the id that {@code value} is; empty where no request can have it. */
    static Optional<RpcId> idIn(JsonIndex.Value value) {
        try {
            return Optional.of(RpcId.of(value));
        } catch (InvalidMessageException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the id that {@code value} is.
     *
     * @throws InvalidMessageException where it is none
     */
    static RpcId id(JsonIndex.Value value) {
        return RpcId.of(value);
    }
}
