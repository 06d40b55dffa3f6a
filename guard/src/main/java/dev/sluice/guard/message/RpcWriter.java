package dev.sluice.guard.message;

import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The messages that Sluice writes itself. */
public final class RpcWriter {

    /** The text is no JSON. */
    public static final int PARSE_ERROR = -32700;

    /** The text is JSON, but no message. */
    public static final int INVALID_REQUEST = -32600;

    /** No such method here. */
    public static final int METHOD_NOT_FOUND = -32601;

    /** What is asked takes a capability that the client does not declare; since 2026-07-28. */
    public static final int CAPABILITY_MISSING = -32021;

    /** The parameters are wrong. */
    public static final int INVALID_PARAMS = -32602;

    /** Policy refused. Outside the range that JSON-RPC and MCP keep for themselves. */
    public static final int DENIED = -31403;

    /** The upstream is gone, or its answer can't be used. Outside that range too. */
    public static final int UPSTREAM_FAILED = -31502;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private RpcWriter() {}

    /** Returns a request. */
    public static byte[] request(RpcId id, String method, JsonNode params) {
        return request(id, method, params.toString());
    }

    /** Returns a request whose parameters are that JSON text. */
    public static byte[] request(RpcId id, String method, String params) {
        return bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"method\":" + JSON.stringNode(method)
                + ",\"params\":" + params + "}");
    }

    /** Returns an answer. */
    public static byte[] result(RpcId id, JsonNode result) {
        return bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"result\":" + result + "}");
    }

    /** Returns a failure without data. */
    public static byte[] failure(RpcId id, int code, String message) {
        return failure(id.json(), code, message, JSON.missingNode());
    }

    /** Returns a failure with data. */
    public static byte[] failure(RpcId id, int code, String message, JsonNode data) {
        return failure(id.json(), code, message, data);
    }

    /** Returns a failure of a message whose id could not be read. */
    public static byte[] failureWithoutId(int code, String message) {
        return failure("null", code, message, JSON.missingNode());
    }

    private static byte[] failure(String id, int code, String message, JsonNode data) {
        ObjectNode error = JSON.objectNode().put("code", code).put("message", message);
        if (!data.isMissingNode()) {
            error.set("data", data);
        }
        return bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + error + "}");
    }

    /** Returns the result of a tool call that failed: {@code isError}, one text, and {@code meta} where it has members. */
    public static ObjectNode toolError(String text, ObjectNode meta) {
        ObjectNode result = JSON.objectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        result.put("isError", true);
        if (!meta.isEmpty()) {
            result.set("_meta", meta);
        }
        return result;
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
