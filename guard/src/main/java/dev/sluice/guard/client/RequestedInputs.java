package dev.sluice.guard.client;

import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonPointers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What servers asked for in the answers to calls, to be given when the call is made again (multi round-trip requests): so
 * it is known what kind of answer the client then gives. Of tasks likewise, where the answers are given apart.
 *
 * <p>What was asked for counts once, for the same call and the same server only; a call that was not made after all, such as
 * one that policy denied, uses nothing up. Where a server asked for different things
 * in answers that can't be told apart, each counts as what is judged most strictly. A state that no server gave for the call
 * is a text like any other.
 *
 * <p>Of a task, what a key was ever asked for counts for as long as the task is known: a server that asks for something else
 * under the same key, while the client's answer may be under way, makes it what is judged most strictly. A task that no call
 * here is known to have made may have been asked for anything before, so nothing that it asks for counts. Nor does what is
 * asked where something was forgotten before, or may have been: forgetting never makes a word count for more.
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

    /** Beyond these, the oldest are forgotten. */
    static final int MOST = 200;

    static final int MOST_OF_ONE = 50;

    /** So are they where more than this was asked for in all that is remembered of calls, or of tasks. */
    static final int MOST_KEYS = 1_000;

    /** What is asked for under a longer key, in characters, or by a longer method counts as unknown. */
    static final int LONGEST = 128;

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
     * The answers within a call.
     *
     * @param given each of them
     * @param loan names what was asked for, which counts as answered from now on, for {@link #notMade}; empty where nothing
     *     was known
     */
    public record Answers(List<Given> given, String loan) {

        public Answers {
            given = List.copyOf(given);
        }
    }

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
            requests.forEachEntry((key, request) -> {
                if (key.length() <= LONGEST) {
                    String method = request.path("method").asString(UNKNOWN);
                    methods.put(key, method.length() <= LONGEST ? method : UNKNOWN);
                }
            });
            return new Round(1, true, methods);
        }

        Round and(Round other) {
            Map<String, String> both = new HashMap<>(methods);
            other.methods.forEach((key, method) -> both.merge(key, method, RequestedInputs::stricter));
            boolean all = legible && other.legible && both.size() <= MOST_OF_ONE;
            return new Round(open + other.open, all, all ? both : Map.of());
        }

        /** Returns the same, of which the client comes back to one. */
        Round one() {
            return new Round(1, legible, methods);
        }

        Round used() {
            return new Round(open - 1, legible, methods);
        }

        String method(String key) {
            return legible ? methods.getOrDefault(key, UNKNOWN) : UNKNOWN;
        }
    }

    /**
     * All that a task ever asked for.
     *
     * @param open what the client has not answered since it was asked for
     */
    private record Task(Round ever, Set<String> open) {

        /** Returns the same, asked for more. */
        Task and(Round more) {
            Set<String> both = new HashSet<>(open);
            both.addAll(more.methods().keySet());
            Round all = ever.and(more);
            return new Task(all, all.legible() ? both : Set.of());
        }

        Task answered(Set<String> keys) {
            Set<String> left = new HashSet<>(open);
            left.removeAll(keys);
            return new Task(ever, left);
        }

        Task notAnswered(Set<String> keys) {
            Set<String> both = new HashSet<>(open);
            both.addAll(keys);
            return new Task(ever, ever.legible() ? both : Set.of());
        }

        String method(String key) {
            return open.contains(key) ? ever.method(key) : UNKNOWN;
        }
    }

    /**
     * What counts as answered by a call that is not made yet: a round, or else keys of a task.
     *
     * @param key of the round, or of the task
     */
    private record Loan(String key, @Nullable Round round, Set<String> keys) {}

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Map<String, Loan> loans = new LinkedHashMap<>();
    private final Map<String, Round> rounds = new LinkedHashMap<>();
    private final Map<String, Task> tasks = new LinkedHashMap<>();
    private final Forgotten forgotten = new Forgotten();

    private static String stricter(String one, String two) {
        return one.equals(two) ? one : UNKNOWN;
    }

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
        return key("", method, params, JsonNodeFactory.instance.missingNode());
    }

    /**
     * Takes note of what {@code result}, the answer of {@code server} to a request of {@code method} with {@code params},
     * asks for, and of the task that it tells of.
     */
    public synchronized void asked(String server, String method, JsonNode params, JsonNode result) {
        JsonNode requests = result.path(REQUESTS);
        if (method.startsWith("tasks/")) {
            ofTask(server, TaskCalls.id(params), requests);
            return;
        }
        if (method.equals("tools/call")) {
            String id = TaskCalls.made(result);
            if (!id.isEmpty()) {
                made(taskKey(server, id));
            }
        }
        if (!METHODS.contains(method)
                || (requests.isMissingNode() && result.path(STATE).isMissingNode())) {
            return;
        }
        String key = key(server, method, params, result);
        Round round = requests.isMissingNode() ? new Round(1, true, Map.of()) : Round.of(requests);
        add(key, round);
    }

    private void add(String key, Round round) {
        Round before = rounds.remove(key);
        if (before == null && forgotten.mayHave(key)) {
            before = new Round(0, false, Map.of());
        }
        rounds.put(key, before == null ? round : before.and(round));
        bound(rounds, MOST, Round::methods);
    }

    /** Whatever a task asks for is asked for after the call that made it was answered. */
    private void made(String key) {
        if (!tasks.containsKey(key) && !forgotten.mayHave(key)) {
            tasks.put(key, new Task(new Round(0, true, Map.of()), Set.of()));
            bound(tasks);
        }
    }

    /** Takes note of what a server asks for in what it says of itself of a task. */
    public synchronized void askedInTask(String server, JsonNode task) {
        ofTask(server, TaskCalls.id(task), task.path(REQUESTS));
    }

    /** What is open is said again each time that the task is looked at. */
    private void ofTask(String server, String id, JsonNode requests) {
        String key = taskKey(server, id);
        Task known = requests.isMissingNode() ? null : tasks.remove(key);
        if (known != null) {
            tasks.put(key, known.and(Round.of(requests)));
            bound(tasks);
        }
    }

    private void bound(Map<String, Task> known) {
        bound(known, TaskCalls.MOST, task -> task.ever().methods());
    }

    private <T> void bound(Map<String, T> known, int most, Function<T, Map<String, String>> methods) {
        int keys = known.values().stream().map(methods).mapToInt(Map::size).sum();
        while (known.size() > most || keys > MOST_KEYS) {
            Map.Entry<String, T> oldest = known.entrySet().iterator().next();
            keys -= methods.apply(oldest.getValue()).size();
            forgotten.add(oldest.getKey());
            known.remove(oldest.getKey());
        }
    }

    /** Returns the answers in the parameters of a request to {@code server}, and counts what they answer as answered. */
    public synchronized Answers given(String server, String method, JsonNode params) {
        List<Given> places = places(params);
        if (places.isEmpty()) {
            return new Answers(List.of(), "");
        }
        if (method.startsWith("tasks/")) {
            return givenToTask(taskKey(server, TaskCalls.id(params)), places);
        }
        String key = key(server, method, params, params);
        Round known = answered(key);
        if (known == null) {
            return new Answers(places, "");
        }
        List<Given> given = new ArrayList<>();
        for (Given each : places) {
            if (!each.place().equals("/" + STATE)) {
                given.add(new Given(each.place(), asked(each).map(known::method).orElse(UNKNOWN), each.answer()));
            }
        }
        return new Answers(given, lent(new Loan(key, known.one(), Set.of())));
    }

    /** Nobody can name what another call answers. Of many, the oldest count as answered for good. */
    private String lent(Loan loan) {
        byte[] random = new byte[16];
        RANDOM.nextBytes(random);
        String name = HexFormat.of().formatHex(random);
        loans.put(name, loan);
        if (loans.size() > MOST) {
            loans.remove(loans.keySet().iterator().next());
        }
        return name;
    }

    /** Says that a call was made, so that what it answers is answered for good. */
    public synchronized void wasMade(String loan) {
        loans.remove(loan);
    }

    /** Says that a call was not made: what it answers is as it was, and stricter where its server asked for something since. */
    public synchronized void notMade(String loan) {
        Loan back = loans.remove(loan);
        if (back == null) {
            return;
        }
        if (back.round() != null) {
            add(back.key(), back.round());
            return;
        }
        Task known = tasks.get(back.key());
        if (known != null) {
            tasks.put(back.key(), known.notAnswered(back.keys()));
        }
    }

    private @Nullable Round answered(String key) {
        Round known = rounds.remove(key);
        if (known != null && known.open() > 1) {
            rounds.put(key, known.used());
        }
        return known;
    }

    private Answers givenToTask(String key, List<Given> places) {
        Task known = tasks.remove(key);
        if (known == null) {
            return new Answers(places, "");
        }
        Set<String> answered = new HashSet<>();
        List<Given> given = new ArrayList<>();
        for (Given each : places) {
            asked(each).ifPresent(answered::add);
            given.add(new Given(each.place(), asked(each).map(known::method).orElse(UNKNOWN), each.answer()));
        }
        tasks.put(key, known.answered(answered));
        answered.retainAll(known.open());
        return new Answers(given, answered.isEmpty() ? "" : lent(new Loan(key, null, answered)));
    }

    /** Returns under which key something was asked for that is given; empty for what answers nothing in particular. */
    private static Optional<String> asked(Given given) {
        List<String> steps = JsonPointers.tokens(given.place());
        return steps.size() == 2 ? Optional.of(steps.get(1)) : Optional.empty();
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

    private static String taskKey(String server, String id) {
        return digest(
                JsonNodeFactory.instance.objectNode().put("server", server).put("task", id));
    }

    /** The state is the server's word, which may be long, and so may the arguments. */
    private static String key(String server, String method, JsonNode params, JsonNode stateful) {
        ObjectNode call =
                JsonNodeFactory.instance.objectNode().put("server", server).put("method", method);
        SAME.stream().filter(params::has).forEach(name -> call.set(name, params.path(name)));
        if (stateful.has(STATE)) {
            call.set("state", stateful.path(STATE));
        }
        return digest(call);
    }

    private static String digest(ObjectNode of) {
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(of)).text();
        } catch (IllegalArgumentException e) { // it has a number that only its text says
            return Digest.sha256(of.toString().getBytes(StandardCharsets.UTF_8)).text();
        }
    }
}
