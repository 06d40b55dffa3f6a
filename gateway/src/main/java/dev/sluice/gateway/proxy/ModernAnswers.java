package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * Answers in the form that modern clients know: with what every result has since then, where it is not there.
 *
 * <p>What a result says of itself stands, so of how long it is good, too. But a list is nobody else's: what is in it is as
 * the policy, the approved definitions and the principal have it.
 *
 * <p>Source: MCP revision 2026-07-28, {@code Result}, Caching, and its error codes.
 */
final class ModernAnswers {

    /** Whose results say for how long they are good, and for whom. */
    private static final Set<String> CACHED = Set.of(
            Methods.DISCOVER,
            Methods.TOOLS_LIST,
            Methods.PROMPTS_LIST,
            Methods.RESOURCES_LIST,
            Methods.TEMPLATES_LIST,
            "resources/read");

    private static final Set<String> LISTS =
            Set.of(Methods.TOOLS_LIST, Methods.PROMPTS_LIST, Methods.RESOURCES_LIST, Methods.TEMPLATES_LIST);

    private static final String PRIVATE = "\"private\"";

    private static final String COMPLETE = "complete";

    /** What legacy servers say where a resource is not there. */
    private static final String NOT_FOUND = "-32002";

    private ModernAnswers() {}

    /** Returns the answer to {@code to} that says what {@code answer} does; an error where there is no room for it. */
    static byte[] of(Waiting to, byte[] answer, Log log) {
        try {
            return of(to, answer);
        } catch (MalformedJsonException e) {
            log.fault(LogEvent.CALL_FAULT, "an answer can't be passed on", e);
            return RpcWriter.failure(
                    to.own(), RpcWriter.UPSTREAM_FAILED, "the answer is too large to be passed on: " + e.getMessage());
        }
    }

    private static byte[] of(Waiting to, byte[] answer) {
        RpcMessage message = RpcMessage.parse(answer);
        MessageEdits edits = new MessageEdits(message).id(to.own());
        String method = to.request().method();
        if (message instanceof RpcMessage.Result result && result.result().kind() == Kind.OBJECT) {
            Value body = result.result();
            Optional<Value> type = body.member("resultType");
            if (type.isEmpty()) {
                edits.edits().setMember(body, "resultType", bytes("\"" + COMPLETE + "\""));
            }
            boolean complete = type.isEmpty()
                    || (type.get().kind() == Kind.STRING && type.get().string().equals(COMPLETE));
            if (complete && CACHED.contains(method)) {
                if (body.member("ttlMs").isEmpty()) {
                    edits.edits().setMember(body, "ttlMs", bytes("0"));
                }
                Optional<Value> scope = body.member("cacheScope");
                if (scope.isEmpty()
                        || (LISTS.contains(method) && !scope.get().raw().equals(PRIVATE))) {
                    edits.edits().setMember(body, "cacheScope", bytes(PRIVATE));
                }
            }
        } else if (message instanceof RpcMessage.Failure failure && method.equals("resources/read")) {
            failure.error()
                    .pointer("/code")
                    .filter(code -> code.raw().equals(NOT_FOUND))
                    .ifPresent(code -> edits.edits().replace(code, bytes(Integer.toString(RpcWriter.INVALID_PARAMS))));
        }
        return edits.apply();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
