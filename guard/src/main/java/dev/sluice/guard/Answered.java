package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Grant;
import dev.sluice.policy.Obligations;
import dev.sluice.policy.Occurrence;
import dev.sluice.policy.Returns;
import dev.sluice.schemes.Labelling;
import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.wire.Decoded;
import dev.sluice.wire.Finding;
import dev.sluice.wire.ResultAnnotations;
import dev.sluice.wire.TrustAnnotations;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * A message of a server, labelled.
 *
 * @param call the number of the call it answers; empty where it answers none
 * @param upstream the server
 * @param method the method of the call, or of the message
 * @param name what a person calls it by
 * @param kind what it is, for the record: {@code answer}, {@code failure}, {@code lost} or {@code message}
 * @param before the label as the server said it, with what the call carried, before anything was taken out
 * @param labelling the label without what the call carried
 * @param label the label with what the call carried
 * @param parts every text in it, with its label
 * @param cut whether it has more texts than those
 * @param findings what in the server's annotations and evidence was malformed or false
 * @param evidence what became of the evidence
 * @param decision what policy said of the call
 * @param edits how parts are taken out that the agent must not see; all else here is of what is left
 * @param redacted how many parts each rule took out, by its id
 * @param hidden what the agent gets handles of
 * @param grants what somebody answers for, and so changed a label
 * @param occurrence what the call is to sequences
 * @param well whether it is the answer of a call that did what it was asked
 */
record Answered(
        String call,
        Upstream upstream,
        String method,
        String name,
        String kind,
        Label before,
        Labelling labelling,
        Label label,
        List<Part> parts,
        boolean cut,
        List<Finding> findings,
        List<Evidence> evidence,
        Decision decision,
        List<Edit> edits,
        Map<String, Integer> redacted,
        Hidden hidden,
        List<Grant> grants,
        Occurrence occurrence,
        boolean well) {

    /**
     * Labels an answer, and takes out of it what the agent must not see.
     *
     * @param room where hidden values can be kept
     * @param now which grants hold
     */
    static Answered of(Outbound outbound, Obligations obligations, Hidden room, Instant now) {
        if (outbound instanceof Outbound.Answer answer) {
            return of("answer", answer.ticket(), answer.result(), MissingNode.getInstance(), obligations, room, now);
        }
        if (outbound instanceof Outbound.Failure failure) {
            // An error is no answer as the operator described them, so it has no items and makes no claims.
            return of("failure", failure.ticket(), MissingNode.getInstance(), failure.error(), obligations, room, now);
        }
        if (outbound instanceof Outbound.Lost lost) {
            return of(
                    "lost",
                    lost.ticket(),
                    MissingNode.getInstance(),
                    MissingNode.getInstance(),
                    obligations,
                    room,
                    now);
        }
        if (outbound instanceof Outbound.OfTask task) {
            return of(task.said(), obligations, room, now).joined(ofTask(task, now));
        }
        Outbound.Message message = (Outbound.Message) outbound;
        Ticket none = new Ticket(
                "",
                message.upstream(),
                message.method(),
                message.method(),
                Label.BOTTOM,
                "",
                MissingNode.getInstance(),
                false,
                Label.BOTTOM,
                false,
                new Source.OfServer(message.upstream().name()),
                Returns.NOTHING,
                new Decision.Allow(List.of()),
                List.of(),
                Occurrence.message(message.upstream().name(), message.method()),
                false);
        return of("message", none, message.content(), MissingNode.getInstance(), obligations, room, now);
    }

    /**
     * The label of what the tool gave, as the operator states it. Its claims count where the message itself is labelled,
     * and only raise.
     */
    private static Label ofTask(Outbound.OfTask task, Instant now) {
        if (task.calls().isEmpty()) {
            return task.upstream().ofAnyTool();
        }
        Label label = Label.BOTTOM;
        for (Ticket call : task.calls()) {
            label = label.join(Labelled.of(
                            call,
                            task.answer(),
                            MissingNode.getInstance(),
                            List.of(),
                            Fates.of(call, task.answer(), Obligations.NONE, Hidden.full()),
                            new Granting(call, false, now))
                    .label());
        }
        return label;
    }

    /** Returns the same, with {@code more} in every label. */
    private Answered joined(Label more) {
        return new Answered(
                call,
                upstream,
                method,
                name,
                kind,
                before.join(more),
                new Labelling(
                        labelling.label().join(more),
                        labelling.untrustedSaid(),
                        labelling.sensitiveSaid(),
                        labelling.ignored()),
                label.join(more),
                parts.stream().map(part -> part.joined(more)).toList(),
                cut,
                findings,
                evidence,
                decision,
                edits,
                redacted,
                hidden,
                grants,
                occurrence,
                well);
    }

    private static Answered of(
            String kind,
            Ticket ticket,
            JsonNode content,
            JsonNode error,
            Obligations obligations,
            Hidden room,
            Instant now) {
        Upstream upstream = ticket.upstream();
        Decoded<ResultAnnotations> annotations = TrustAnnotations.decodeResult(content);
        Testimony testimony = Testimony.of(annotations.value(), content, upstream);
        Fates fates = Fates.of(ticket, content, obligations, room);
        boolean well = kind.equals("answer") && isWell(content);
        Granting granting = new Granting(ticket, well, now);
        Labelled labelled = Labelled.of(ticket, content, error, testimony.statements(), fates, granting);
        return new Answered(
                ticket.call(),
                upstream,
                ticket.method(),
                ticket.name(),
                kind,
                labelled.before(),
                labelled.labelling(),
                labelled.label(),
                labelled.parts(),
                labelled.cut(),
                Stream.concat(annotations.findings().stream(), testimony.findings().stream())
                        .toList(),
                testimony.evidence(),
                ticket.decision(),
                labelled.edits(),
                fates.redacted(),
                fates.hidden().orElse(Hidden.full()),
                granting.used(),
                ticket.occurrence(),
                well);
    }

    /** Returns the tool that gave it; empty where none did. */
    String tool() {
        return !call.isEmpty() && method.equals("tools/call") ? name : "";
    }

    /** An answer that is not plainly no error counts as one. */
    private static boolean isWell(JsonNode content) {
        JsonNode error = content.path("isError");
        return error.isMissingNode() || (error.isBoolean() && !error.booleanValue());
    }
}
