package dev.sluice.gateway.transport;

import dev.sluice.store.PromptStore;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import tools.jackson.databind.JsonNode;

/**
 * Where a host says what its user typed: POST, with the host's token and the id of the session. Nothing of it goes to a
 * server.
 *
 * <p>Who may come here at all is for {@link HttpEndpoint} to say.
 */
final class TypedEndpoint {

    static final String PATH = "/typed";

    /** A prompt as long as can be kept, each byte of it escaped, and some room for what a hook says beside it. */
    private static final int MOST_BYTES = 8 * PromptStore.MOST_BYTES;

    private final UserWords words;

    TypedEndpoint(UserWords words) {
        this.words = words;
    }

    void serve(Request request, Response response) throws IOException {
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            HttpEndpoint.refuse(response, 405, "use POST");
            return;
        }
        if (!isHost(request)) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
            HttpEndpoint.refuse(
                    response, 401, "send `Authorization: Bearer` with the host's token, which stands in `host-token`");
            return;
        }
        if (!HttpEndpoint.isJson(request)) {
            HttpEndpoint.refuse(response, 415, "send `Content-Type: application/json`");
            return;
        }
        String session = request.getHeaders().get(HttpEndpoint.SESSION);
        if (session == null) {
            HttpEndpoint.refuse(
                    response,
                    400,
                    "send the header `" + HttpEndpoint.SESSION + "` that the answer to `initialize` had");
            return;
        }
        Optional<byte[]> body = body(request);
        if (body.isEmpty()) {
            HttpEndpoint.refuse(response, 413, "the message has more than " + MOST_BYTES + " bytes");
            return;
        }
        JsonNode prompt;
        try {
            prompt = JsonIndex.parse(body.get()).root().tree().path("prompt");
        } catch (MalformedJsonException e) {
            HttpEndpoint.refuse(response, 400, "this is no strict JSON: " + e.getMessage());
            return;
        }
        if (!prompt.isString()) {
            HttpEndpoint.refuse(response, 400, "send an object with a text `prompt`");
            return;
        }
        if (PromptStore.Prompt.bytes(prompt.stringValue()) > PromptStore.MOST_BYTES) {
            HttpEndpoint.refuse(
                    response, 413, "a `prompt` of more than " + PromptStore.MOST_BYTES + " bytes is not kept");
            return;
        }
        if (!words.typed(session, prompt.stringValue())) {
            HttpEndpoint.refuse(response, 404, "no such session; send the id that the answer to `initialize` had");
            return;
        }
        response.setStatus(204);
    }

    private boolean isHost(Request request) {
        var all = request.getHeaders().getFields(HttpHeader.AUTHORIZATION);
        if (all.size() != 1) {
            return false;
        }
        String value = all.get(0).getValue();
        String scheme = "bearer ";
        return value != null
                && value.toLowerCase(Locale.ROOT).startsWith(scheme)
                && words.isHost(value.substring(scheme.length()));
    }

    private static Optional<byte[]> body(Request request) throws IOException {
        if (request.getLength() > MOST_BYTES) {
            return Optional.empty();
        }
        try (InputStream in = Content.Source.asInputStream(request)) {
            byte[] body = in.readNBytes(MOST_BYTES + 1);
            return body.length > MOST_BYTES ? Optional.empty() : Optional.of(body);
        }
    }
}
