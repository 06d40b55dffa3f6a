package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.policy.Call;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Policy;
import dev.sluice.store.ApprovalStore;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.Session;
import dev.sluice.store.Transaction;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Puts calls to a person, and finds what a person said of them.
 *
 * <p>An answer is bound to all that was shown: server, tool, definition, arguments, what the call carries, on whose behalf,
 * under which policy and for which reasons. Whatever differs is another call, and asks anew. A flow leaves what the call
 * says and carries open, up to what the call that was shown carried.
 */
final class Approvals {

    /** How long a question waits for its answer. */
    static final Duration PATIENCE = Duration.ofHours(1);

    /** How long questions are kept that are over, so that a person can look at what was asked. */
    static final Duration KEPT = Duration.ofDays(7);

    /** More questions than this of one principal do not wait at a time: nobody would read them. */
    static final int MOST_WAITING = 100;

    /** What a person has said of a call, or that nobody has. */
    sealed interface Answer {

        /** Returns the id of the question; empty where none could be asked. */
        String id();

        /** Returns the stable word for the record. */
        String state();

        /** Policy needs no person's word, or would not heed it. */
        record Unasked() implements Answer {
            @Override
            public String id() {
                return "";
            }

            @Override
            public String state() {
                return "unasked";
            }
        }

        /** A person said yes to it. */
        record Approved(String id) implements Answer {
            @Override
            public String state() {
                return "approved";
            }
        }

        /** A person said no to exactly this. */
        record Denied(String id) implements Answer {
            @Override
            public String state() {
                return "denied";
            }
        }

        /** A person has been asked and has not answered. */
        record Pending(String id) implements Answer {
            @Override
            public String state() {
                return "pending";
            }
        }

        /** No person can be asked. */
        record Unaskable(String because) implements Answer {
            @Override
            public String id() {
                return "";
            }

            @Override
            public String state() {
                return "unaskable";
            }
        }
    }

    /** Why a question can't be put where nobody hears of it. */
    static final String NOBODY = "the program that runs you asks nobody";

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Requests, beside tool calls, that a client makes again when it is told to. */
    private static final List<String> REPEATABLE = List.of("resources/read", "prompts/get");

    private Approvals() {}

    /**
     * Returns what a person says of a call that policy wants to ask about; asks where nobody has answered. An approval that
     * is good for one call is used up by this.
     *
     * @param carried what the call carries
     * @param asks whether anybody could answer what is asked from now on
     */
    static Answer of(
            Transaction tx,
            Instant now,
            Session session,
            Policy policy,
            Inbound inbound,
            Call call,
            Label carried,
            Decision decision,
            boolean asks) {
        if (!(inbound instanceof Inbound.ToolCall) && !REPEATABLE.contains(inbound.method())) {
            return new Answer.Unaskable("nobody is asked about `" + Records.shown(inbound.method()) + "`");
        }
        Question question = new Question(session, policy, inbound, call, carried, decision);
        if (question.isTooLong()) {
            return new Answer.Unaskable("what it would send is too long for a person to look through");
        }
        ApprovalStore store = tx.approvals();
        Optional<Approval> exact = store.ofCall(question.call(), now);
        if (exact.isPresent()) {
            Approval found = exact.get();
            if (found.status() == Status.DENIED) {
                return new Answer.Denied(found.id());
            }
            if (found.status() == Status.PENDING) {
                return new Answer.Pending(found.id());
            }
            if (found.status() == Status.APPROVED && found.reach() == Reach.CALL && store.use(found.id(), now)) {
                return new Answer.Approved(found.id());
            }
        }
        if (question.canBeWidened()) {
            for (Approval flow : store.ofFlow(question.flow(), now)) {
                if (question.isBelow(parsed(flow.question())) && store.use(flow.id(), now)) {
                    return new Answer.Approved(flow.id());
                }
            }
        }
        return asks ? ask(store, now, session, question) : new Answer.Unaskable(NOBODY);
    }

    private static Answer ask(ApprovalStore store, Instant now, Session session, Question question) {
        store.forget(now.minus(KEPT));
        long waiting = store.open(now).stream()
                .filter(each ->
                        each.status() == Status.PENDING && each.principal().equals(session.principal()))
                .count();
        if (waiting >= MOST_WAITING) {
            return new Answer.Unaskable(waiting + " other questions wait for an answer");
        }
        byte[] id = new byte[5];
        RANDOM.nextBytes(id);
        Approval asked = new Approval(
                HexFormat.of().formatHex(id),
                question.call(),
                question.flow(),
                session.principal(),
                session.id(),
                question.text(),
                now,
                now.plus(PATIENCE),
                Status.PENDING,
                Reach.CALL,
                0);
        store.ask(asked);
        return new Answer.Pending(asked.id());
    }

    private static JsonNode parsed(String question) {
        return JsonMapper.shared().readTree(question);
    }
}
