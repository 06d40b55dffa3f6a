// This file has more than 400 lines because all ways into the endpoint, and out of it, stand beside each other.
package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.auth.Admission;
import dev.sluice.gateway.auth.Gatekeeper;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientExchange.Manner;
import dev.sluice.guard.message.InvalidMessageException;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.GatewaySettings.Limits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Streamable HTTP, the side that clients see: POST for messages, GET for what belongs to no request, DELETE to end.
 *
 * <p>Host and Origin must name loopback or what the policy names, else a web page could reach in through a name that it
 * controls (DNS rebinding). Then it must be known who calls; only how the gateway is and where its callers get their tokens
 * is told to everybody. Handlers block; they run on virtual threads.
 *
 * <p>Source: MCP revision 2025-11-25, Base Protocol, Transports.
 */
public final class HttpEndpoint extends Handler.Abstract {

    /** The path of the endpoint. */
    public static final String PATH = "/mcp";

    static final String SESSION = "Mcp-Session-Id";
    private static final String REVISION = "MCP-Protocol-Version";
    private static final String LISTEN = "subscriptions/listen";

    /** What asks for a stream is kept as long as the stream, which may be for days. */
    private static final int LONGEST_LISTEN = 256 << 10;

    private static final String LAST_EVENT = "Last-Event-ID";
    private static final List<String> ONCE = List.of(SESSION, REVISION, LAST_EVENT);
    private static final String FIRST_TO_PRIME = "2025-11-25";
    private static final Set<String> REVISIONS = Set.of("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25");

    private final HttpSessions sessions;
    private final ModernPost modern;
    private final TypedEndpoint typed;
    private final Gatekeeper gatekeeper;
    private final Supplier<Health> health;
    private final Limits limits;
    private final JsonIndex.Limits shape;
    private final BodyBudget bodies;
    private final Tally inFlight;

    /** Streams that have no end of their own, apart: else a few conversations that listen would lock their principal out. */
    private final Tally listens;

    private final MetricsEndpoint metrics;
    private final Log log;

    /**
     * Takes what it serves.
     *
     * @param served all revisions that are served, for clients to read
     * @param gatekeeper who is let in
     * @param health how the gateway is
     * @param bodies how long all messages may be that are dealt with at once
     * @param metrics where numbers are read
     */
    public HttpEndpoint(
            HttpSessions sessions,
            List<String> served,
            UserWords words,
            Gatekeeper gatekeeper,
            Supplier<Health> health,
            Limits limits,
            BodyBudget bodies,
            MetricsEndpoint metrics,
            Log log) {
        this.sessions = sessions;
        this.modern = new ModernPost(sessions, served);
        this.typed = new TypedEndpoint(words, limits.bodyTime(), bodies);
        this.bodies = bodies;
        this.gatekeeper = gatekeeper;
        this.health = health;
        this.limits = limits;
        this.shape = new JsonIndex.Limits(
                limits.depth(), JsonIndex.Limits.DEFAULT.numberChars(), JsonIndex.Limits.DEFAULT.values());
        this.inFlight = new Tally(limits.inFlightPerPrincipal());
        this.listens = new Tally(limits.inFlightPerPrincipal());
        this.metrics = metrics;
        this.log = log;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Ending ending = new Ending(fault -> end(request, response, callback, fault));
        try {
            serve(request, response, ending);
            ending.endUnlessLeft(null);
        } catch (RequestBody.Refused | IOException | RuntimeException e) {
            ending.endUnlessLeft(e);
        }
        return true;
    }

    private void end(Request request, Response response, Callback callback, @Nullable Throwable fault) {
        switch (fault) {
            case null -> {
                metrics.answered(response.getStatus());
                callback.succeeded();
            }
            case RequestBody.Refused refused -> {
                metrics.answered(refused.status);
                refuseUnread(response, refused, callback);
            }
            case IOException gone -> callback.failed(gone); // the client went away
            default -> {
                log.fault(LogEvent.HTTP_FAULT, "a request over http failed", fault);
                metrics.answered(500);
                Response.writeError(request, response, callback, 500);
            }
        }
    }

    /** What is refused unread would be read on, so the connection ends. */
    private static void refuseUnread(Response response, RequestBody.Refused why, Callback callback) {
        try {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            if (why.status == 503) {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
            }
            refuse(response, why.status, String.valueOf(why.getMessage()));
            callback.succeeded();
        } catch (IOException e) {
            callback.failed(e); // the client went away
        }
    }

    private void serve(Request request, Response response, Ending ending) throws IOException, RequestBody.Refused {
        String path = Request.getPathInContext(request);
        Optional<String> stranger = stranger(request);
        if (path.equals(Health.PATH)) {
            health(request, response, stranger.isPresent());
            return;
        }
        if (stranger.isPresent()) {
            refuse(response, 403, stranger.get());
            return;
        }
        Optional<byte[]> metadata = gatekeeper.metadata(path, PATH);
        if (metadata.isPresent() && request.getMethod().equals("GET")) {
            ClientExchange.json(response, 200, metadata.get());
            return;
        }
        Optional<String> principal = principal(request, response);
        if (principal.isPresent()) {
            serve(request, response, path, principal.get(), ending);
        }
    }

    /** Returns who calls; where that is not known, the refusal is written. */
    private Optional<String> principal(Request request, Response response) throws IOException {
        String query = request.getHttpURI().getQuery();
        if (query != null && query.toLowerCase(Locale.ROOT).contains("access_token")) {
            refuse(response, 400, "send the token in the header `Authorization`, never in the address");
            return Optional.empty();
        }
        return switch (admission(request)) {
            case Admission.Known known -> Optional.of(known.principal());
            case Admission.Refused refused -> {
                if (!refused.challenge().isEmpty()) {
                    response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, refused.challenge());
                }
                if (refused.status() == 503) {
                    response.getHeaders().put(HttpHeader.RETRY_AFTER, "5");
                }
                refuse(response, refused.status(), refused.why());
                yield Optional.empty();
            }
        };
    }

    private Admission admission(Request request) {
        return gatekeeper.admit(credentials(request));
    }

    private static List<String> credentials(Request request) {
        return request.getHeaders().getFields(HttpHeader.AUTHORIZATION).stream()
                .map(field -> String.valueOf(field.getValue()))
                .toList();
    }

    /** Says how the gateway is; which servers there are, only to those who may call them. */
    private void health(Request request, Response response, boolean isStranger) throws IOException {
        if (!request.getMethod().equals("GET")) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET");
            refuse(response, 405, "use GET");
            return;
        }
        boolean known = !isStranger && admission(request) instanceof Admission.Known;
        Health now = health.get();
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        ClientExchange.json(response, now.status(), now.json(known));
    }

    private void serve(Request request, Response response, String path, String principal, Ending ending)
            throws IOException, RequestBody.Refused {
        if (path.equals(TypedEndpoint.PATH)) {
            typed.serve(request, response, principal, gatekeeper.isNeeded());
            return;
        }
        if (path.equals(MetricsEndpoint.PATH) && metrics.isOn()) {
            metrics.serve(request, response, principal);
            return;
        }
        if (!path.equals(PATH)) {
            refuse(response, 404, "nothing is here; the endpoint is `" + PATH + "`");
            return;
        }
        if (isRepeated(request, "Content-Type")) {
            refuse(response, 400, "send `Content-Type` at most once");
            return;
        }
        HttpMethod method = HttpMethod.fromString(request.getMethod());
        if (method == HttpMethod.POST) {
            post(request, response, principal, ending); // which revision it is of, its body says
            return;
        }
        String revision = request.getHeaders().get(REVISION);
        if (revision != null && RequestMeta.isModern(revision)) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            refuse(response, 405, "use POST; there are no sessions and no other streams in this revision");
        } else if (isOfSessions(request, response)) {
            switch (method) {
                case GET -> get(request, response, principal, ending);
                case DELETE -> delete(request, response, principal);
                case null, default -> {
                    response.getHeaders().put(HttpHeader.ALLOW, "GET, POST, DELETE");
                    refuse(response, 405, "use GET, POST or DELETE");
                }
            }
        }
    }

    /** Returns whether the headers are those of a revision that has sessions; where they are not, the refusal is written. */
    private static boolean isOfSessions(Request request, Response response) throws IOException {
        for (String once : ONCE) {
            // Of two, whoever stands before us may have read the other one.
            if (isRepeated(request, once)) {
                refuse(response, 400, "send `" + once + "` at most once");
                return false;
            }
        }
        String revision = request.getHeaders().get(REVISION);
        if (revision != null && !REVISIONS.contains(revision)) {
            refuse(
                    response,
                    400,
                    "`" + REVISION + "` names a revision that is not served here; use one of "
                            + String.join(", ", new TreeSet<>(REVISIONS)) + " or " + RequestMeta.REVISION);
            return false;
        }
        return true;
    }

    private static boolean isRepeated(Request request, String name) {
        int count = 0;
        for (HttpField field : request.getHeaders()) {
            if (field.is(name)) {
                count++;
            }
        }
        return count > 1;
    }

    /** Returns why the request is not for this gateway, or comes from a page that may not call it; empty where it may. */
    private Optional<String> stranger(Request request) {
        if (isRepeated(request, "Host") || isRepeated(request, "Origin")) {
            return Optional.of("send `Host` and `Origin` at most once");
        }
        String host = Request.getServerName(request);
        if (host == null || !gatekeeper.isOurHost(host)) {
            return Optional.of("the `Host` must be localhost, 127.0.0.1, [::1] or one of the policy's `hosts`");
        }
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        return origin == null || gatekeeper.isOurOrigin(origin)
                ? Optional.empty()
                : Optional.of("the `Origin` must be a page of this machine, such as http://localhost, or one of the"
                        + " policy's `origins`");
    }

    private void post(Request request, Response response, String principal, Ending ending)
            throws IOException, RequestBody.Refused {
        if (!isJson(request)) {
            refuse(response, 415, "send `Content-Type: application/json`");
            return;
        }
        if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
            refuse(response, 406, "`Accept` must hold application/json and text/event-stream");
            return;
        }
        RequestBody body = RequestBody.read(request, limits.messageBytes(), limits.bodyTime(), bodies, principal);
        boolean waits = false;
        try {
            Optional<RpcMessage> message = message(body.bytes(), response);
            if (message.isEmpty()) {
                return;
            }
            boolean isModern = modern.isModern(request, message.get());
            if (isModern ? modern.isRefused(request, response, message.get()) : !isOfSessions(request, response)) {
                return;
            }
            if (isModern && message.get() instanceof RpcMessage.Notification told) {
                modern.tell(request, response, principal, told);
                return;
            }
            if (!(message.get() instanceof RpcMessage.Request asked)) {
                Optional<HttpSession> session = existing(request, response, principal);
                if (session.isPresent()) {
                    session.get().accept(message.get());
                    response.setStatus(202);
                }
                return;
            }
            boolean isStream = isModern && asked.method().equals(LISTEN);
            if (isStream && body.bytes().length > LONGEST_LISTEN) {
                ClientExchange.json(
                        response,
                        413,
                        RpcWriter.failure(
                                asked.id(),
                                RpcWriter.INVALID_REQUEST,
                                "a `" + LISTEN + "` may have " + LONGEST_LISTEN
                                        + " bytes; listen for less on one stream"));
                return;
            }
            Tally tally = isStream ? listens : inFlight;
            if (!tally.take(principal)) {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
                ClientExchange.json(
                        response, 429, RpcWriter.failure(asked.id(), RpcWriter.INVALID_REQUEST, tooMany(isStream)));
                return;
            }
            waits = true;
            Runnable over = once(() -> {
                tally.give(principal);
                body.close();
            });
            ask(request, response, principal, asked, isModern, over, ending);
        } finally {
            if (!waits) {
                body.close();
            }
        }
    }

    private String tooMany(boolean isStream) {
        return limits.inFlightPerPrincipal()
                + (isStream
                        ? " streams of `" + LISTEN
                                + "` of yours are open; close some, or listen for more on one of them"
                        : " of your requests wait for their answer; send more when they have it");
    }

    /** Returns the message in a body; where there is none, the refusal is written. */
    private Optional<RpcMessage> message(byte[] body, Response response) throws IOException {
        try {
            return Optional.of(RpcMessage.parse(body, shape));
        } catch (MalformedJsonException e) {
            ClientExchange.json(
                    response, 400, RpcWriter.failureWithoutId(RpcWriter.PARSE_ERROR, String.valueOf(e.getMessage())));
        } catch (InvalidMessageException e) {
            ClientExchange.json(
                    response,
                    400,
                    RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, String.valueOf(e.getMessage())));
        }
        return Optional.empty();
    }

    private static Runnable once(Runnable work) {
        AtomicBoolean due = new AtomicBoolean(true);
        return () -> {
            if (due.getAndSet(false)) {
                work.run();
            }
        };
    }

    /**
     * Serves a request.
     *
     * @param over run once the request is over: answered, lost or taken back. Its client may have gone long before, and it
     *     still costs what it costs; or may read the answer slowly, which counts elsewhere
     */
    private void ask(
            Request request,
            Response response,
            String principal,
            RpcMessage.Request asked,
            boolean isModern,
            Runnable over,
            Ending ending)
            throws IOException {
        Optional<HttpSession> session = Optional.empty();
        try {
            session = isModern
                    ? modern.session(request, response, principal, asked)
                    : session(request, response, principal, asked);
        } finally {
            if (session.isEmpty()) {
                over.run();
            }
        }
        if (session.isPresent()) {
            ClientExchange exchange = isModern
                    ? new ClientExchange(response, Manner.MODERN, welcome(request, principal, asked.method()), ending)
                    : exchange(request, response, () -> true, ending);
            serve(
                    session.get(),
                    asked,
                    isModern ? ModernPost.arguments(request) : name -> List.of(),
                    request,
                    exchange,
                    over);
        }
    }

    /** A stream without an end of its own is for those alone who are still let in. */
    private BooleanSupplier welcome(Request request, String principal, String method) {
        return method.equals(LISTEN) ? welcome(request, principal) : () -> true;
    }

    /** Returns whether whoever sent the request is still let in; looked at anew each time. */
    private BooleanSupplier welcome(Request request, String principal) {
        List<String> credentials = credentials(request);
        return () -> gatekeeper.admit(credentials) instanceof Admission.Known known
                && known.principal().equals(principal);
    }

    static boolean isJson(Request request) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        String plain = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return plain.equals("application/json");
    }

    /** Returns the session of a request; where there is none, the refusal is written. */
    private Optional<HttpSession> session(
            Request request, Response response, String principal, RpcMessage.Request asked) throws IOException {
        if (!asked.method().equals("initialize") || request.getHeaders().get(SESSION) != null) {
            return existing(request, response, principal);
        }
        return switch (sessions.begin(principal, asked)) {
            case HttpSessions.Beginning.Begun begun -> {
                response.getHeaders().put(SESSION, begun.id());
                yield Optional.of(begun.session());
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

    private Optional<HttpSession> existing(Request request, Response response, String principal) throws IOException {
        String id = request.getHeaders().get(SESSION);
        if (id == null) {
            refuse(response, 400, "send the header `" + SESSION + "` that the answer to `initialize` had");
            return Optional.empty();
        }
        Optional<HttpSession> session = sessions.find(principal, id);
        if (session.isEmpty()) {
            refuse(response, 404, "no such session; begin a new one with `initialize`");
        }
        return session;
    }

    private static void serve(
            HttpSession session,
            RpcMessage.Request asked,
            Function<String, List<String>> sent,
            Request request,
            ClientExchange exchange,
            Runnable answered)
            throws IOException {
        String parent = request.getHeaders().get("traceparent");
        if (parent == null) {
            session.serve(asked, sent, exchange, answered);
            return;
        }
        boolean _ = ScopedValue.where(Watch.HEADER, parent).call(() -> {
            session.serve(asked, sent, exchange, answered);
            return true;
        });
    }

    /**
     * @param welcome whether the client may still be told anything
     */
    private static ClientExchange exchange(Request request, Response response, BooleanSupplier welcome, Ending ending) {
        String revision = request.getHeaders().get(REVISION);
        Manner manner = revision != null && revision.compareTo(FIRST_TO_PRIME) >= 0 ? Manner.PRIMED : Manner.NAMED;
        return new ClientExchange(response, manner, welcome, ending);
    }

    private void get(Request request, Response response, String principal, Ending ending) throws IOException {
        if (!accepts(request, "text/event-stream")) {
            refuse(response, 406, "`Accept` must hold text/event-stream");
            return;
        }
        Optional<HttpSession> session = existing(request, response, principal);
        if (session.isEmpty()) {
            return;
        }
        // A stream has no end of its own, so whoever reads it is looked at again from time to time.
        ClientExchange exchange = exchange(request, response, welcome(request, principal), ending);
        String last = request.getHeaders().get(LAST_EVENT);
        if (last == null) {
            session.get().listen(exchange);
        } else if (!session.get().resume(last, exchange)) {
            refuse(response, 400, "`" + LAST_EVENT + "` names nothing that is still known here; leave it out");
        }
    }

    private void delete(Request request, Response response, String principal) throws IOException {
        Optional<HttpSession> session = existing(request, response, principal);
        if (session.isPresent()) {
            sessions.end(principal, request.getHeaders().get(SESSION));
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

    static void refuse(Response response, int status, String why) throws IOException {
        ClientExchange.json(response, status, RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, why));
    }
}
