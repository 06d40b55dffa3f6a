package dev.sluice.guard.client;

import dev.sluice.guard.approval.ApprovalText;
import dev.sluice.store.ApprovalStore.Approval;
import java.time.Instant;
import java.util.List;

/**
 * One call that a person is asked about.
 *
 * @param id names the question; no secret
 * @param conversation the id of the conversation that the call belongs to
 * @param principal on whose behalf it is made
 * @param server the server it would go to
 * @param tool the tool, or the method where it is no call of a tool
 * @param sentence what is asked and why, in one line
 * @param text the whole question, line by line: what models, servers and outsiders wrote stands in it only behind bars, with
 *     everything escaped that a terminal obeys. An approval may only be given by who could read all of it
 * @param call the digest of all that an approval is bound to
 * @param ends when the question is over
 */
public record ApprovalRequest(
        String id,
        String conversation,
        String principal,
        String server,
        String tool,
        String sentence,
        List<String> text,
        String call,
        Instant ends) {

    public ApprovalRequest {
        text = List.copyOf(text);
    }

    static ApprovalRequest of(Approval asked, String conversation, String server, String tool, Instant now) {
        ApprovalText text = new ApprovalText(asked);
        return new ApprovalRequest(
                asked.id(),
                conversation,
                asked.principal(),
                server,
                tool,
                text.sentence(),
                text.toCall(now),
                asked.call(),
                asked.ends());
    }
}
