package dev.sluice.gateway;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.EarlyLink;
import dev.sluice.gateway.transport.MessageLines;
import dev.sluice.gateway.transport.StdioClient;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** One server, wrapped for the client that started this process. */
public final class StdioGateway {

    /** How long a client that says no more still gets answers. */
    private static final long DRAIN_MS = 5_000;

    private StdioGateway() {}

    /**
     * Passes messages between the two until one of them ends. Which revisions the client speaks is seen from what it says
     * first.
     *
     * @param link the line to {@code server}, which is ended with this
     * @param forbiddenRoot which roots the server may not be given
     * @param limit the longest message of the client, in bytes
     * @param watch what watches its requests
     * @return 0 where the client ended, 1 where the server did
     * @throws IOException where the server can't be started; the message says the mend
     */
    public static int run(
            Guard guard,
            AgentSession agent,
            ServerPolicy server,
            UpstreamLink link,
            Predicate<String> forbiddenRoot,
            int limit,
            InputStream in,
            OutputStream out,
            Watch watch,
            Log log)
            throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        AtomicReference<String> serverEnded = new AtomicReference<>("");
        EarlyLink early = new EarlyLink(link, why -> {
            serverEnded.compareAndSet("", why);
            over.countDown();
        });
        StdioSession session =
                new StdioSession(guard, agent, server, early, new StdioClient(out), forbiddenRoot, watch, log);
        early.begin();
        Thread shutdown = new Thread(session::close, "end-server");
        Runtime.getRuntime().addShutdownHook(shutdown);
        Thread reader = Thread.ofPlatform().daemon().name("from-client").start(() -> {
            read(session, new MessageLines(in, limit), log);
            over.countDown();
        });
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean clientEnded = serverEnded.get().isEmpty();
        if (clientEnded) {
            session.drain(DRAIN_MS);
        }
        session.close();
        if (!clientEnded) {
            log.about("server", server.name())
                    .line(LogEvent.UPSTREAM_GONE, "`" + server.name() + "` is gone: " + serverEnded.get());
        }
        reader.interrupt();
        return clientEnded ? 0 : 1;
    }

    private static void read(StdioSession session, MessageLines lines, Log log) {
        try {
            Optional<MessageLines.Line> line = lines.next();
            while (line.isPresent()) {
                switch (line.get()) {
                    case MessageLines.Text text -> session.fromClient(text.bytes());
                    case MessageLines.TooLong tooLong -> session.tooLong(tooLong);
                }
                line = lines.next();
            }
        } catch (IOException | RuntimeException e) {
            log.fault(LogEvent.CLIENT_READ_FAILED, "reading from the client failed", e);
        }
    }
}
