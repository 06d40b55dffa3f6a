package dev.sluice.gateway.transport;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Closes connections on which no request is being served for a while: one that never sends its headers whole, byte by byte,
 * one that never ends its handshake, and one that is only kept.
 *
 * <p>A connection on which a request is served stays, however long a stream is silent.
 */
public final class QuietConnections extends Handler.Wrapper implements Connection.Listener {

    /** When it was last busy, or that it is. */
    private static final long BUSY = Long.MIN_VALUE;

    private final Duration most;
    private final Map<Connection, Long> since = new ConcurrentHashMap<>();

    /** Lets a connection be without a request for so long. */
    public QuietConnections(Handler served, Duration most) {
        super(served);
        this.most = most;
    }

    @Override
    public void onOpened(Connection connection) {
        if (!(connection instanceof SslConnection)) { // around it is one for what it carries
            since.put(connection, System.nanoTime());
        }
    }

    @Override
    public void onClosed(Connection connection) {
        since.remove(connection);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Connection connection = request.getConnectionMetaData().getConnection();
        since.computeIfPresent(connection, (key, old) -> BUSY);
        Request.addCompletionListener(
                request, failure -> since.computeIfPresent(connection, (key, old) -> System.nanoTime()));
        return super.handle(request, response, callback);
    }

    /** Closes those that were without a request for too long. */
    public void sweep() {
        long now = System.nanoTime();
        since.forEach((connection, last) -> {
            if (last != BUSY && now - last > most.toNanos()) {
                connection.getEndPoint().close();
            }
        });
    }
}
