// This file has more than 400 lines because all that one lock guards stands in one place.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.Alarm;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The open calls of modern clients, and what legacy servers ask while they are open.
 *
 * <p>A server that asks keeps its call open and waits; a modern client can only be asked in the answer to its own request.
 * So that answer says what is asked, and the call is parked: its server waits on. When the client makes the request again
 * with what was asked for, its answers go to the server as answers to what that asked, and the new request waits for the
 * answer of the parked call.
 *
 * <p>By which state a client comes back nobody can guess; it is good once, for the same request, for a time, and while the
 * session lives in which it was given.
 *
 * <p>Source: MCP revision 2026-07-28, Multi Round-Trip Requests.
 */
final class ParkedCalls {

    /** How the states begin that are given here; those of servers pass. */
    static final String PREFIX = "sluice-parked:";

    /** How many calls may be parked in one session. */
    static final int MOST = 100;

    /** How long a call is parked before it is given up. */
    static final Duration LONGEST = Duration.ofMinutes(10);

    static final String STATE = "requestState";

    static final String RESPONSES = "inputResponses";

    /** What one call may ask at once. */
    private static final int MOST_ASKED = 50;

    /** How many bytes a session may keep of calls that are parked, of what they ask and of what came meanwhile. */
    private static final long MOST_KEPT = 16L << 20;

    private static final int STATE_BYTES = 24;

    private static final String ELICITATION = "elicitation/create";

    /** What a client has that can ask a person to open an address. */
    private static final String OPENING = "elicitation/url";

    /** In whose answers a client can be asked. */
    static final Set<String> REPEATABLE = Set.of(Methods.TOOLS_CALL, "resources/read", "prompts/get");

    /** What stays the same when a request is made again. */
    private static final List<String> SAME = List.of("name", "uri", "arguments");

    private static final SecureRandom RANDOM = new SecureRandom();

    /** The room that whatever waits for one client has, beside that of its session. */
    interface Room {

        /** Has no other bounds. */
        Room FREE = new Room() {
            @Override
            public boolean take(long bytes) {
                return true;
            }

            @Override
            public void give(long bytes) {}
        };

        /** Takes so many bytes; returns whether they were there, else takes none. */
        boolean take(long bytes);

        /** Gives so many bytes back. */
        void give(long bytes);
    }

    /** The ways out of here; none is called under the lock. */
    interface Ways {

        /** Answers a client's request; whatever id the answer has. */
        void toClient(Waiting to, byte[] answer);

        /** Answers what a server asked. */
        void toServer(byte[] answer);

        /** Takes a call back. */
        void takeBack(RpcId call);

        /** Makes a call anew, of which its server knows nothing any more; without what it answers here. */
        void again(Waiting call);
    }

    /**
     * What a server asked.
     *
     * @param id the id that it has in the core; null where the server waits for no answer
     * @param need what the client must be able to do
     */
    private record Input(@Nullable RpcId id, String json, String need) {}

    /** A call while it is open in the core. */
    private static final class Call {
        private final RpcId inner;
        private final String method;
        private final String token;

        /** The client's request that gets what comes; null while the call is parked. */
        private @Nullable Waiting waiting;

        /** The key of the client's request whose answer said what is asked, while the call is parked. */
        private String told = "";

        private final Map<String, Input> shown = new LinkedHashMap<>();
        private final List<Input> next = new ArrayList<>();
        private int keys;
        private String digest = "";
        private String state = "";

        /** The session that it was parked in; empty where there was none. */
        private String session = "";

        private long ends;
        private byte @Nullable [] answer;

        /** How many bytes are kept of the request that was parked, which the core holds until it has its answer. */
        private long parked;

        /** How many bytes are kept of the answer. */
        private long came;

        /** Whether its server is done with it, and it is to be made anew. */
        private boolean over;

        Call(Waiting waiting, String token) {
            this.inner = waiting.request().id();
            this.method = waiting.request().method();
            this.token = token;
            this.waiting = waiting;
        }
    }

    /**
     * Who gets what is said of a call.
     *
     * @param to the client's request that waits
     * @param token the token for progress that the call has in the core
     */
    record Recipient(Waiting to, String token) {}

    private final Ways ways;
    private final Supplier<Optional<String>> session;
    private final long longest;
    private final Room room;
    private final Alarm expiry = new Alarm(this::expire);
    private final Object lock = new Object();
    private final Map<String, Call> calls = new HashMap<>();
    private final Map<String, Call> byRequest = new HashMap<>();
    private final Map<String, Call> byState = new LinkedHashMap<>();
    private final Set<String> tokens = new HashSet<>();
    private long made;
    private long kept;
    private boolean closed;

    /**
     * @param session returns the id of the agent's session; empty where none lives
     * @param longest how long a call is parked before it is given up
     */
    ParkedCalls(Ways ways, Supplier<Optional<String>> session, Duration longest, Room room) {
        this.ways = ways;
        this.room = room;
        this.session = session;
        this.longest = longest.toNanos();
    }

    /** Takes note of a call that goes to the core, and returns it: with another token for progress where its own is in use. */
    RpcMessage.Request enter(Waiting waiting) {
        synchronized (lock) {
            String own = waiting.token();
            String token = own;
            while (!token.isEmpty() && !tokens.add(token)) {
                token = "\"" + ModernFront.PREFIX + "t" + ++made + "\"";
            }
            Call call = new Call(waiting, token);
            calls.put(call.inner.key(), call);
            byRequest.put(waiting.key(), call);
            if (token.equals(own)) {
                return waiting.request();
            }
            RpcMessage.Request request = waiting.request();
            MessageEdits edits = new MessageEdits(request).id(request.id());
            edits.edits()
                    .replace(
                            request.index()
                                    .root()
                                    .pointer("/params/_meta/progressToken")
                                    .orElseThrow(),
                            token.getBytes(StandardCharsets.UTF_8));
            return (RpcMessage.Request) RpcMessage.parse(edits.apply());
        }
    }

    /** Returns who gets what is said of the core's request of that key; empty where nobody waits for it now. */
    Optional<Recipient> recipient(String inner) {
        synchronized (lock) {
            Call call = calls.get(inner);
            return call == null || call.waiting == null
                    ? Optional.empty()
                    : Optional.of(new Recipient(call.waiting, call.token));
        }
    }

    /** Returns those requests that wait and to which their client gave that id. */
    List<String> named(RpcId own) {
        synchronized (lock) {
            return calls.values().stream()
                    .flatMap(call -> Optional.ofNullable(call.waiting).stream())
                    .filter(waiting -> waiting.own().key().equals(own.key()))
                    .map(Waiting::key)
                    .toList();
        }
    }

    /** Takes the answer to a call. Where the call is parked, the client gets it when it comes back. */
    void answered(String inner, byte[] answer) {
        locked(then -> {
            Call call = calls.get(inner);
            if (call == null) {
                return; // it was taken back meanwhile
            }
            fail(call, RpcWriter.INVALID_REQUEST, "the call in which this was asked has its answer", then);
            Waiting waiting = call.waiting;
            if (waiting != null) {
                remove(call);
                then.add(() -> ways.toClient(waiting, answer));
            } else if (!keep(answer.length)) {
                call.answer = RpcWriter.failure(
                        call.inner,
                        RpcWriter.UPSTREAM_FAILED,
                        "the answer was given up, since too much waits to be fetched; whether the call did anything is not"
                                + " known");
            } else {
                call.answer = answer;
                call.came = answer.length;
            }
        });
    }

    /**
     * Takes an error by which a server says that a person must open addresses before the call is made again, as legacy ones do:
     * the client is asked for that in the answer to its call.
     *
     * @param addresses what the server would ask by a request of its own for each, as JSON text
     * @return false where the client gets the error itself
     */
    boolean mustOpen(String inner, List<String> addresses) {
        String now = session.get().orElse(""); // not under the lock
        List<Runnable> then = new ArrayList<>();
        synchronized (lock) {
            Call call = calls.get(inner);
            Waiting waiting = call == null ? null : call.waiting;
            List<Input> inputs = addresses.stream()
                    .map(each ->
                            new Input(null, "{\"method\":\"" + ELICITATION + "\",\"params\":" + each + "}", OPENING))
                    .toList();
            long length =
                    inputs.stream().mapToLong(input -> input.json().length()).sum();
            if (call == null || waiting == null || !REPEATABLE.contains(call.method) || closed) {
                return false;
            }
            if (waiting.meta().filter(own -> can(own, OPENING)).isEmpty()) {
                remove(call);
                ObjectNode data = JsonNodeFactory.instance.objectNode();
                data.putObject("requiredCapabilities").putObject("elicitation").putObject("url");
                byte[] answer = RpcWriter.failure(
                        waiting.own(),
                        RpcWriter.CAPABILITY_MISSING,
                        "the server wants a person to open an address first, and the client does not say that it has the"
                                + " capability `" + OPENING + "`",
                        data);
                then.add(() -> ways.toClient(waiting, answer));
            } else if (addresses.size() > MOST_ASKED || byState.size() >= MOST) {
                return false;
            } else if (!keep(length + toPark(call, waiting))) {
                return false;
            } else {
                call.parked += toPark(call, waiting);
                fail(call, RpcWriter.INVALID_REQUEST, "the call in which this was asked has its answer", then);
                call.over = true;
                call.session = now;
                call.next.addAll(inputs);
                show(call, then);
            }
        }
        then.forEach(Runnable::run);
        return true;
    }

    /** Takes what a server asks of the client while the core's request of that key is open. */
    void asked(String inner, RpcMessage.Request request) {
        String need = need(request);
        String now = session.get().orElse(""); // not under the lock
        locked(then -> {
            Call call = calls.get(inner);
            String json = "{\"method\":\"" + (need.isEmpty() ? "" : request.method()) + "\""
                    + request.params()
                            .map(params -> ",\"params\":" + params.raw())
                            .orElse("")
                    + "}";
            Input input = new Input(request.id(), json, need);
            if (need.isEmpty()) {
                refuse(input, RpcWriter.METHOD_NOT_FOUND, "the client's revision of MCP has no such request", then);
            } else if (call == null || !REPEATABLE.contains(call.method)) {
                refuse(
                        input,
                        RpcWriter.INVALID_REQUEST,
                        "no call is open in whose answer the client could be asked",
                        then);
            } else if (call.answer != null || closed) {
                refuse(input, RpcWriter.INVALID_REQUEST, "the call in which this was asked has its answer", then);
            } else if (call.next.size() + call.shown.size() >= MOST_ASKED || !keep(json.length())) {
                refuse(input, RpcWriter.INVALID_REQUEST, "too many requests have no answer yet", then);
            } else {
                call.next.add(input);
                if (call.session.isEmpty()) {
                    call.session = now;
                }
                show(call, then);
            }
        });
    }

    /** Returns what a client must be able to do to be asked that; empty where it can't be asked at all. */
    private static String need(RpcMessage.Request asked) {
        return switch (asked.method()) {
            case "roots/list" -> "roots";
            case "sampling/createMessage" ->
                has(asked, "tools") || has(asked, "toolChoice") ? "sampling/tools" : "sampling";
            case ELICITATION ->
                asked.params()
                                .flatMap(params -> params.pointer("/mode"))
                                .filter(mode -> mode.kind() == Kind.STRING
                                        && mode.string().equals("url"))
                                .isPresent()
                        ? OPENING
                        : "elicitation/form";
            default -> "";
        };
    }

    /** Returns whether a modern client can be asked that, in the answer to a call; what can't be asked is refused without one. */
    static boolean needsACall(RpcMessage.Request asked) {
        return !need(asked).isEmpty();
    }

    private static boolean has(RpcMessage.Request request, String member) {
        return request.params().flatMap(params -> params.pointer("/" + member)).isPresent();
    }

    /** An {@code elicitation} that says no mode is one of forms. */
    private static boolean can(RequestMeta meta, String need) {
        Optional<Value> all = meta.capabilities();
        return need.equals("elicitation/form")
                ? all.flatMap(each -> each.member("elicitation"))
                        .filter(own -> own.kind() == Kind.OBJECT
                                && (own.size() == 0 || own.member("form").isPresent()))
                        .isPresent()
                : all.flatMap(each -> each.pointer("/" + need)).isPresent();
    }

    /** Answers the client's request with what is asked, where there is anything and somebody waits. */
    private void show(Call call, List<Runnable> then) {
        Waiting waiting = call.waiting;
        if (waiting == null || call.next.isEmpty()) {
            return;
        }
        Optional<RequestMeta> meta = waiting.meta();
        for (Input input : List.copyOf(call.next)) {
            call.next.remove(input);
            if (byState.size() >= MOST) {
                drop(input, RpcWriter.INVALID_REQUEST, "too many calls wait for the client", then);
            } else if (meta.filter(own -> can(own, input.need())).isEmpty()) {
                drop(
                        input,
                        RpcWriter.METHOD_NOT_FOUND,
                        "the client does not say that it has the capability `" + input.need() + "`",
                        then);
            } else {
                call.shown.put("input-" + ++call.keys, input);
            }
        }
        if (call.shown.isEmpty()) {
            return;
        }
        if (call.parked == 0) { // once its client has an answer, nothing else counts the request
            long length = toPark(call, waiting);
            if (!keep(length)) {
                call.shown
                        .values()
                        .forEach(
                                input -> drop(input, RpcWriter.INVALID_REQUEST, "too much waits for the client", then));
                call.shown.clear();
                return;
            }
            call.parked = length;
        }
        if (call.digest.isEmpty()) {
            call.digest = digest(waiting.request());
        }
        byte[] random = new byte[STATE_BYTES];
        RANDOM.nextBytes(random);
        call.state = PREFIX + HexFormat.of().formatHex(random);
        call.ends = System.nanoTime() + longest;
        call.waiting = null;
        call.told = waiting.key();
        byRequest.remove(waiting.key());
        byState.put(call.state, call);
        if (byState.size() == 1) {
            expiry.in(Duration.ofNanos(longest));
        }
        StringBuilder asked = new StringBuilder();
        call.shown.forEach((key, input) -> asked.append(asked.isEmpty() ? "" : ",")
                .append('"')
                .append(key)
                .append("\":")
                .append(input.json()));
        byte[] answer = ("{\"jsonrpc\":\"2.0\",\"id\":" + waiting.own().json()
                        + ",\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{" + asked
                        + "},\"requestState\":\"" + call.state + "\"}}")
                .getBytes(StandardCharsets.UTF_8);
        then.add(() -> ways.toClient(waiting, answer));
    }

    private static String digest(RpcMessage.Request request) {
        JsonNode params = request.params().map(Value::tree).orElseGet(JsonNodeFactory.instance::missingNode);
        ObjectNode call = JsonNodeFactory.instance.objectNode();
        SAME.stream().filter(params::has).forEach(name -> call.set(name, params.path(name)));
        try {
            return Digest.sha256(JcsCanonicalizer.canonicalize(call)).text();
        } catch (IllegalArgumentException e) { // it has a number that only its text says
            return Digest.sha256(call.toString().getBytes(StandardCharsets.UTF_8))
                    .text();
        }
    }

    /** Returns the state by which a request comes back to a parked call; empty where it does not. */
    static Optional<String> state(RpcMessage.Request request) {
        return request.params()
                .flatMap(params -> params.pointer("/" + STATE))
                .filter(state -> state.kind() == Kind.STRING)
                .map(Value::string)
                .filter(state -> state.startsWith(PREFIX));
    }

    /** Takes a request that comes back to a parked call. */
    void retried(Waiting retry, String state) {
        Optional<Value> responses = retry.request().params().flatMap(params -> params.pointer("/" + RESPONSES));
        boolean legible = responses.isEmpty()
                || (responses.get().kind() == Kind.OBJECT
                        && responses.get().members().stream()
                                .allMatch(each -> each.value().kind() == Kind.OBJECT));
        String digest = REPEATABLE.contains(retry.request().method()) ? digest(retry.request()) : "";
        Optional<String> now = session.get(); // not under the lock
        locked(then -> {
            Call call = byState.get(state);
            if (call == null) {
                refuse(
                        retry,
                        "nothing waits under this `requestState`: it was used or its time is over; make the call anew without"
                                + " it",
                        then);
            } else if (!call.method.equals(retry.request().method()) || !call.digest.equals(digest)) {
                refuse(
                        retry,
                        "this `requestState` is of another call; make this one anew without it, and come back to the other as"
                                + " it was",
                        then);
            } else if (now.filter(call.session::equals).isEmpty()) {
                giveUp(call, "the session in which this was asked has ended", then);
                refuse(
                        retry,
                        "the session in which this `requestState` was given has ended, and with it the call that waited;"
                                + " whether that did anything is not known; make the call anew without it",
                        then);
            } else if (!legible) {
                refuse(retry, "`inputResponses` must hold one object for each of `inputRequests`", then);
            } else {
                byState.remove(state);
                call.state = "";
                call.waiting = retry;
                byRequest.put(retry.key(), call);
                if (call.over) {
                    opened(call, retry, responses, then);
                } else {
                    give(call, responses, then);
                }
            }
        });
    }

    /** That somebody agreed to open an address does not say that they are done there: that is for the server to find out. */
    private void opened(Call call, Waiting retry, Optional<Value> responses, List<Runnable> then) {
        boolean refused = false;
        List<Input> again = new ArrayList<>();
        for (Map.Entry<String, Input> each : call.shown.entrySet()) {
            Optional<Value> response = responses.flatMap(all -> all.member(each.getKey()));
            if (response.isEmpty()) {
                again.add(each.getValue());
            } else {
                free(each.getValue().json().length());
                refused |= response.get()
                        .member("action")
                        .filter(action ->
                                action.kind() == Kind.STRING && action.string().equals("accept"))
                        .isEmpty();
            }
        }
        call.shown.clear();
        call.next.addAll(0, again);
        if (refused) {
            remove(call);
            byte[] answer = notOpened(retry);
            then.add(() -> ways.toClient(retry, answer));
        } else if (again.isEmpty()) {
            remove(call);
            then.add(() -> ways.again(retry));
        } else {
            show(call, then);
            if (call.waiting != null) { // it can't be asked now, and nobody else has an answer for it
                remove(call);
                byte[] answer = RpcWriter.failure(
                        retry.own(),
                        RpcWriter.INVALID_REQUEST,
                        "the server wants more addresses opened first than the client can be asked about now; make the call"
                                + " anew");
                then.add(() -> ways.toClient(retry, answer));
            }
        }
    }

    private static byte[] notOpened(Waiting call) {
        String why = "the server wants a person to open an address first, and they did not agree to that";
        return call.request().method().equals(Methods.TOOLS_CALL)
                ? RpcWriter.result(call.own(), RpcWriter.toolError(why, JsonNodeFactory.instance.objectNode()))
                : RpcWriter.failure(call.own(), RpcWriter.UPSTREAM_FAILED, why);
    }

    private void give(Call call, Optional<Value> responses, List<Runnable> then) {
        List<Input> again = new ArrayList<>();
        call.shown.forEach((key, input) -> {
            Optional<Value> response = responses.flatMap(all -> all.member(key));
            RpcId id = input.id();
            if (response.isPresent() && id != null) {
                free(input.json().length());
                byte[] answer = ("{\"jsonrpc\":\"2.0\",\"id\":" + id.json() + ",\"result\":"
                                + response.get().raw() + "}")
                        .getBytes(StandardCharsets.UTF_8);
                then.add(() -> ways.toServer(answer));
            } else {
                again.add(input);
            }
        });
        call.shown.clear();
        call.next.addAll(0, again);
        byte[] answer = call.answer;
        Waiting waiting = call.waiting;
        if (answer != null && waiting != null) {
            remove(call);
            then.add(() -> ways.toClient(waiting, answer));
        } else {
            show(call, then);
        }
    }

    /** Takes note that a server took back what it asked under that id; returns whether it was asked here. */
    boolean withdrawn(RpcId id) {
        synchronized (lock) {
            boolean found = false;
            for (Call call : calls.values()) {
                found |= withdrawn(call.next.iterator(), id);
                found |= withdrawn(call.shown.values().iterator(), id);
            }
            return found;
        }
    }

    private boolean withdrawn(Iterator<Input> inputs, RpcId id) {
        boolean found = false;
        while (inputs.hasNext()) {
            Input input = inputs.next();
            RpcId own = input.id();
            if (own != null && own.key().equals(id.key())) {
                free(input.json().length());
                inputs.remove();
                found = true;
            }
        }
        return found;
    }

    /** Takes note that the client took its request back, and returns the call that it waited for. */
    Optional<RpcId> left(String request) {
        synchronized (lock) {
            Call call = byRequest.get(request);
            if (call == null) {
                return Optional.empty();
            }
            remove(call);
            return Optional.of(call.inner);
        }
    }

    /** Takes note that the client did not take the answer to that request: where it said what is asked, nobody comes back. */
    void lost(String request) {
        locked(then -> List.copyOf(byState.values()).stream()
                .filter(call -> call.told.equals(request))
                .forEach(call -> giveUp(call, "the client went away before it was asked", then)));
    }

    /** Takes note that a call gets no answer from the core, and returns the client's request that waited for it. */
    Optional<String> finished(String inner) {
        List<Runnable> then = new ArrayList<>();
        Optional<String> request = Optional.empty();
        synchronized (lock) {
            Call call = calls.get(inner);
            if (call != null) {
                request = Optional.ofNullable(call.waiting).map(Waiting::key);
                fail(call, RpcWriter.INVALID_REQUEST, "the call in which this was asked was taken back", then);
                remove(call);
            }
        }
        then.forEach(Runnable::run);
        return request;
    }

    /** Gives up the calls to which nobody came back in time. */
    private void expire() {
        locked(then -> {
            long now = System.nanoTime();
            List.copyOf(byState.values()).stream()
                    .filter(call -> call.ends - now <= 0)
                    .forEach(call -> giveUp(call, "the client did not come back with an answer in time", then));
            byState.values().stream()
                    .findFirst()
                    .ifPresent(call -> expiry.in(Duration.ofNanos(Math.max(0, call.ends - now))));
        });
    }

    private void giveUp(Call call, String why, List<Runnable> then) {
        fail(call, RpcWriter.UPSTREAM_FAILED, why, then);
        boolean open = call.answer == null && !call.over;
        remove(call);
        if (open) {
            then.add(() -> ways.takeBack(call.inner));
        }
    }

    /** Gives up all parked calls, and parks none any more. */
    void close() {
        locked(then -> {
            closed = true;
            expiry.off();
            List.copyOf(byState.values()).forEach(call -> giveUp(call, "the client is gone", then));
        });
    }

    private void remove(Call call) {
        calls.remove(call.inner.key(), call);
        byState.remove(call.state, call);
        Waiting waiting = call.waiting;
        if (waiting != null) {
            byRequest.remove(waiting.key(), call);
        }
        tokens.remove(call.token);
        free(call.came + call.parked);
        call.came = 0;
        call.parked = 0;
        call.next.forEach(input -> free(input.json().length()));
        call.shown.values().forEach(input -> free(input.json().length()));
        call.next.clear();
        call.shown.clear();
    }

    /** Answers all that a call asks with an error. */
    private void fail(Call call, int code, String why, List<Runnable> then) {
        call.shown.values().forEach(input -> drop(input, code, why, then));
        call.next.forEach(input -> drop(input, code, why, then));
        call.shown.clear();
        call.next.clear();
    }

    private void drop(Input input, int code, String why, List<Runnable> then) {
        free(input.json().length());
        refuse(input, code, why, then);
    }

    private void refuse(Input input, int code, String why, List<Runnable> then) {
        RpcId id = input.id();
        if (id != null) {
            byte[] answer = RpcWriter.failure(id, code, why);
            then.add(() -> ways.toServer(answer));
        }
    }

    private void refuse(Waiting retry, String why, List<Runnable> then) {
        byte[] answer = RpcWriter.failure(retry.own(), RpcWriter.INVALID_PARAMS, why);
        then.add(() -> ways.toClient(retry, answer));
    }

    /** Returns how many bytes are still to be kept where that call is parked. */
    private static long toPark(Call call, Waiting waiting) {
        return call.parked == 0 ? waiting.request().bytes().length : 0;
    }

    private boolean keep(long bytes) {
        if (kept + bytes > MOST_KEPT || !room.take(bytes)) {
            return false;
        }
        kept += bytes;
        return true;
    }

    private void free(long bytes) {
        kept -= bytes;
        room.give(bytes);
    }

    private void locked(Consumer<List<Runnable>> work) {
        List<Runnable> then = new ArrayList<>();
        synchronized (lock) {
            work.accept(then);
        }
        then.forEach(Runnable::run);
    }
}
