package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.GatewaySettings.Ask;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.StoreException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Calls of one client that a person is asked about, while they wait for the answer.
 *
 * <p>Any answer in the approval store ends the wait, whoever gave it. Where the operator lists the client as an approver,
 * the person at it is asked too, by elicitation; that answer counts also after the wait is over, until the question is. A
 * client that is not listed is never asked: it may be the agent itself that answers.
 *
 * <p>Source: MCP revision 2025-11-25, Client Features, Elicitation.
 */
final class Asking {

    /** More calls than this of one client do not wait; they are refused as pending at once. */
    static final int MOST_WAITING = 16;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final int LOOKS_BETWEEN_SIGNS = 12;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A question that was sent to the client: what it is about, and the call that waits for it. */
    private record Form(RpcId id, Approval approval, String request) {}

    private final Guard guard;
    private final AgentSession agent;
    private final ClientSide client;
    private final Log log;
    private final Map<String, Form> forms = new ConcurrentHashMap<>();
    private final Semaphore places = new Semaphore(MOST_WAITING);
    private volatile JsonNode handshake;
    private volatile boolean closed;

    /**
     * @param handshake what the client said in {@code initialize}; a missing node where it has not yet
     */
    Asking(Guard guard, AgentSession agent, ClientSide client, Log log, JsonNode handshake) {
        this.guard = guard;
        this.agent = agent;
        this.client = client;
        this.log = log;
        this.handshake = handshake;
    }

    /** Takes note of what the client says of itself. */
    void handshake(JsonNode parameters) {
        handshake = parameters;
    }

    /** Returns when a call that is asked about now is refused as pending, in nanoseconds of the system's timer. */
    long end() {
        return System.nanoTime() + ask().time().toNanos();
    }

    private Ask ask() {
        return guard.policy().gateway().ask();
    }

    /**
     * Waits for the answer to the question that {@code denial} names, where one is asked and there is time.
     *
     * @param end when the wait is over, in nanoseconds of the system's timer
     * @param wanted whether the client still waits for the call
     * @param again what to do once there is an answer
     * @param over what to do where none came in time
     * @return whether it waits: then one of the two runs later, on another thread, unless the call is not wanted any more
     */
    boolean await(
            RpcMessage.Request request,
            Denial denial,
            long end,
            BooleanSupplier wanted,
            Runnable again,
            Runnable over) {
        if (denial.pending().isEmpty() || end - System.nanoTime() <= 0 || closed || !places.tryAcquire()) {
            return false;
        }
        Thread.ofVirtual().name("asking").start(() -> {
            Runnable then;
            try {
                log.line(LogEvent.CALL_WAITING, "waiting (" + denial.code() + ")", ": " + denial.toHuman());
                then = answered(request, denial.pending(), end, wanted) ? again : over;
            } finally {
                places.release();
            }
            try {
                if (wanted.getAsBoolean()) {
                    then.run();
                } else {
                    withdraw(request);
                }
            } catch (UncheckedIOException e) {
                // The client left meanwhile, and with it whoever would read an answer.
            }
        });
        return true;
    }

    /** Returns whether somebody answered in time. */
    private boolean answered(RpcMessage.Request request, String id, long end, BooleanSupplier wanted) {
        try {
            Optional<Approval> asked = guard.question(id);
            if (asked.isEmpty()) {
                return false;
            }
            if (wanted.getAsBoolean()) {
                show(request, asked.get());
            }
            String token = ProxySession.progressToken(request);
            for (int looks = 0; !closed && wanted.getAsBoolean() && end - System.nanoTime() > 0; looks++) {
                if (guard.question(id).map(Approval::status).orElse(Status.USED) != Status.PENDING) {
                    return true;
                }
                if (!token.isEmpty() && looks % LOOKS_BETWEEN_SIGNS == 0) {
                    client.send(sign(token, looks), request.id().key());
                }
                Thread.sleep(BETWEEN_LOOKS);
            }
        } catch (StoreException e) {
            log.fault(LogEvent.QUESTION_UNREADABLE, "the answer to the question `" + id + "` can't be read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) { // whatever it is, the client must get its answer
            log.fault(LogEvent.QUESTION_UNREADABLE, "asking about the question `" + id + "` failed", e);
        }
        return false;
    }

    /** So little that whatever the server says afterwards of its own progress is more. */
    private static byte[] sign(String token, int looks) {
        return ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":" + token
                        + ",\"progress\":" + (looks + 1)
                        + "e-9,\"message\":\"waiting for a person to approve the call\"}}")
                .getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** Asks the person at the client, where the operator says that there is one and the client can. */
    private void show(RpcMessage.Request request, Approval asked) {
        // A modern client is asked in the answer to its call, by RoundTrips, or not at all.
        if (RequestMeta.of(request).isPresent()
                || !ask().isApprover(
                                agent.principal(),
                                handshake.path("clientInfo").path("name").asString(""))
                || !AskForm.isFor(handshake.path("capabilities").path("elicitation"))) {
            return;
        }
        Instant now = guard.now();
        Optional<ObjectNode> params = AskForm.of(asked, now);
        if (params.isEmpty()) {
            log.line(LogEvent.QUESTION_TOO_LONG, tooLong(asked));
            return;
        }
        forms.values()
                .removeIf(form -> form.approval().ends().isBefore(now)
                        || form.approval().id().equals(asked.id())); // asked once more, with the call that waits now
        // Nobody but the client may know the id, or a server could ask under the same one.
        byte[] random = new byte[12];
        RANDOM.nextBytes(random);
        RpcId id = RpcId.ofText("sluice-ask-" + HexFormat.of().formatHex(random));
        forms.put(id.key(), new Form(id, asked, request.id().key()));
        if (!client.send(
                RpcWriter.request(id, AskForm.METHOD, params.get()),
                request.id().key())) {
            forms.remove(id.key());
        }
    }

    /**
     * Takes the client's answer to a question of Sluice's own.
     *
     * @param result the answer; null for an error
     * @return whether it was one
     */
    boolean take(RpcId id, @Nullable JsonNode result) {
        Form form = forms.remove(id.key());
        if (form == null) {
            return false;
        }
        AskForm.said(result).ifPresent(yes -> keep(form.approval(), yes));
        return true;
    }

    /** An answer that can't be kept was not given: the question waits on. */
    private void keep(Approval asked, boolean yes) {
        try {
            guard.answer(asked, yes, "client");
            log.line(LogEvent.QUESTION_ANSWERED, answered(asked, yes));
        } catch (StoreException e) {
            log.line("the answer to the question `" + asked.id() + "` can't be kept: " + e.getMessage());
        }
    }

    static String answered(Approval asked, boolean yes) {
        return "the question `" + asked.id() + "` was answered through the client: " + (yes ? "approved" : "denied");
    }

    static String tooLong(Approval asked) {
        return "the question `" + asked.id() + "` is too long for a form; `sluice approvals show " + asked.id()
                + "` has it";
    }

    /** Takes the questions of a call back that the client does not want any more. */
    private void withdraw(RpcMessage.Request request) {
        forms.forEach((key, form) -> {
            if (form.request().equals(request.id().key()) && forms.remove(key, form)) {
                client.send(
                        ("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                                        + form.id().json() + "}}")
                                .getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        "");
            }
        });
    }

    void close() {
        closed = true;
        forms.clear();
    }
}
