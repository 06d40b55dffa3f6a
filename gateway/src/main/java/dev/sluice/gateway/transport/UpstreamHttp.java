package dev.sluice.gateway.transport;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client that all lines of this process to upstreams share: connections, and nothing that could be remembered of
 * one session and shown in another. No cookies, no credentials of its own, no redirects, no compression.
 */
public final class UpstreamHttp implements AutoCloseable {

    private static final long CONNECT_MS = 10_000;

    /** Shorter than what servers usually keep a silent connection for, so that none is used that they just closed. */
    private static final long SPARE_MS = 4_000;

    private static final int LARGEST_HEADERS = 16 << 10;

    /** Every open stream has a connection of its own. */
    private static final int MOST_CONNECTIONS = 16_384;

    private @Nullable HttpClient client;
    private boolean closed;

    /** Begins to send a request; the body is null for none. */
    HttpExchange send(HttpMethod method, URI address, Map<String, String> headers, byte @Nullable [] body)
            throws UnreachableException {
        Request request = client().newRequest(address).method(method).idleTimeout(0, TimeUnit.SECONDS);
        request.headers(fields -> headers.forEach(fields::put));
        if (body != null) {
            request.body(new BytesRequestContent("application/json", body));
        }
        return new HttpExchange(request);
    }

    private synchronized HttpClient client() throws UnreachableException {
        HttpClient started = client;
        if (started == null) {
            if (closed) {
                throw new UnreachableException("sluice is being stopped", new IllegalStateException());
            }
            started = start();
            client = started;
        }
        return started;
    }

    private static HttpClient start() throws UnreachableException {
        ClientConnector connector = new ClientConnector();
        connector.setSelectors(1);
        HttpClient client = new HttpClient(new HttpClientTransportOverHTTP(connector));
        client.setExecutor(new VirtualThreadPool());
        client.setName("upstreams");
        client.setConnectTimeout(CONNECT_MS);
        client.setAddressResolutionTimeout(CONNECT_MS);
        client.setIdleTimeout(SPARE_MS);
        client.setFollowRedirects(false);
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "sluice"));
        client.setMaxResponseHeadersSize(LARGEST_HEADERS);
        client.setMaxConnectionsPerDestination(MOST_CONNECTIONS);
        client.setMaxRequestsQueuedPerDestination(MOST_CONNECTIONS);
        try {
            client.start();
        } catch (Exception e) {
            throw new UnreachableException("the http client can't be started", e);
        }
        client.getProtocolHandlers().clear(); // none may answer a 401 or a redirect by itself
        client.getContentDecoderFactories()
                .clear(); // what is packed can be of any size, and is not read event by event
        return client;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (client != null) {
            try {
                client.stop();
            } catch (Exception e) {
                throw new IllegalStateException("the http client did not stop", e);
            }
            client = null;
        }
    }
}
