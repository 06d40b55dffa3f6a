package dev.sluice.guard.client;

import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonPointers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server asked for in the answers to calls, to be given when the call is made again (multi round-trip requests): so
 * it is known what kind of answer the client then gives. Of tasks likewise, where the answers are given apart.
 *
 * <p>What was asked for counts once, and for the same call only. Where a server asked for different things in answers that
 * can't be told apart, each counts as what is judged most strictly. A state that no server gave for the call is a text like
 * any other.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests; extension {@code io.modelcontextprotocol/tasks}.
 */
public final class RequestedInputs {

    /** What an answer counts as of which it is not known what it answers: one that a model wrote. */
    public static final String UNKNOWN = "sampling/createMessage";

    /** Where a request holds such answers. */
    public static final String RESPONSES = "inputResponses";

    private static final String REQUESTS = "inputRequests";
    private static final String STATE = "requestState";
    private static final String TASK = "taskId";

    /** Beyond these, the oldest are forgotten. */
    private static final int MOST = 200;

    private static final int MOST_OF_ONE = 50;

    /** The id of a task is kept up to this many characters. */
    private static final int LONGEST_TASK = 2_048;

    private static final Set<String> METHODS = Set.of("tools/call", "resources/read", "prompts/get");

    /** What stays the same when a call is made again. */
    private static final List<String> SAME = List.of("name", "uri", "arguments");

    /**
     * One answer within a call.
     *
     * @param place where it stands in the parameters, a JSON Pointer
     * @param method by which method it was asked for
     */
    public record Given(String place, String method, JsonNode answer) {}

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
    private final Map<String, Round> tasks = new LinkedHashMap<>();

    /** Returns whether requests of that method are made again with answers. */
    public static boolean isRepeatable(String method) {
        return METHODS.contains(method);
    }

    /** Returns whether a result asks for answers of the client, with which its request is to be made again. */
    public static boolean asks(JsonNode result) {
        return result.path("resultType").asString("").equals("input_required") || result.has(REQUESTS);
    }

    /** Returns a digest of what stays the same when a request is made again. */
    public static String digest(String method, JsonNode params) {
        return key(method, params, JsonNodeFactory.instance.missingNode());
    }

    /** Takes note of what {@code result}, the answer to a request of {@code method} with {@code params}, asks for. */
    public synchronized void asked(String method, JsonNode params, JsonNode result) {
        JsonNode requests = result.path(REQUESTS);
        if (method.startsWith("tasks/")) {
            ofTask(params.path(TASK), requests);
            return;
        }
        if (!METHODS.contains(method)
                || (requests.isMissingNode() && result.path(STATE).isMissingNode())) {
            return;
        }
        String key = key(method, params, result);
        Round round = requests.isMissingNode() ? new Round(1, true, Map.of()) : Round.of(requests);
        Round before = rounds.remove(key);
        rounds.put(key, before == null ? round : before.and(round));
        bound(rounds);
    }

    /** Takes note of what a server asks for in what it says of itself of a task. */
    public synchronized void askedInTask(JsonNode task) {
        ofTask(task.path(TASK), task.path(REQUESTS));
    }

    /** What is open is said again each time that the task is looked at. */
    private void ofTask(JsonNode task, JsonNode requests) {
        String id = task.asString("");
        if (id.isEmpty() || id.length() > LONGEST_TASK || requests.isMissingNode()) {
            return;
        }
        Round before = tasks.remove(id);
        tasks.put(id, before == null ? Round.of(requests) : before.and(Round.of(requests)));
        bound(tasks);
    }

    private static void bound(Map<String, Round> rounds) {
        if (rounds.size() > MOST) {
            rounds.remove(rounds.keySet().iterator().next());
        }
    }

    /** Returns the answers in the parameters of a request, and counts what they answer as answered. */
    public synchronized List<Given> given(String method, JsonNode params) {
        List<Given> places = places(params);
        if (places.isEmpty()) {
            return List.of();
        }
        boolean ofTask = method.startsWith("tasks/");
        Round known = ofTask ? answeredTask(params) : answered(key(method, params, params));
        Round round = known == null ? new Round(0, false, Map.of()) : known;
        List<Given> given = new ArrayList<>();
        for (Given each : places) {
            if (known == null || ofTask || !each.place().equals("/" + STATE)) {
                given.add(new Given(each.place(), round.method(name(each.place())), each.answer()));
            }
        }
        return given;
    }

    private @Nullable Round answered(String key) {
        Round known = rounds.remove(key);
        if (known != null && known.open() > 1) {
            rounds.put(key, known.used());
        }
        return known;
    }

    private @Nullable Round answeredTask(JsonNode params) {
        return params.has(RESPONSES) ? tasks.remove(params.path(TASK).asString("")) : null;
    }

    /** Returns all in the parameters of a request that may answer what a server asked, as if nothing were known of it. */
    public static List<Given> places(JsonNode params) {
        List<Given> places = new ArrayList<>();
        JsonNode responses = params.path(RESPONSES);
        if (responses.isObject()) {
            responses.forEachEntry((name, answer) ->
                    places.add(new Given("/" + RESPONSES + JsonPointers.step(name), UNKNOWN, answer)));
        } else if (!responses.isMissingNode()) {
            places.add(new Given("/" + RESPONSES, UNKNOWN, responses));
        }
        if (params.has(STATE)) {
            places.add(new Given("/" + STATE, UNKNOWN, params.path(STATE)));
        }
        return places;
    }

    private static String name(String place) {
        List<String> steps = JsonPointers.tokens(place);
        return steps.get(steps.size() - 1);
    }

    /** The state is the server's word, which may be long, and so may the arguments. */
    private static String key(String method, JsonNode params, JsonNode stateful) {
        ObjectNode call = JsonNodeFactory.instance.objectNode().put("method", method);
        SAME.stream().filter(params::has).forEach(name -> call.set(name, params.path(name)));
        if (stateful.has(STATE)) {
            call.set("state", stateful.path(STATE));
        }
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(call)).text();
        } catch (IllegalArgumentException e) { // it has a number that only its text says
            return Digest.sha256(call.toString().getBytes(StandardCharsets.UTF_8))
                    .text();
        }
    }
}
