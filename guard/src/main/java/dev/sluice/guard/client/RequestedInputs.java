package dev.sluice.guard.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What a server asked for in the answers to calls, to be given when the call is made again (multi round-trip requests): so
 * it is known what kind of answer the client then gives.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests.
 */
final class RequestedInputs {

    /** Beyond these, the oldest are forgotten: an answer to what is not known counts as one that a model wrote. */
    private static final int MOST = 200;

    private static final int MOST_OF_ONE = 50;
    private static final String UNKNOWN = "sampling/createMessage";
    private static final List<String> METHODS = List.of("tools/call", "resources/read", "prompts/get");

    /** One answer within a call: what was asked for by which method, and the answer. */
    record Given(String method, JsonNode answer) {}

    private record Round(String method, String state) {}

    private final Map<Round, Map<String, String>> rounds = new LinkedHashMap<>();

    /** Takes note of what {@code result}, the answer to a request of {@code method}, asks for. */
    synchronized void asked(String method, JsonNode result) {
        JsonNode requests = result.path("inputRequests");
        if (!METHODS.contains(method) || !requests.isObject() || requests.size() > MOST_OF_ONE) {
            return;
        }
        Map<String, String> methods = new HashMap<>();
        requests.forEachEntry(
                (key, request) -> methods.put(key, request.path("method").asString(UNKNOWN)));
        rounds.put(round(method, result), methods);
        if (rounds.size() > MOST) {
            rounds.remove(rounds.keySet().iterator().next());
        }
    }

    /** Returns the answers in the parameters of a request. */
    synchronized List<Given> given(String method, JsonNode params) {
        JsonNode responses = params.path("inputResponses");
        if (responses.isMissingNode() || !METHODS.contains(method)) {
            return List.of();
        }
        Map<String, String> methods = rounds.getOrDefault(round(method, params), Map.of());
        List<Given> given = new ArrayList<>();
        if (responses.isObject()) {
            responses.forEachEntry((key, answer) -> given.add(new Given(methods.getOrDefault(key, UNKNOWN), answer)));
        } else {
            given.add(new Given(UNKNOWN, responses));
        }
        return given;
    }

    private static Round round(String method, JsonNode holder) {
        return new Round(method, holder.path("requestState").asString(""));
    }
}
