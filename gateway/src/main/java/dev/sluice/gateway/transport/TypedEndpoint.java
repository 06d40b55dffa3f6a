package dev.sluice.gateway.transport;

import dev.sluice.store.PromptStore;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
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

    /** Holds the host's token where {@code Authorization} says who calls. */
    static final String HOST_TOKEN = "Sluice-Host-Token";

    private final UserWords words;
    private final Duration bodyTime;
    private final BodyBudget bodies;

    TypedEndpoint(UserWords words, Duration bodyTime, BodyBudget bodies) {
        this.words = words;
        this.bodyTime = bodyTime;
        this.bodies = bodies;
    }

    /**
     * Takes a prompt.
     *
     * @param principal who calls
     * @param isTold whether that is told by {@code Authorization}; the host's token then has a header of its own
     */
    void serve(Request request, Response response, String principal, boolean isTold)
            throws IOException, RequestBody.Refused {
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            HttpEndpoint.refuse(response, 405, "use POST");
            return;
        }
        if (isTold && !isHostToo(request)) {
            HttpEndpoint.refuse(
                    response,
                    403,
                    "send `" + HOST_TOKEN
                            + "` with the host's token, which stands in `host-token` of the gateway's state");
            return;
        }
        if (!isTold && !isHost(request)) {
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
        try (RequestBody body = RequestBody.read(request, MOST_BYTES, bodyTime, bodies, principal)) {
            take(body.bytes(), request, response, principal, session);
        }
    }

    private void take(byte[] body, Request request, Response response, String principal, @Nullable String session)
            throws IOException {
        JsonNode prompt;
        Value meta;
        try {
            Value said = JsonIndex.parse(body).root();
            prompt = said.tree().path("prompt");
            meta = said.kind() == Kind.OBJECT ? said.member("_meta").orElse(null) : null;
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
        if (session == null) {
            typed(prompt.stringValue(), meta, request, response, principal);
        } else if (meta != null) {
            HttpEndpoint.refuse(
                    response, 400, "send `" + HttpEndpoint.SESSION + "` or `_meta`: no conversation has both");
        } else if (!words.typed(principal, session, prompt.stringValue())) {
            HttpEndpoint.refuse(response, 404, "no such session; send the id that the answer to `initialize` had");
        } else {
            response.setStatus(204);
        }
    }

    private void typed(String prompt, @Nullable Value meta, Request request, Response response, String principal)
            throws IOException {
        if (meta != null && meta.kind() != Kind.OBJECT) {
            HttpEndpoint.refuse(response, 400, "`_meta` must be an object, as requests of the conversation have it");
            return;
        }
        switch (words.typed(principal, meta, ModernPost.sent(request), prompt)) {
            case UserWords.Taken.Kept _ -> response.setStatus(204);
            case UserWords.Taken.Refused refused -> HttpEndpoint.refuse(response, refused.status(), refused.why());
            case UserWords.Taken.Nowhere _ ->
                HttpEndpoint.refuse(
                        response,
                        400,
                        "send the header `" + HttpEndpoint.SESSION
                                + "` that the answer to `initialize` had, or name the"
                                + " conversation of a client without sessions as its requests do: by a header, or in `_meta`");
        }
    }

    private boolean isHostToo(Request request) {
        var all = request.getHeaders().getFields(HOST_TOKEN);
        return all.size() == 1
                && all.get(0).getValue() != null
                && words.isHost(all.get(0).getValue());
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
}
