package dev.sluice.guard;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Occurrence;
import dev.sluice.policy.Returns;
import dev.sluice.wire.Claim;
import dev.sluice.wire.RequestAnnotations;
import dev.sluice.wire.SensitiveHint;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * That a message was admitted, and what its answer must be labelled with.
 *
 * @param call its number in the session's records
 * @param upstream the server it went to
 * @param method its method
 * @param name what a person calls it by
 * @param session what the session had seen
 * @param principal on whose behalf
 * @param arguments what the call was made with; an object
 * @param chosen whether the user named every argument of the call, and there is one
 * @param carried the label that the message carried
 * @param derives whether the answer may hold what the message carried
 * @param own the narrowest source of the answer
 * @param returns what the operator says of the answer
 * @param decision what policy said of it
 * @param expanded how handles in the message become their values, by pointers into its arguments; the server gets no other
 * @param occurrence what it is to sequences of calls
 * @param isConsequential whether it changes anything or shows data to somebody
 */
public record Ticket(
        String call,
        Upstream upstream,
        String method,
        String name,
        Label session,
        String principal,
        JsonNode arguments,
        boolean chosen,
        Label carried,
        boolean derives,
        Source own,
        Returns returns,
        Decision decision,
        List<Edit> expanded,
        Occurrence occurrence,
        boolean isConsequential) {

    /** Returns whether what comes is the answer of a tool; a message of the server is none, whatever it calls itself. */
    boolean isOfTool() {
        return !call.isEmpty() && method.equals("tools/call");
    }

    /** Returns what the server is to be told of the session with a tool call; empty where the operator did not say so. */
    public Optional<RequestAnnotations> told() {
        if (!upstream.policy().informed() || !method.equals("tools/call")) {
            return Optional.empty();
        }
        return Optional.of(new RequestAnnotations(
                        session.integrity() == Integrity.UNTRUSTED ? Claim.TRUE : Claim.ABSENT,
                        session.confidentiality().isPublic() ? Claim.ABSENT : Claim.TRUE,
                        SensitiveHint.ABSENT,
                        List.of()))
                .filter(told -> !told.equals(RequestAnnotations.NONE));
    }
}
