package dev.sluice.guard.client;

import java.util.concurrent.CompletionStage;

/**
 * Carries a message of Sluice's own to the server of a line, such as the question for its tools that must come before the
 * first call of one.
 *
 * <p>What the server answers is given to {@link Line#fromServer} like everything else that it says; there it is swallowed.
 */
@FunctionalInterface
public interface ToServer {

    /**
     * Sends {@code message}, one JSON-RPC message in UTF-8. Must not wait for its answer.
     *
     * @return completes when it is sent, or later; with a fault where it can't be
     */
    CompletionStage<?> send(byte[] message);
}
