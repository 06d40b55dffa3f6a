package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.client.RequestedInputs.Given;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.LabelCodec;
import dev.sluice.store.StoreException;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Questions about calls that are put in the answers to those calls, and come back with the calls that are made again.
 *
 * <p>Nothing waits meanwhile: what was asked about is with the client, in an {@link AskedState}, and the question is in the
 * approval store as any other. What comes back counts once, in all processes that share the state; the call is then judged
 * anew, and only the store says whether it was approved.
 *
 * <p>Source: MCP revision 2026-07-28, multi round-trip requests.
 */
final class RoundTrips {

    /** What a request may hold for the server, in bytes, to be given back to the client with a question. */
    static final int MOST_WRAPPED = 64 << 10;

    /** What the keys begin with under which the client is asked; no server's question may have such a key. */
    static final String KEY = "sluice-ask-";

    private static final String STATE = "requestState";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Guard guard;
    private final AgentSession agent;
    private final Log log;

    /** What a request brings back. */
    sealed interface Back {}

    /** Nothing of ours. */
    record Nothing() implements Back {}

    /**
     * Something that does not count.
     *
     * @param why for whoever wrote the client
     */
    record Unusable(String why) implements Back {}

    /**
     * An answer, or that there is none.
     *
     * @param request the request as it was when it was asked about
     * @param given what it holds for the server
     * @param server which one that is: to any other, nothing in it is known
     * @param loan names what it answers there
     * @param asks whether it may be asked about once more: not where nothing was said
     */
    record Answered(RpcMessage.Request request, List<Given> given, String server, String loan, boolean asks)
            implements Back {}

    RoundTrips(Guard guard, AgentSession agent, Log log) {
        this.guard = guard;
        this.agent = agent;
        this.log = log;
    }

    /**
     * Returns the answer to {@code request} that puts the question which {@code denial} names; empty where none is named, or
     * the client can't be asked so.
     *
     * @param server where it would go
     * @param given what the request holds for that server
     * @param loan names what it answers there
     */
    Optional<byte[]> ask(RpcMessage.Request request, Denial denial, String server, List<Given> given, String loan) {
        Optional<RequestMeta> meta = RequestMeta.of(request);
        if (denial.pending().isEmpty()
                || meta.isEmpty()
                || !RequestedInputs.isRepeatable(request.method())
                || !isApprover(meta.get())
                || !AskForm.isFor(meta.get()
                        .capabilities()
                        .flatMap(all -> all.member("elicitation"))
                        .map(Value::tree)
                        .orElse(JsonNodeFactory.instance.missingNode()))) {
            return Optional.empty();
        }
        try {
            return guard.question(denial.pending())
                    .filter(asked -> asked.status() == Status.PENDING)
                    .flatMap(asked -> ask(request, meta.get(), asked, server, given, loan));
        } catch (StoreException e) {
            log.fault(LogEvent.QUESTION_UNREADABLE, "the question `" + denial.pending() + "` can't be put", e);
            return Optional.empty();
        }
    }

    private boolean isApprover(RequestMeta meta) {
        return guard.policy().gateway().ask().isApprover(agent.principal(), meta.clientName());
    }

    private Optional<byte[]> ask(
            RpcMessage.Request request,
            RequestMeta meta,
            Approval asked,
            String server,
            List<Given> given,
            String loan) {
        Optional<ObjectNode> form = AskForm.of(asked, guard.now());
        if (form.isEmpty()) {
            log.line(LogEvent.QUESTION_TOO_LONG, Asking.tooLong(asked));
            return Optional.empty();
        }
        String state = raw(request, STATE);
        String responses = raw(request, RequestedInputs.RESPONSES);
        Map<String, String> methods = new HashMap<>();
        given.stream()
                .filter(each -> !each.method().equals(RequestedInputs.UNKNOWN)
                        || each.place().equals("/" + STATE))
                .forEach(each -> methods.put(each.place(), each.method()));
        int wrapped = bytes(state) + bytes(responses);
        for (Map.Entry<String, String> each : methods.entrySet()) {
            wrapped += bytes(each.getKey()) + bytes(each.getValue());
        }
        if (wrapped > MOST_WRAPPED) {
            log.line(
                    LogEvent.QUESTION_TOO_LONG,
                    "the question `" + asked.id()
                            + "` is not put to the client: what its call holds for the server is too long to be given back");
            return Optional.empty();
        }
        byte[] nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        JsonNode question = JsonMapper.shared().readTree(asked.question());
        AskedState wrapping = new AskedState(
                asked.id(),
                agent.principal(),
                meta.clientName(),
                RequestedInputs.digest(request.method(), params(request)),
                label(question),
                question.path("digests").path("policy").asString(""),
                asked.ends(),
                HexFormat.of().formatHex(nonce),
                state,
                responses,
                methods,
                server,
                loan);
        ObjectNode result = JsonNodeFactory.instance.objectNode().put("resultType", "input_required");
        result.putObject("inputRequests")
                .putObject(KEY + asked.id())
                .put("method", AskForm.METHOD)
                .set("params", form.get());
        result.put(STATE, wrapping.sealed(guard.secret()));
        log.line(LogEvent.CALL_WAITING, "asked the client (approval " + asked.id() + ")");
        return Optional.of(RpcWriter.result(request.id(), result));
    }

    /** What is asked about is what was shown, and so is what it carried. */
    private static String label(JsonNode question) {
        return Digest.sha256(JcsCanonicalizer.canonicalize(LabelCodec.encode(LabelCodec.label(question.path("label")))))
                .text();
    }

    private static int bytes(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static @Nullable String raw(RpcMessage.Request request, String name) {
        return member(request, name).map(Value::raw).orElse(null);
    }

    private static Optional<Value> member(RpcMessage.Request request, String name) {
        return request.params().filter(params -> params.kind() == Kind.OBJECT).flatMap(params -> params.member(name));
    }

    private static JsonNode params(RpcMessage.Request request) {
        return request.params().map(Value::tree).orElse(JsonNodeFactory.instance.missingNode());
    }

    /**
     * Takes what {@code request} brings back. An answer in it is kept, and counts for the store as any other.
     *
     * @throws StoreException where that can't be read or written: the request must not go on
     */
    Back back(RpcMessage.Request request) {
        Optional<Value> state = member(request, STATE).filter(value -> value.kind() == Kind.STRING);
        Optional<Value> responses = member(request, RequestedInputs.RESPONSES);
        boolean answers = responses.filter(RoundTrips::holdsOurs).isPresent();
        if (state.isEmpty() || !state.get().string().startsWith(AskedState.PREFIX)) {
            return answers
                    ? new Unusable("an answer to sluice came without the `requestState` of its question: give that back"
                            + " as it was, or make the call anew without both")
                    : new Nothing();
        }
        Optional<AskedState> opened = AskedState.opened(state.get().string(), guard.secret());
        if (opened.isEmpty()) {
            return new Unusable(
                    "`requestState` is none that sluice gave, or was altered: give it back as it was, or make the call"
                            + " anew without it");
        }
        AskedState asked = opened.get();
        Optional<String> fault = fault(asked, request);
        if (fault.isPresent()) {
            return new Unusable(fault.get());
        }
        Optional<Approval> question = guard.question(asked.approval());
        if (question.isEmpty()
                || !label(JsonMapper.shared().readTree(question.get().question()))
                        .equals(asked.label())) {
            return new Unusable("the question of `requestState` is not known any more: make the call anew without it");
        }
        Optional<Boolean> said = responses
                .filter(value -> value.kind() == Kind.OBJECT)
                .flatMap(value -> value.member(KEY + asked.approval()))
                .flatMap(value -> AskForm.said(value.tree()));
        if (!guard.answerOnce(
                asked.nonce(), asked.ends(), question.get(), said.isPresent() ? said.get() : null, "client")) {
            return new Unusable("`requestState` was given back before, and counts once: make the call anew without it");
        }
        said.ifPresent(yes -> log.line(LogEvent.QUESTION_ANSWERED, Asking.answered(question.get(), yes)));
        RpcMessage.Request before = restored(request, asked);
        return new Answered(
                before, given(params(before), asked.methods()), asked.server(), asked.loan(), said.isPresent());
    }

    private Optional<String> fault(AskedState asked, RpcMessage.Request request) {
        if (!asked.principal().equals(agent.principal())
                || !RequestMeta.of(request)
                        .filter(meta -> meta.clientName().equals(asked.client()))
                        .isPresent()) {
            return Optional.of("`requestState` was given to another client: make the call anew without it");
        }
        if (!asked.request().equals(RequestedInputs.digest(request.method(), params(request)))) {
            return Optional.of("`requestState` is of another request: give it back with the method, the name and the"
                    + " arguments that it was given for");
        }
        if (!asked.ends().isAfter(guard.now())) {
            return Optional.of("the question of `requestState` is over: make the call anew without it");
        }
        if (!asked.policy().equals(guard.policy().digest())) {
            return Optional.of(
                    "the policy changed since the question of `requestState` was asked: make the call anew without it");
        }
        return Optional.empty();
    }

    private static boolean holdsOurs(Value responses) {
        return responses.kind() == Kind.OBJECT
                && responses.members().stream().anyMatch(each -> each.name().startsWith(KEY));
    }

    /** Returns the request as it was when it was asked about, but for its id and what else a client says each time. */
    private static RpcMessage.Request restored(RpcMessage.Request request, AskedState asked) {
        MessageEdits edits = new MessageEdits(request);
        Value params = request.params().orElseThrow();
        put(edits, params, STATE, asked.state());
        Optional<Value> own = params.member(RequestedInputs.RESPONSES);
        if (asked.responses() != null || own.isEmpty() || own.get().kind() != Kind.OBJECT) {
            put(edits, params, RequestedInputs.RESPONSES, asked.responses());
        } else if (own.get().members().stream().allMatch(each -> each.name().startsWith(KEY))) {
            edits.edits().removeMember(params, RequestedInputs.RESPONSES);
        } else {
            own.get().members().stream()
                    .map(JsonIndex.Member::name)
                    .filter(name -> name.startsWith(KEY))
                    .forEach(name -> edits.edits().removeMember(own.get(), name));
        }
        RpcMessage.Request before = (RpcMessage.Request) RpcMessage.parse(edits.apply());
        // The id by which it is known here may be another than the client wrote.
        return new RpcMessage.Request(before.index(), request.id(), before.method(), before.params());
    }

    private static void put(MessageEdits edits, Value params, String name, @Nullable String json) {
        if (json == null) {
            edits.edits().removeMember(params, name);
        } else {
            edits.edits().setMember(params, name, json.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** What was known of the answers to the server is known as it was: what they answer was asked for once. */
    private static List<Given> given(JsonNode params, Map<String, String> methods) {
        return RequestedInputs.places(params).stream()
                .filter(each -> !each.place().equals("/" + STATE) || methods.containsKey(each.place()))
                .map(each -> new Given(
                        each.place(), methods.getOrDefault(each.place(), RequestedInputs.UNKNOWN), each.answer()))
                .toList();
    }
}
