package dev.sluice.gateway;

import dev.sluice.gateway.proxy.ModernFront;
import dev.sluice.gateway.proxy.ProxySession;
import dev.sluice.gateway.proxy.Revisions;
import dev.sluice.gateway.proxy.Server;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The session of the client that started this process: of which era it is, what the client says first decides.
 *
 * <p>A modern request that is refused decides nothing: its client may have asked which revisions there are. One that began
 * as a modern client may turn to {@code initialize}, as one does whose question took too long; from then on both are
 * served. A legacy session stays one.
 *
 * <p>Source: MCP revision 2026-07-28, Versioning and Compatibility.
 */
final class StdioSession implements AutoCloseable {

    private final Guard guard;
    private final AgentSession agent;
    private final ServerPolicy server;
    private final UpstreamLink link;
    private final ClientSide client;
    private final Predicate<String> forbiddenRoot;
    private final Watch watch;
    private final Log log;
    private @Nullable ProxySession session;
    private @Nullable ModernFront front;
    private boolean greeted;
    private boolean closed;

    /**
     * Makes a session that is not begun.
     *
     * @param link the line to {@code server}
     * @param forbiddenRoot which roots the server may not be given
     */
    StdioSession(
            Guard guard,
            AgentSession agent,
            ServerPolicy server,
            UpstreamLink link,
            ClientSide client,
            Predicate<String> forbiddenRoot,
            Watch watch,
            Log log) {
        this.guard = guard;
        this.agent = agent;
        this.server = server;
        this.link = link;
        this.client = client;
        this.forbiddenRoot = forbiddenRoot;
        this.watch = watch;
        this.log = log;
    }

    /** Takes one text of the client; from one thread. */
    void fromClient(byte[] text) throws IOException {
        RpcMessage message = ProxySession.read(text, client, log).orElse(null);
        if (message == null) {
            return;
        }
        ModernFront modern = front();
        if (modern != null) {
            fromClient(modern, message);
        } else if (session() != null) {
            legacy(any(), message);
        } else {
            first(message);
        }
    }

    /** Takes a text of the client that was too long to keep. */
    void tooLong(MessageLines.TooLong line) {
        ProxySession.tooLong(line, client, log);
    }

    /** A request of a client with a handshake may say that revision again, and is no other for it. */
    private static boolean isModern(RpcMessage message) {
        return RequestMeta.said(message)
                .filter(meta -> !Revisions.isLegacy(meta.version()))
                .isPresent();
    }

    /** What says a revision with a handshake, and is none, is told so as what says an unknown one. */
    private static boolean beginsModern(RpcMessage.Request request) {
        return request.method().equals(Methods.DISCOVER)
                || (request.method().equals(Methods.INITIALIZE)
                        ? isModern(request)
                        : RequestMeta.said(request).isPresent());
    }

    private void first(RpcMessage message) throws IOException {
        if (message instanceof RpcMessage.Request request && beginsModern(request)) {
            if (!refused(request)) {
                fromClient(begin(RequestMeta.of(request).orElseThrow()), request);
            }
        } else if (message instanceof RpcMessage.Request || message instanceof RpcMessage.Notification) {
            any().fromClient(message);
        } else {
            log.line(LogEvent.CLIENT_SKIPPED, "skipped from the client: an answer to nothing that was asked");
        }
    }

    private boolean refused(RpcMessage.Request request) {
        Optional<byte[]> refusal = RequestMeta.refusal(request, Revisions.ALL);
        refusal.ifPresent(why -> client.answer(why, request.id().key()));
        return refusal.isPresent();
    }

    private void fromClient(ModernFront modern, RpcMessage message) {
        if (!(message instanceof RpcMessage.Request request)) {
            modern.fromClient(message);
        } else if (!isModern(request) && (greeted || request.method().equals(Methods.INITIALIZE))) {
            greeted = true;
            modern.fromClient(request);
        } else if (!refused(request)) {
            modern.fromClient(modern.admitted(request));
        }
    }

    private void legacy(ProxySession legacy, RpcMessage message) {
        if (message instanceof RpcMessage.Request request && isModern(request)) {
            client.answer(
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.INVALID_REQUEST,
                            "this process speaks a revision that begins with `initialize`, as its client did; start another"
                                    + " for requests of revision " + RequestMeta.REVISION),
                    request.id().key());
        } else {
            legacy.fromClient(message);
        }
    }

    private synchronized @Nullable ModernFront front() {
        return front;
    }

    private synchronized @Nullable ProxySession session() {
        return session;
    }

    /** Returns the session; one that begins now is a legacy one. */
    private synchronized ProxySession any() throws IOException {
        ProxySession open = session;
        if (open == null) {
            open = ProxySession.direct(
                    guard, agent, client, log, why -> {}, forbiddenRoot, new Server(server, principal -> link), watch);
            begun(open);
        }
        return open;
    }

    /** Its line is kept as long as the process: there is no other. */
    private synchronized ModernFront begin(RequestMeta meta) {
        ModernFront made = new ModernFront(client, guard, agent, log);
        ProxySession open = ProxySession.shared(
                guard,
                agent,
                made,
                log,
                forbiddenRoot,
                List.of(new Server(server.kept(), principal -> link)),
                ModernFront.handshake(meta),
                watch);
        made.connect(open);
        front = made;
        begun(open);
        return made;
    }

    private void begun(ProxySession open) {
        session = open;
        if (closed) {
            open.close();
        }
    }

    /** Waits until every request has its answer, for {@code millis} at most; what can have none any more is given up. */
    void drain(long millis) {
        ModernFront modern = front();
        if (modern != null) {
            modern.close();
        }
        ProxySession open = session();
        if (open != null) {
            open.drain(millis);
        }
    }

    @Override
    public void close() {
        ModernFront modern;
        ProxySession open;
        synchronized (this) {
            closed = true;
            modern = front;
            open = session;
        }
        if (modern != null) {
            modern.close();
        }
        if (open != null) {
            open.close();
        }
        link.close();
    }
}
