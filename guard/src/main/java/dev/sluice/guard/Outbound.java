package dev.sluice.guard;

import tools.jackson.databind.JsonNode;

/** A message on its way to the agent: everything in it enters what the session has seen. */
public sealed interface Outbound {

    /** The answer to an admitted message. */
    record Answer(Ticket ticket, JsonNode result) implements Outbound {}

    /** An error that the server answered with; its text is the server's. */
    record Failure(Ticket ticket, JsonNode error) implements Outbound {}

    /** An answer that can't be passed on, such as one over the size limit: it enters as if it had been. */
    record Lost(Ticket ticket, String why) implements Outbound {}

    /** A request of the server to the client, or a notification with text, such as a log message. */
    record Message(Upstream upstream, String method, JsonNode content) implements Outbound {}
}
