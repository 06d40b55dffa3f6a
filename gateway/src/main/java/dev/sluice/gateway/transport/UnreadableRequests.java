package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcWriter;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers what is no HTTP request that can be read here, and what went wrong elsewhere, as JSON and without details. */
public final class UnreadableRequests implements Request.Handler {

    private final int headerBytes;

    /** Takes how many bytes the headers of a request may have. */
    public UnreadableRequests(int headerBytes) {
        this.headerBytes = headerBytes;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String why = switch (response.getStatus()) {
            case 414, 431 -> "the headers of a request may have " + headerBytes + " bytes";
            case 500 -> "the request failed here; the gateway's log says more";
            default -> "this is no HTTP request that can be read here";
        };
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        response.write(true, ByteBuffer.wrap(RpcWriter.failureWithoutId(RpcWriter.INVALID_REQUEST, why)), callback);
        return true;
    }
}
