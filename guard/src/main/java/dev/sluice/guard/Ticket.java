package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Returns;

/**
 * That a message was admitted, and what its answer must be labelled with.
 *
 * @param call its number in the session's records
 * @param upstream the server it went to
 * @param method its method
 * @param name what a person calls it by
 * @param carried the label that the message carried
 * @param derives whether the answer may hold what the message carried
 * @param own the narrowest source of the answer
 * @param returns what the operator says of the answer
 * @param decision what policy said of it
 */
public record Ticket(
        String call,
        Upstream upstream,
        String method,
        String name,
        Label carried,
        boolean derives,
        Source own,
        Returns returns,
        Decision decision) {}
