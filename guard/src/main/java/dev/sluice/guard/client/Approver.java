package dev.sluice.guard.client;

import java.util.concurrent.CompletionStage;

/**
 * The person who is asked about calls that policy puts to a human. It must never be the agent, or a model.
 *
 * <p>Only {@code true} lets a call through, once and with exactly the arguments that were shown. A fault, null, or no answer
 * in time leaves the call denied and the question open: where the answer comes later, it counts for an identical call.
 */
@FunctionalInterface
public interface Approver {

    /** Asks. Runs on a thread of the enforcement's executor, and may wait there. */
    CompletionStage<Boolean> ask(ApprovalRequest request);
}
