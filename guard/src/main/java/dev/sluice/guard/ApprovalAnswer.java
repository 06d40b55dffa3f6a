package dev.sluice.guard;

import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * What a person says to a question about a call: kept, and recorded in the audit log.
 *
 * @param status {@link Status#APPROVED} or {@link Status#DENIED}
 * @param reach what an approval is good for
 * @param ends when it is over
 * @param by who said it: {@code approver} for whoever has the approver's secret, {@code client} for whoever sits at a client
 *     that the operator lists as an approver
 */
public record ApprovalAnswer(Status status, Reach reach, Instant ends, String by) {

    /** How long an approval of one call holds where nobody says otherwise. */
    public static final Duration USUAL_TIME = Duration.ofHours(1);

    public ApprovalAnswer {
        if (status != Status.APPROVED && status != Status.DENIED) {
            throw new IllegalArgumentException("an answer is yes or no");
        }
    }

    /** Returns a yes or a no to exactly the call that {@code asked} is about. */
    public static ApprovalAnswer toCall(Approval asked, boolean yes, Instant now, String by) {
        return yes
                ? new ApprovalAnswer(Status.APPROVED, Reach.CALL, now.plus(USUAL_TIME), by)
                : new ApprovalAnswer(Status.DENIED, Reach.CALL, asked.ends(), by);
    }

    /** Keeps the answer; returns false, and keeps nothing, where the question waits for none any more. */
    public boolean give(Transaction tx, Approval asked, Instant now) {
        boolean given = tx.approvals().answer(asked.id(), status, reach, ends, now);
        if (given) {
            record(tx, asked, status == Status.DENIED ? "denied" : reach == Reach.FLOW ? "flow" : "approved", by, now);
        }
        return given;
    }

    /** Takes an approval back, which anybody may; returns whether there was one that still held. */
    public static boolean revoke(Transaction tx, Approval approval, Instant now) {
        boolean revoked = tx.approvals().revoke(approval.id(), now);
        if (revoked) {
            record(tx, approval, "revoked", "anybody", now);
        }
        return revoked;
    }

    private static void record(Transaction tx, Approval asked, String what, String by, Instant now) {
        var question = JsonMapper.shared().readTree(asked.question());
        tx.audit()
                .append(JsonNodeFactory.instance
                        .objectNode()
                        .put("at", now.toString())
                        .put("kind", "approval")
                        .put("event", what)
                        .put("id", asked.id())
                        .put("session", asked.session())
                        .put("principal", asked.principal())
                        .put("server", question.path("server").asString(""))
                        .put("name", question.path("name").asString(""))
                        .put("digest", asked.call())
                        .put("by", by));
    }
}
