package dev.sluice.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Questions to a person about calls, and the answers.
 *
 * <p>What is asked is text that the guard wrote and reads again; nothing here knows what it says. An answer is given once:
 * what was answered, used or is over can't be answered again.
 */
public interface ApprovalStore {

    /** What became of a question. */
    enum Status {
        /** Nobody has answered. */
        PENDING,
        /** A person said yes, and it may still be used. */
        APPROVED,
        /** A person said no. */
        DENIED,
        /** A person said yes to one call, which was made. */
        USED
    }

    /** What an approval is good for. */
    enum Reach {
        /** The one call that was asked about, once. */
        CALL,
        /** Every call of the flow that was asked about, until the approval ends. */
        FLOW
    }

    /**
     * One question and its answer.
     *
     * @param id names this question and no other, ever; not a secret
     * @param call the digest of all that the one call is bound to
     * @param flow the digest of all that a flow is bound to, its ceiling aside
     * @param principal on whose behalf the call is made
     * @param session the session that asked first
     * @param question what a person is shown, as canonical JSON
     * @param asked when
     * @param ends when the question, or then the answer, is over
     * @param status what became of it
     * @param reach what an approval is good for; {@link Reach#CALL} until somebody says otherwise
     * @param uses how many calls were made on the strength of it
     */
    record Approval(
            String id,
            String call,
            String flow,
            String principal,
            String session,
            String question,
            Instant asked,
            Instant ends,
            Status status,
            Reach reach,
            long uses) {

        /** The oldest question first; of those asked at the same time, by id. */
        public static final Comparator<Approval> ORDER =
                Comparator.comparing(Approval::asked).thenComparing(Approval::id);
    }

    /**
     * Keeps a new question.
     *
     * @throws StoreException where there is a question of that id
     */
    void ask(Approval approval);

    /** Returns the question {@code id}, also one that is over. */
    Optional<Approval> byId(String id);

    /** Returns the question about exactly that call that was asked last and is not over at {@code now}. */
    Optional<Approval> ofCall(String call, Instant now);

    /** Returns the approvals of that flow that are not over at {@code now}, in order. */
    List<Approval> ofFlow(String flow, Instant now);

    /** Returns all questions that are not over at {@code now}, in order. */
    List<Approval> open(Instant now);

    /**
     * Answers a question.
     *
     * @param answer {@link Status#APPROVED} or {@link Status#DENIED}
     * @param ends when the answer is over
     * @return whether it was given: false where there is no such question, it is over at {@code now} or was answered
     * @throws IllegalArgumentException where {@code answer} is neither
     */
    boolean answer(String id, Status answer, Reach reach, Instant ends, Instant now);

    /**
     * Notes that a call is made on the strength of an approval, which is the end of one that is good for one call.
     *
     * @return whether it may be made: false where there is no such approval, or it is over at {@code now}, used or denied
     */
    boolean use(String id, Instant now);

    /** Ends an approval that a person takes back; returns whether there was one that was not over at {@code now}. */
    boolean revoke(String id, Instant now);

    /**
     * Notes that something is used that can be used once, such as a question that was given away to be answered.
     *
     * @param nonce names it and nothing else
     * @param ends from when on it can't be used anyhow, so that it need not be remembered
     * @return whether it was not used before
     */
    boolean spend(String nonce, Instant ends, Instant now);

    /**
     * Returns the secret of this state, by which what was given away is known again; it is shown to nobody.
     *
     * @param fresh what it is where there was none yet: then this is kept for ever
     */
    String secret(String fresh);

    /** Forgets all questions that were over at {@code before}; returns how many. */
    int forget(Instant before);
}
