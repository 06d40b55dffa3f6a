package dev.sluice.guard.client;

import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server asked for in the answers to calls, to be given when the call is made again (multi round-trip requests): so
 * it is known what kind of answer the client then gives.
 *
 * <p>What was asked for counts once, and for the same call only. Where a server asked for different things in answers that
 * can't be told apart, each counts as what is judged most strictly.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests.
 */
final class RequestedInputs {

    /** What an answer counts as of which it is not known what it answers: one that a model wrote. */
    static final String UNKNOWN = "sampling/createMessage";

    /** Where a request holds such answers. */
    static final String RESPONSES = "inputResponses";

    /** Beyond these, the oldest are forgotten. */
    private static final int MOST = 200;

    private static final int MOST_OF_ONE = 50;
    private static final Set<String> METHODS = Set.of("tools/call", "resources/read", "prompts/get");

    /** What stays the same when a call is made again. */
    private static final List<String> SAME = List.of("name", "uri", "arguments");

    /** One answer within a call: what was asked for by which method, and the answer. */
    record Given(String method, JsonNode answer) {}

    /**
     * What was asked for in answers that look the same to whoever makes the call again.
     *
     * @param open how many of these the client has not come back to
     * @param legible whether all of them could be kept
     * @param methods what was asked for, by its key
     */
    private record Round(int open, boolean legible, Map<String, String> methods) {

        static Round of(JsonNode requests) {
            if (!requests.isObject() || requests.size() > MOST_OF_ONE) {
                return new Round(1, false, Map.of());
            }
            Map<String, String> methods = new HashMap<>();
            requests.forEachEntry(
                    (key, request) -> methods.put(key, request.path("method").asString(UNKNOWN)));
            return new Round(1, true, methods);
        }

        Round and(Round other) {
            Map<String, String> both = new HashMap<>(methods);
            other.methods.forEach(
                    (key, method) -> both.merge(key, method, (one, two) -> one.equals(two) ? one : UNKNOWN));
            return new Round(open + other.open, legible && other.legible && both.size() <= MOST_OF_ONE, both);
        }

        Round used() {
            return new Round(open - 1, legible, methods);
        }

        String method(String key) {
            return legible ? methods.getOrDefault(key, UNKNOWN) : UNKNOWN;
        }
    }

    private final Map<String, Round> rounds = new LinkedHashMap<>();

    /** Takes note of what {@code result}, the answer to a request of {@code method} with {@code params}, asks for. */
    synchronized void asked(String method, JsonNode params, JsonNode result) {
        JsonNode requests = result.path("inputRequests");
        if (!METHODS.contains(method) || requests.isMissingNode()) {
            return;
        }
        String key = key(method, params, result);
        Round round = Round.of(requests);
        Round before = rounds.remove(key);
        rounds.put(key, before == null ? round : before.and(round));
        if (rounds.size() > MOST) {
            rounds.remove(rounds.keySet().iterator().next());
        }
    }

    /** Returns the answers in the parameters of a request, and counts what they answer as answered. */
    synchronized List<Given> given(String method, JsonNode params) {
        JsonNode responses = params.path(RESPONSES);
        if (responses.isMissingNode()) {
            return List.of();
        }
        String key = key(method, params, params);
        Round known = rounds.remove(key);
        Round round = known == null ? new Round(0, false, Map.of()) : known;
        if (round.open() > 1) {
            rounds.put(key, round.used());
        }
        List<Given> given = new ArrayList<>();
        if (responses.isObject()) {
            responses.forEachEntry((name, answer) -> given.add(new Given(round.method(name), answer)));
        } else {
            given.add(new Given(UNKNOWN, responses));
        }
        return given;
    }

    /** The state is the server's word, which may be long, and so may the arguments. */
    private static String key(String method, JsonNode params, JsonNode stateful) {
        ObjectNode call = JsonNodeFactory.instance.objectNode().put("method", method);
        SAME.stream().filter(params::has).forEach(name -> call.set(name, params.path(name)));
        if (stateful.has("requestState")) {
            call.set("state", stateful.path("requestState"));
        }
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(call)).text();
        } catch (IllegalArgumentException e) { // it has a number that only its text says
            return Digest.sha256(call.toString().getBytes(StandardCharsets.UTF_8))
                    .text();
        }
    }
}
