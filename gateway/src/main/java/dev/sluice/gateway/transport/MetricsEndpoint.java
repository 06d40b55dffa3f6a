package dev.sluice.gateway.transport;

import dev.sluice.gateway.telemetry.Metrics;
import dev.sluice.gateway.telemetry.Telemetry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * Where numbers are read: GET, by those who may.
 *
 * <p>Who may come here at all is for {@link HttpEndpoint} to say: the same as may call.
 */
public final class MetricsEndpoint {

    static final String PATH = "/metrics";

    private final Telemetry telemetry;
    private final Set<String> scrapers;

    /**
     * @param scrapers who may read; empty for whoever is let in
     */
    public MetricsEndpoint(Telemetry telemetry, Set<String> scrapers) {
        this.telemetry = telemetry;
        this.scrapers = Set.copyOf(scrapers);
    }

    /** Returns whether there is anything to read. */
    boolean isOn() {
        return telemetry.metrics().isPresent();
    }

    /** Takes note of an answer over HTTP. */
    void answered(int status) {
        telemetry.metrics().ifPresent(metrics -> metrics.answered(status));
    }

    void serve(Request request, Response response, String principal) throws IOException {
        if (!request.getMethod().equals("GET")) {
            response.getHeaders().put(HttpHeader.ALLOW, "GET");
            HttpEndpoint.refuse(response, 405, "use GET");
            return;
        }
        if (!scrapers.isEmpty() && !scrapers.contains(principal)) {
            HttpEndpoint.refuse(
                    response, 403, "the policy names who may read `" + PATH + "`, and you are not among them");
            return;
        }
        byte[] text = telemetry.metrics().orElseThrow().text();
        response.setStatus(200);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Metrics.TYPE);
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        Content.Sink.write(response, true, ByteBuffer.wrap(text));
    }
}
