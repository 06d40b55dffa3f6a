package dev.sluice.gateway.transport;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.ParamHeaders;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * POSTs of modern clients: what is refused of them, and which session they belong to.
 *
 * <p>Source: MCP revision 2026-07-28, Streamable HTTP.
 */
final class ModernPost {

    private final HttpSessions sessions;
    private final List<String> served;
    private final Set<String> legacy;

    /**
     * @param served all revisions that are served, for clients to read
     */
    ModernPost(HttpSessions sessions, List<String> served) {
        this.sessions = sessions;
        this.served = served;
        this.legacy = new TreeSet<>(served);
        legacy.remove(RequestMeta.REVISION);
    }

    /** Returns whether a message is of a modern client, as far as it and its headers say. */
    boolean isModern(Request request, RpcMessage message) {
        return ModernHeaders.isModern(message, sent(request), legacy);
    }

    static Function<String, List<String>> sent(Request request) {
        return name -> {
            List<String> values = new ArrayList<>();
            for (HttpField field : request.getHeaders()) {
                if (field.is(name)) {
                    values.add(field.getValue() == null ? "" : field.getValue());
                }
            }
            return values;
        };
    }

    /** Returns the values of headers that stand for arguments; good also when the request is over. */
    static Function<String, List<String>> arguments(Request request) {
        Map<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (HttpField field : request.getHeaders()) {
            if (field.getName().regionMatches(true, 0, ParamHeaders.PREFIX, 0, ParamHeaders.PREFIX.length())) {
                values.computeIfAbsent(field.getName(), name -> new ArrayList<>())
                        .add(field.getValue() == null ? "" : field.getValue());
            }
        }
        return name -> values.getOrDefault(name, List.of());
    }

    /** Returns whether a message can't be taken, which then is answered. */
    boolean isRefused(Request request, Response response, RpcMessage message) throws IOException {
        Optional<byte[]> refusal = switch (message) {
            case RpcMessage.Request asked -> refusal(asked, sent(request));
            case RpcMessage.Notification told -> refusal(told, sent(request));
            case RpcMessage.Result _, RpcMessage.Failure _ ->
                Optional.of(RpcWriter.failureWithoutId(
                        RpcWriter.INVALID_REQUEST,
                        "answers are not taken since " + RequestMeta.REVISION + "; send the request again with"
                                + " `inputResponses`"));
        };
        if (refusal.isPresent()) {
            ClientExchange.json(response, 400, refusal.get());
        }
        return refusal.isPresent();
    }

    private Optional<byte[]> refusal(RpcMessage.Request asked, Function<String, List<String>> sent) {
        Optional<byte[]> said = RequestMeta.refusal(asked, served);
        if (said.isPresent() && ModernStatus.of(said.get()) == 200) {
            return said; // what it says of its client is not complete
        }
        return ModernHeaders.ofVersion(asked, sent)
                .map(why -> mismatch(asked, why))
                .or(() -> said)
                .or(() -> ModernHeaders.ofMethod(asked.method(), asked.params(), true, sent)
                        .map(why -> mismatch(asked, why)));
    }

    private static byte[] mismatch(RpcMessage.Request asked, String why) {
        return RpcWriter.failure(asked.id(), ModernStatus.HEADER_MISMATCH, why);
    }

    private Optional<byte[]> refusal(RpcMessage.Notification told, Function<String, List<String>> sent) {
        Optional<String> why = ModernHeaders.ofVersion(told, sent)
                .or(() -> ModernHeaders.ofMethod(told.method(), told.params(), false, sent));
        if (why.isPresent()) {
            return Optional.of(RpcWriter.failureWithoutId(ModernStatus.HEADER_MISMATCH, why.get()));
        }
        return sent.apply(ModernHeaders.VERSION).contains(RequestMeta.REVISION)
                ? Optional.empty()
                : Optional.of(RpcWriter.failureWithoutId(
                        RequestMeta.UNSUPPORTED_VERSION,
                        "this protocol version is not served; use one of " + String.join(", ", served)));
    }

    /** Returns the session of a request; where there is none, or its arguments are not those of its headers, that is said. */
    Optional<HttpSession> session(Request request, Response response, String principal, RpcMessage.Request asked)
            throws IOException {
        return switch (sessions.join(principal, asked, sent(request))) {
            case HttpSessions.Beginning.Begun begun -> {
                Optional<String> why = ofArguments(begun.session(), asked, sent(request));
                if (why.isPresent()) {
                    ClientExchange.json(response, 400, mismatch(asked, why.get()));
                }
                yield why.isPresent() ? Optional.empty() : Optional.of(begun.session());
            }
            case HttpSessions.Beginning.Malformed malformed -> {
                ClientExchange.json(
                        response, 400, RpcWriter.failure(asked.id(), RpcWriter.INVALID_PARAMS, malformed.why()));
                yield Optional.empty();
            }
            case HttpSessions.Beginning.Full full -> {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, "60");
                ClientExchange.json(
                        response, full.status(), RpcWriter.failure(asked.id(), RpcWriter.INVALID_REQUEST, full.why()));
                yield Optional.empty();
            }
        };
    }

    private static Optional<String> ofArguments(
            HttpSession session, RpcMessage.Request asked, Function<String, List<String>> sent) {
        if (!asked.method().equals(Methods.TOOLS_CALL)) {
            return Optional.empty();
        }
        Optional<Value> params = asked.params().filter(all -> all.kind() == Kind.OBJECT);
        Optional<JsonNode> schema = params.flatMap(all -> all.member("name"))
                .filter(name -> name.kind() == Kind.STRING)
                .flatMap(name -> session.schema(name.string()))
                .filter(ParamHeaders::isMarked);
        return schema.flatMap(marked -> ParamHeaders.mismatch(
                marked,
                params.flatMap(all -> all.member("arguments"))
                        .map(Value::tree)
                        .orElse(JsonNodeFactory.instance.missingNode()),
                sent));
    }

    /** Passes a notification on; where no session is open that it could be of, it is for nobody. */
    void tell(Request request, Response response, String principal, RpcMessage.Notification told) {
        // What is taken back is so by closing its stream. An id is none: others in the session may use the same.
        if (!told.method().equals(Methods.CANCELLED)) {
            sessions.joined(principal, told, sent(request)).ifPresent(session -> session.accept(told));
        }
        response.setStatus(202);
    }
}
