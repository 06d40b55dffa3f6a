package dev.sluice.gateway.transport;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.ParamHeaders;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The headers of messages of modern clients, which say again what the body says: whoever stands between may read one and
 * not the other.
 *
 * <p>Source: MCP revision 2026-07-28, Streamable HTTP, Request Metadata.
 */
final class ModernHeaders {

    static final String VERSION = "MCP-Protocol-Version";
    static final String METHOD = "Mcp-Method";
    static final String NAME = "Mcp-Name";

    /** Which member of the parameters a request's name is. */
    private static final Map<String, String> NAMED = Map.of(
            Methods.TOOLS_CALL,
            "name",
            "prompts/get",
            "name",
            "resources/read",
            "uri",
            "tasks/get",
            "taskId",
            "tasks/update",
            "taskId",
            "tasks/cancel",
            "taskId");

    private ModernHeaders() {}

    /**
     * Returns whether a message is of a modern client: it says so itself, or its header does.
     *
     * @param legacy the revisions that begin with {@code initialize}; a message of a session, and one that begins one, may
     *     say such a one in its body
     */
    static boolean isModern(RpcMessage message, Function<String, List<String>> sent, Set<String> legacy) {
        Optional<String> said = RequestMeta.said(message).map(RequestMeta::version);
        if (said.isEmpty()) {
            return sent.apply(VERSION).stream().anyMatch(RequestMeta::isModern);
        }
        boolean ofSession = (message instanceof RpcMessage.Request request
                        && request.method().equals(Methods.INITIALIZE))
                || !sent.apply(HttpEndpoint.SESSION).isEmpty();
        return !(legacy.contains(said.get())
                && ofSession
                && sent.apply(VERSION).stream().noneMatch(RequestMeta::isModern));
    }

    /** Returns how the header with the version differs from the body of {@code message}; empty where it does not. */
    static Optional<String> ofVersion(RpcMessage message, Function<String, List<String>> sent) {
        List<String> values = sent.apply(VERSION);
        Optional<String> said = RequestMeta.said(message).map(RequestMeta::version);
        return once(VERSION, values)
                .or(() -> said.isEmpty() || said.get().equals(values.get(0))
                        ? Optional.empty()
                        : Optional.of("`" + VERSION + "` is not `" + RequestMeta.VERSION + "` of `_meta`"));
    }

    /** Returns how the headers with the method and the name differ from the body; empty where they don't. */
    static Optional<String> ofMethod(
            String method, Optional<Value> params, boolean isRequest, Function<String, List<String>> sent) {
        List<String> methods = sent.apply(METHOD);
        Optional<String> wrong = once(METHOD, methods)
                .or(() -> methods.get(0).equals(method)
                        ? Optional.empty()
                        : Optional.of("`" + METHOD + "` is not the `method`"));
        String member = NAMED.getOrDefault(method, "");
        return wrong.isPresent() || member.isEmpty() || !isRequest ? wrong : ofName(member, params, sent.apply(NAME));
    }

    private static Optional<String> ofName(String member, Optional<Value> params, List<String> names) {
        Optional<String> said = params.filter(all -> all.kind() == Kind.OBJECT)
                .flatMap(all -> all.member(member))
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
        if (said.isEmpty() && names.isEmpty()) {
            return Optional.empty(); // whoever answers says what is missing
        }
        Optional<String> wrong = once(NAME, names);
        if (wrong.isPresent()) {
            return wrong;
        }
        Optional<String> decoded = ParamHeaders.decode(names.get(0));
        if (decoded.isEmpty()) {
            return Optional.of("`" + NAME + "` holds characters that a header can't have, or Base64 of something else");
        }
        return decoded.equals(said) ? Optional.empty() : Optional.of("`" + NAME + "` is not `params." + member + "`");
    }

    private static Optional<String> once(String name, List<String> values) {
        return switch (values.size()) {
            case 0 -> Optional.of("send the header `" + name + "`");
            case 1 -> Optional.empty();
            default -> Optional.of("send `" + name + "` at most once");
        };
    }
}
