package dev.sluice.gateway.proxy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client is given with a question, as {@code requestState}, and brings back with the answer: what the question was
 * about, and what its request held for the server.
 *
 * <p>A client can read all of it and change none of it: it ends in a code (HMAC-SHA-256) over every sign before that, and
 * another spelling of the same code does not count either.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests.
 *
 * @param approval the question's id
 * @param principal on whose behalf the request was made
 * @param client by what name the client called itself
 * @param request the digest of the request
 * @param label the digest of the label of what the call carried
 * @param policy the digest of the policy that asked
 * @param ends when the question is over
 * @param nonce names this and no other, ever
 * @param state the server's own {@code requestState}, as JSON text; null where the request had none
 * @param responses the {@code inputResponses} to the server, as JSON text; null where the request had none
 * @param methods what those are answers to, by their places in the parameters; what is not there is not known
 * @param server whose questions those were
 * @param loan names what the request answers, as {@link dev.sluice.guard.client.RequestedInputs.Answers} says
 */
record AskedState(
        String approval,
        String principal,
        String client,
        String request,
        String label,
        String policy,
        Instant ends,
        String nonce,
        @Nullable String state,
        @Nullable String responses,
        Map<String, String> methods,
        String server,
        String loan) {

    /** What every one of ours begins with, and nobody else's counts. */
    static final String PREFIX = "sluice-ask:";

    /** What those begin with that are written as this version writes them. */
    private static final String VERSION = PREFIX + "1:";

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** Half a surrogate pair is text too, and has no UTF-8. */
    private static final JsonMapper ASCII =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    AskedState {
        methods = Map.copyOf(methods);
    }

    /** Returns it as the client gets it. */
    String sealed(String secret) {
        ObjectNode all = JsonNodeFactory.instance
                .objectNode()
                .put("approval", approval)
                .put("principal", principal)
                .put("client", client)
                .put("request", request)
                .put("label", label)
                .put("policy", policy)
                .put("ends", ends.toString())
                .put("nonce", nonce)
                .put("server", server);
        if (state != null) {
            all.put("state", state);
        }
        if (responses != null) {
            all.put("responses", responses);
        }
        ObjectNode known = all.putObject("methods");
        methods.forEach(known::put);
        all.put("loan", loan);
        String open = VERSION + ENCODER.encodeToString(ASCII.writeValueAsBytes(all)) + ".";
        return open + code(open, secret);
    }

    /** Returns what {@code sealed} says; empty where it is not exactly as it was given. */
    static Optional<AskedState> opened(String sealed, String secret) {
        int end = sealed.lastIndexOf('.') + 1;
        String open = sealed.substring(0, end);
        if (!MessageDigest.isEqual(
                        sealed.substring(end).getBytes(StandardCharsets.UTF_8),
                        code(open, secret).getBytes(StandardCharsets.UTF_8))
                || !open.startsWith(VERSION)) {
            return Optional.empty();
        }
        try {
            JsonNode all = JsonMapper.shared()
                    .readTree(Base64.getUrlDecoder().decode(open.substring(VERSION.length(), end - 1)));
            Map<String, String> methods = new LinkedHashMap<>();
            all.path("methods").forEachEntry((place, method) -> methods.put(place, method.asString("")));
            return Optional.of(new AskedState(
                    text(all, "approval"),
                    text(all, "principal"),
                    text(all, "client"),
                    text(all, "request"),
                    text(all, "label"),
                    text(all, "policy"),
                    Instant.parse(text(all, "ends")),
                    text(all, "nonce"),
                    all.path("state").isString() ? text(all, "state") : null,
                    all.path("responses").isString() ? text(all, "responses") : null,
                    methods,
                    text(all, "server"),
                    text(all, "loan")));
        } catch (JacksonException | IllegalArgumentException | java.time.DateTimeException e) {
            return Optional.empty(); // sealed with this secret, and yet not by this code
        }
    }

    private static String text(JsonNode all, String name) {
        return all.path(name).asString("");
    }

    private static String code(String open, String secret) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return ENCODER.encodeToString(mac.doFinal(open.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no HMAC-SHA-256", e);
        }
    }
}
