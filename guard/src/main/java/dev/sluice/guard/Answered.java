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
import java.util.Set;
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
 * @param made what the calls are to sequences whose answer may be in it under another name
 * @param over whether it surely is that of a call among these which did what it was asked
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
        boolean well,
        List<Occurrence> made,
        boolean over) {

    /** What an answer has that asks for something first, or says where the answer will be. */
    private static final Set<String> NOT_YET = Set.of("inputRequests", "requestState", "task", "taskId");

    /**
     * Labels an answer, and takes out of it what the agent must not see.
     *
     * @param room where hidden values can be kept
     * @param seen what the session has seen, which an answer may hold of whose call nothing is known
     * @param now which grants hold
     */
    static Answered of(Outbound outbound, Obligations obligations, Hidden room, Label seen, Instant now) {
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
            return of(task.said(), obligations, room, seen, now).joined(ofTask(task, seen, now), task);
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
    private static Label ofTask(Outbound.OfTask task, Label seen, Instant now) {
        if (task.calls().isEmpty()) {
            return task.upstream().ofAnyTool().join(seen); // whatever those calls carried was seen before
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

    /** Returns what the calls that made a task are to sequences. */
    private static List<Occurrence> made(Outbound.OfTask task) {
        return task.calls().isEmpty()
                ? List.of(Occurrence.ofAnyTool(task.upstream().name()))
                : task.calls().stream().map(Ticket::occurrence).toList();
    }

    /** Of several calls it can't be told which of them did what it was asked. */
    private static boolean isOver(Outbound.OfTask task) {
        return task.calls().size() == 1 && tellsOfTheEnd(task.said()) && isWell(task.answer());
    }

    private static boolean tellsOfTheEnd(Outbound said) {
        if (said instanceof Outbound.Answer answer) {
            return answer.ticket().method().equals("tasks/result") || isCompleted(answer.result());
        }
        return said instanceof Outbound.Message message && isCompleted(message.content());
    }

    private static boolean isCompleted(JsonNode task) {
        return task.path("status").asString("").equals("completed");
    }

    /** Returns the same as what is said of {@code task}, with {@code more} in every label. */
    private Answered joined(Label more, Outbound.OfTask task) {
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
                well,
                made(task),
                isOver(task));
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
                well,
                List.of(),
                false);
    }

    /** Returns the tool that gave it; empty where none did. */
    String tool() {
        return !call.isEmpty() && method.equals("tools/call") ? name : "";
    }

    /**
     * An answer that is not plainly no error counts as one. A question and the name of a task are no answers yet, whatever
     * revision the server speaks.
     *
     * <p>Source: MCP revision 2026-07-28, {@code ResultType}; extension {@code io.modelcontextprotocol/tasks}.
     */
    private static boolean isWell(JsonNode content) {
        JsonNode error = content.path("isError");
        JsonNode type = content.path("resultType");
        return content.isObject()
                && (error.isMissingNode() || (error.isBoolean() && !error.booleanValue()))
                && (type.isMissingNode()
                        || (type.isString() && type.stringValue().equals("complete")))
                && NOT_YET.stream().noneMatch(content::has);
    }
}
