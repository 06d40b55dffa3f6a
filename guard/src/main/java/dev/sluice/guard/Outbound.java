package dev.sluice.guard;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** A message on its way to the agent: everything in it enters what the session has seen. */
public sealed interface Outbound {

    /** The answer to an admitted message. */
    record Answer(Ticket ticket, JsonNode result) implements Outbound {}

    /** An error that the server answered with; its text is the server's. */
    record Failure(Ticket ticket, JsonNode error) implements Outbound {}

    /** An answer that can't be passed on, such as one over the size limit: it enters as if it had been. */
    record Lost(Ticket ticket, String why) implements Outbound {}

    /**
     * What a server says of a task, which may hold the answer of a tool: it enters with the labels of both.
     *
     * @param said the message itself
     * @param calls the calls that made the task; none where that is not known: then it may be the answer of any tool
     * @param answer the tool's answer; a missing node where there is none yet
     */
    record OfTask(Outbound said, Upstream upstream, List<Ticket> calls, JsonNode answer) implements Outbound {
        public OfTask {
            calls = List.copyOf(calls);
        }
    }

    /** A request of the server to the client, or a notification with text, such as a log message. */
    record Message(Upstream upstream, String method, JsonNode content) implements Outbound {}
}
