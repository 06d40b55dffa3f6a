package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.jsonrpc.InvalidMessageException;
import dev.sluice.gateway.jsonrpc.RpcMessage;
import dev.sluice.gateway.jsonrpc.RpcWriter;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Streamable HTTP, the side that clients see: POST for messages, GET for what belongs to no request, DELETE to end.
 *
 * <p>Served on loopback only. Host and Origin must name loopback, else a web page could reach in through a name that it
 * controls (DNS rebinding). Handlers block; they run on virtual threads.
 *
 * <p>Source: MCP revision 2025-11-25, Base Protocol, Transports.
 */
public final class HttpEndpoint extends Handler.Abstract {

    /** The path of the endpoint. */
    public static final String PATH = "/mcp";

    static final String SESSION = "Mcp-Session-Id";
    private static final String REVISION = "MCP-Protocol-Version";
    private static final String LAST_EVENT = "Last-Event-ID";
    private static final String FIRST_TO_PRIME = "2025-11-25";
    private static final Set<String> REVISIONS = Set.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final HttpSessions sessions;
    private final TypedEndpoint typed;
    private final int limit;
    private final Log log;

    public HttpEndpoint(HttpSessions sessions, UserWords words, int limit, Log log) {
        this.sessions = sessions;
        this.typed = new TypedEndpoint(words);
        this.limit = limit;
        this.log = log;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        try {
            serve(request, response);
            callback.succeeded();
        } catch (IOException e) {
            callback.failed(e); // the client went away
        } catch (RuntimeException e) {
            log.line("a request over http failed: " + e.getMessage());
            Response.writeError(request, response, callback, 500);
        }
        return true;
    }

    private void serve(Request request, Response response) throws IOException {
        Optional<String> stranger = stranger(request);
        if (stranger.isPresent()) {
            refuse(response, 403, stranger.get());
            return;
        }
        if (Request.getPathInContext(request).equals(TypedEndpoint.PATH)) {
            typed.serve(request, response);
            return;
        }
        if (!Request.getPathInContext(request).equals(PATH)) {
            refuse(response, 404, "nothing is here; the endpoint is `" + PATH + "`");
            return;
        }
        String revision = request.getHeaders().get(REVISION);
        if (revision != null && !REVISIONS.contains(revision)) {
            refuse(response, 400, "`" + REVISION + "` names a revision that is not served here");
            return;
        }
        switch (HttpMethod.fromString(request.getMethod())) {
            case POST -> post(request, response);
            case GET -> get(request, response);
            case DELETE -> delete(request, response);
            case null, default -> {
                response.getHeaders().put(HttpHeader.ALLOW, "GET, POST, DELETE");
                refuse(response, 405, "use GET, POST or DELETE");
            }
        }
    }

    /** Returns why the request does not come from this machine's own programs; empty where it does. */
    private static Optional<String> stranger(Request request) {
        if (request.getHeaders().getFields(HttpHeader.HOST).size() > 1
                || request.getHeaders().getFields(HttpHeader.ORIGIN).size() > 1) {
            return Optional.of("send `Host` and `Origin` at most once");
        }
        String host = Request.getServerName(request);
        if (host == null || !LOOPBACK.contains(host.toLowerCase(Locale.ROOT))) {
            return Optional.of("the `Host` must be localhost, 127.0.0.1 or [::1]");
        }
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        if (origin == null) {
            return Optional.empty();
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        int scheme = lower.startsWith("http://") ? 7 : lower.startsWith("https://") ? 8 : 0;
        String name = scheme == 0 ? "" : lower.substring(scheme).replaceFirst(":[0-9]{1,5}$", "");
        return LOOPBACK.contains(name)
                ? Optional.empty()
                : Optional.of("the `Origin` must be a page of this machine, such as http://localhost");
    }

    private void post(Request request, Response response) throws IOException {
        if (!isJson(request)) {
            refuse(response, 415, "send `Content-Type: application/json`");
            return;
        }
        if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
            refuse(response, 406, "`Accept` must hold application/json and text/event-stream");
            return;
        }
        Optional<byte[]> body = body(request);
        if (body.isEmpty()) {
            refuse(response, 413, "the message has more than " + limit + " bytes");
            return;
        }
        RpcMessage message;
        try {
            message = RpcMessage.parse(body.get());
        } catch (MalformedJsonException e) {
            HttpExchange.json(
                    response, 400, RpcWriter.failureWithoutId(RpcWriter.PARSE_ERROR, String.valueOf(e.getMessage())));
            return;
        } catch (InvalidMessageException e) {
            HttpExchange.json(
                    response,
                    400,
                    RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, String.valueOf(e.getMessage())));
            return;
        }
        Optional<HttpSession> session = session(request, response, message);
        if (session.isEmpty()) {
            return;
        }
        if (message instanceof RpcMessage.Request asked) {
            session.get().serve(asked, exchange(request, response));
        } else {
            session.get().accept(message);
            response.setStatus(202);
        }
    }

    static boolean isJson(Request request) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        String plain = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return plain.equals("application/json");
    }

    /** Returns the session of a message; where there is none, the refusal is written. */
    private Optional<HttpSession> session(Request request, Response response, RpcMessage message) throws IOException {
        String id = request.getHeaders().get(SESSION);
        boolean begins =
                message instanceof RpcMessage.Request asked && asked.method().equals("initialize");
        if (begins && id == null) {
            Optional<HttpSessions.Begun> begun = sessions.begin((RpcMessage.Request) message);
            if (begun.isEmpty()) {
                refuse(response, 503, "too many sessions are open; end one, or try again later");
                return Optional.empty();
            }
            response.getHeaders().put(SESSION, begun.get().id());
            return Optional.of(begun.get().session());
        }
        return existing(id, response);
    }

    private Optional<HttpSession> existing(String id, Response response) throws IOException {
        if (id == null) {
            refuse(response, 400, "send the header `" + SESSION + "` that the answer to `initialize` had");
            return Optional.empty();
        }
        Optional<HttpSession> session = sessions.find(id);
        if (session.isEmpty()) {
            refuse(response, 404, "no such session; begin a new one with `initialize`");
        }
        return session;
    }

    private static HttpExchange exchange(Request request, Response response) {
        String revision = request.getHeaders().get(REVISION);
        return new HttpExchange(response, revision != null && revision.compareTo(FIRST_TO_PRIME) >= 0);
    }

    private void get(Request request, Response response) throws IOException {
        if (!accepts(request, "text/event-stream")) {
            refuse(response, 406, "`Accept` must hold text/event-stream");
            return;
        }
        Optional<HttpSession> session = existing(request.getHeaders().get(SESSION), response);
        if (session.isEmpty()) {
            return;
        }
        String last = request.getHeaders().get(LAST_EVENT);
        if (last == null) {
            session.get().listen(exchange(request, response));
        } else if (!session.get().resume(last, exchange(request, response))) {
            refuse(response, 400, "`" + LAST_EVENT + "` names nothing that is still known here; leave it out");
        }
    }

    private void delete(Request request, Response response) throws IOException {
        Optional<HttpSession> session = existing(request.getHeaders().get(SESSION), response);
        if (session.isPresent()) {
            sessions.end(request.getHeaders().get(SESSION));
            response.setStatus(204);
        }
    }

    private static boolean accepts(Request request, String type) {
        var values = request.getHeaders().getValuesList(HttpHeader.ACCEPT);
        if (values.isEmpty()) {
            return true;
        }
        String family = type.substring(0, type.indexOf('/')) + "/*";
        for (String value : values) {
            for (String each : value.toLowerCase(Locale.ROOT).split(",")) {
                String name = each.split(";", 2)[0].strip();
                if (name.equals(type) || name.equals("*/*") || name.equals(family)) {
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<byte[]> body(Request request) throws IOException {
        if (request.getLength() > limit) {
            return Optional.empty();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] buffer = new byte[1 << 14];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (body.size() + n > limit) {
                    return Optional.empty();
                }
                body.write(buffer, 0, n);
            }
        }
        return Optional.of(body.toByteArray());
    }

    static void refuse(Response response, int status, String why) throws IOException {
        HttpExchange.json(response, status, RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, why));
    }
}
