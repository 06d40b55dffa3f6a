// This file has more than 400 lines because the rounds of one call, and what can end them, guard each other's state.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.Alarm;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Member;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What modern servers ask for in their answers to calls of a legacy client, which knows no such answers: the client is asked
 * by requests of its own, and the call is made again with what it answered.
 *
 * <p>To the client all of that is one call, which it can take back at any time. What is given goes to the server as any
 * call does, through policy.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests.
 */
final class InputRounds implements AutoCloseable {

    /** A server that asks more often for one call is going round in circles. */
    static final int MOST_ROUNDS = 20;

    private static final int MOST_INPUTS = 50;
    private static final int LONGEST_STATE = 256 << 10;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final String RESPONSES = "inputResponses";
    private static final String STATE = "requestState";
    private static final String ELICITATION = "elicitation/create";

    private static final Set<String> ASKING = Set.of(Methods.TOOLS_CALL, "resources/read", "prompts/get");

    /** What may be asked, and which capability a client declares that can be asked it. */
    private static final Map<String, String> CAPABILITIES =
            Map.of(ELICITATION, "elicitation", "sampling/createMessage", "sampling", "roots/list", "roots");

    /** Makes a request again. */
    @FunctionalInterface
    interface Again {
        /** Puts {@code next} in the place of {@code before}, and judges and sends it; returns whether that still waited. */
        boolean make(RpcMessage.Request before, RpcMessage.Request next);
    }

    /** Something that a server asks. */
    private record Input(String key, String method, Optional<Value> params) {}

    /** A call of the client, over all its rounds. */
    private static final class Call {
        private final Connection from;
        private RpcMessage.Request request;
        private int rounds;
        private @Nullable String state;

        /** What the client was asked and has not answered: the server's key, by the id's. */
        private final Map<String, String> open = new HashMap<>();

        /** Of those, what the client is known to have got: the ids' keys. */
        private final Set<String> told = new HashSet<>();

        private final Map<String, String> given = new LinkedHashMap<>();
        private @Nullable Alarm pause;

        /** Whether the client answered something with an error: it is not made again. */
        private boolean failed;

        Call(Connection from, RpcMessage.Request request) {
            this.from = from;
            this.request = request;
        }
    }

    private final ClientSide client;
    private final UpstreamMessages messages;
    private final Again again;
    private final Predicate<RpcMessage.Request> waits;
    private final Log log;
    private final Map<String, Call> calls = new HashMap<>();
    private final Map<String, Call> asked = new HashMap<>();
    private volatile JsonNode capabilities;

    /**
     * Makes one for a session.
     *
     * @param waits whether the client still waits for the answer to exactly that request
     */
    InputRounds(
            ClientSide client,
            UpstreamMessages messages,
            Again again,
            Predicate<RpcMessage.Request> waits,
            Log log,
            JsonNode handshake) {
        this.client = client;
        this.messages = messages;
        this.again = again;
        this.waits = waits;
        this.log = log;
        this.capabilities = handshake.path("capabilities");
    }

    /** Takes note of what the client says that it can do. */
    void handshake(JsonNode params) {
        capabilities = params.path("capabilities");
    }

    /** Returns whether a server may answer {@code request} with something that it asks, which its client does not know. */
    static boolean canAsk(RpcMessage.Request request) {
        return ASKING.contains(request.method())
                && request.params()
                        .filter(params -> params.kind() == Kind.OBJECT)
                        .isPresent()
                && RequestMeta.of(request).isEmpty();
    }

    /** Returns whether {@code request} is one that is made again. */
    synchronized boolean isAgain(RpcMessage.Request request) {
        Call call = calls.get(request.id().key());
        return call != null && call.request.equals(request) && call.rounds > 0;
    }

    /** Returns whether that line's server waits: for the client, or to be asked again. */
    synchronized boolean isAsking(Connection from) {
        return calls.values().stream()
                .anyMatch(call -> call.from == from && (!call.open.isEmpty() || call.pause != null));
    }

    /** Takes an answer that asks for something, which the session has seen and no policy keeps back. */
    void begun(Connection from, Pending.Guarded guarded, RpcMessage.Result message) {
        RpcMessage.Request request = guarded.request();
        Optional<Value> state = message.result().member(STATE).filter(value -> value.kind() == Kind.STRING);
        List<Member> members = message.result()
                .member("inputRequests")
                .filter(value -> value.kind() == Kind.OBJECT)
                .map(Value::members)
                .orElse(List.of());
        if (members.size() > MOST_INPUTS
                || state.filter(text -> text.raw().length() > LONGEST_STATE).isPresent()) {
            refuse(request, "the server asks for more than can be kept");
            return;
        }
        if (members.isEmpty() && state.isEmpty()) {
            refuse(request, "the server asks for something and does not say what");
            return;
        }
        List<Input> inputs = new ArrayList<>();
        for (Member member : members) {
            Optional<Input> input = input(member);
            if (input.isEmpty()) {
                refuse(request, "the server asks for something that no client of this revision can be asked");
                return;
            }
            if (!can(input.get())) {
                refuseFor(request, input.get());
                return;
            }
            if (messages.keepsBack(from, input.get().method(), input.get().params())) {
                refuse(request, "the policy keeps back what the server asks for");
                return;
            }
            inputs.add(input.get());
        }
        next(from, request, state.map(Value::raw).orElse(null), inputs);
    }

    private void next(Connection from, RpcMessage.Request request, @Nullable String state, List<Input> inputs) {
        String key = request.id().key();
        Map<RpcId, Input> sent = new LinkedHashMap<>();
        boolean isOver;
        Call call;
        synchronized (this) {
            call = calls.computeIfAbsent(key, first -> new Call(from, request));
            call.rounds++;
            isOver = call.rounds > MOST_ROUNDS;
            if (!isOver) {
                call.request = request;
                call.state = state;
                call.given.clear();
                for (Input input : inputs) {
                    RpcId id = freshId();
                    call.open.put(id.key(), input.key());
                    asked.put(id.key(), call);
                    sent.put(id, input);
                }
                if (inputs.isEmpty()) {
                    Call paused = call;
                    Alarm pause = new Alarm(() -> complete(paused));
                    call.pause = pause;
                    pause.in(pause(call.rounds));
                }
            }
        }
        if (!waits.test(request)) {
            var _ = forget(key, call); // taken back while its answer was judged, so that nobody knows of this
            return;
        }
        if (isOver) {
            refuse(request, "the server asked for something " + MOST_ROUNDS + " times and gave no answer");
            return;
        }
        for (Map.Entry<RpcId, Input> each : sent.entrySet()) {
            if (isOver(key, call)) {
                return;
            }
            if (!client.send(message(each.getValue(), each.getKey()), key)) {
                refuse(request, "the client does not take what the server asks for");
                return;
            }
            if (!told(key, call, each.getKey())) {
                withdraw(each.getKey());
                return;
            }
        }
    }

    /** Nobody but the client may know the id, or a server could ask under the same one, and its answer would be another's. */
    private static RpcId freshId() {
        byte[] random = new byte[12];
        RANDOM.nextBytes(random);
        return RpcId.ofText("sluice-input-" + HexFormat.of().formatHex(random));
    }

    private synchronized boolean isOver(String key, Call call) {
        return calls.get(key) != call;
    }

    /** Returns false where the call was over before its client got that, so that nobody else takes the question back. */
    private synchronized boolean told(String key, Call call, RpcId id) {
        if (isOver(key, call)) {
            return !call.open.containsKey(id.key()); // it was answered first
        }
        call.told.add(id.key());
        return true;
    }

    private static Duration pause(int rounds) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(rounds - 1, 10));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private static Optional<Input> input(Member member) {
        Value value = member.value();
        if (value.kind() != Kind.OBJECT) {
            return Optional.empty();
        }
        Optional<Value> params = value.member("params");
        return value.member("method")
                .filter(method -> method.kind() == Kind.STRING && CAPABILITIES.containsKey(method.string()))
                .filter(method -> params.isEmpty() || params.get().kind() == Kind.OBJECT)
                .map(method -> new Input(member.name(), method.string(), params));
    }

    private static boolean isOfUrl(Input input) {
        return input.method().equals(ELICITATION)
                && input.params()
                        .flatMap(params -> params.member("mode"))
                        .filter(mode ->
                                mode.kind() == Kind.STRING && mode.string().equals("url"))
                        .isPresent();
    }

    private boolean can(Input input) {
        JsonNode declared = capabilities.path(String.valueOf(CAPABILITIES.get(input.method())));
        if (!input.method().equals(ELICITATION)) {
            return declared.isObject();
        }
        // A client that names no kind of elicitation has forms.
        return declared.isObject()
                && (isOfUrl(input) ? declared.has("url") : declared.has("form") || !declared.has("url"));
    }

    private static byte[] message(Input input, RpcId id) {
        String params = input.params().map(Value::raw).orElse("{}");
        RpcMessage request = RpcMessage.parse(RpcWriter.request(id, input.method(), params));
        MessageEdits edits = new MessageEdits(request);
        Value root = request.index().root();
        root.member("params").ifPresent(value -> {
            edits.strip(value);
            if (isOfUrl(input) && value.member("elicitationId").isEmpty()) {
                edits.edits().setMember(value, "elicitationId", id.bytes()); // a legacy client must be given one
            }
        });
        return edits.apply();
    }

    /** Takes an answer of the client if it is to something that was asked here. */
    boolean take(RpcMessage message, RpcId id, Value content) {
        Call call;
        boolean whole;
        boolean failsFirst;
        synchronized (this) {
            call = asked.remove(id.key());
            if (call == null) {
                return false;
            }
            String key = call.open.remove(id.key());
            if (message instanceof RpcMessage.Result && key != null) {
                call.given.put(key, stripped(message, content));
            }
            failsFirst = !(message instanceof RpcMessage.Result) && !call.failed;
            call.failed |= failsFirst;
            whole = call.open.isEmpty() && !call.failed;
        }
        if (failsFirst) {
            refuse(call.request, "the client answered what the server asks for with an error");
        } else if (whole) {
            complete(call);
        }
        return true;
    }

    private static String stripped(RpcMessage message, Value content) {
        RpcMessage stripped =
                RpcMessage.parse(new MessageEdits(message).strip(content).apply());
        return stripped instanceof RpcMessage.Result result ? result.result().raw() : content.raw();
    }

    private void complete(Call call) {
        RpcMessage.Request before;
        RpcMessage.Request next;
        synchronized (this) {
            before = call.request;
            if (calls.get(before.id().key()) != call) {
                return; // taken back meanwhile
            }
            call.pause = null;
            next = again(call);
            call.request = next;
        }
        if (!again.make(before, next)) {
            var _ = forget(before.id().key(), call);
        }
    }

    /** Returns the call with what was asked for: all else is as the client wrote it. */
    private static RpcMessage.Request again(Call call) {
        MessageEdits edits = new MessageEdits(call.request);
        Value params = call.request.params().orElseThrow();
        if (call.given.isEmpty()) {
            edits.edits().removeMember(params, RESPONSES);
        } else {
            StringBuilder responses = new StringBuilder("{");
            call.given.forEach((key, answer) -> responses
                    .append(responses.length() == 1 ? "" : ",")
                    .append(JsonNodeFactory.instance.stringNode(key))
                    .append(':')
                    .append(answer));
            edits.edits()
                    .setMember(params, RESPONSES, bytes(responses.append('}').toString()));
        }
        String state = call.state;
        if (state == null) {
            edits.edits().removeMember(params, STATE);
        } else {
            edits.edits().setMember(params, STATE, bytes(state));
        }
        return (RpcMessage.Request) RpcMessage.parse(edits.apply());
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    private void refuseFor(RpcMessage.Request request, Input input) {
        String capability = String.valueOf(CAPABILITIES.get(input.method()));
        String why = "the server asks for `" + input.method()
                + "`, which this client can't do: it does not say that it has `" + capability + "`";
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ObjectNode required = data.putObject("requiredCapabilities").putObject(capability);
        if (isOfUrl(input)) {
            required.putObject("url");
        }
        refuse(request, why, RpcWriter.failure(request.id(), RpcWriter.CAPABILITY_MISSING, why, data));
    }

    private void refuse(RpcMessage.Request request, String why) {
        refuse(request, why, RpcWriter.failure(request.id(), RpcWriter.UPSTREAM_FAILED, why));
    }

    private void refuse(RpcMessage.Request request, String why, byte[] failure) {
        log.line(LogEvent.UPSTREAM_HELD_BACK, "what a server asks for in an answer is not passed on: " + why);
        messages.toClient(
                request.id(),
                request.method().equals(Methods.TOOLS_CALL)
                        ? RpcWriter.result(
                                request.id(), RpcWriter.toolError(why, JsonNodeFactory.instance.objectNode()))
                        : failure);
    }

    /** Takes note that the client's request of that key is answered or taken back: nothing is asked for it any more. */
    void over(String key) {
        Call call;
        synchronized (this) {
            call = calls.get(key);
        }
        if (call != null) {
            forget(key, call).forEach(id -> withdraw(RpcId.ofText(id.substring(1))));
        }
    }

    /** Returns the keys of what the client was asked for it, has got and has not answered. */
    private synchronized List<String> forget(String key, Call call) {
        if (!calls.remove(key, call)) {
            return List.of();
        }
        if (call.pause != null) {
            call.pause.off();
        }
        call.open.keySet().forEach(asked::remove);
        return call.open.keySet().stream().filter(call.told::contains).toList();
    }

    private void withdraw(RpcId id) {
        client.send(
                bytes("{\"jsonrpc\":\"2.0\",\"method\":\"" + Methods.CANCELLED + "\",\"params\":{\"requestId\":"
                        + id.json() + "}}"),
                "");
    }

    @Override
    public void close() {
        List<Call> all;
        synchronized (this) {
            all = List.copyOf(calls.values());
            calls.clear();
            asked.clear();
        }
        for (Call call : all) {
            Alarm pause = call.pause;
            if (pause != null) {
                pause.off();
            }
        }
    }
}
