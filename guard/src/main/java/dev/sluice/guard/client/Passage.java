package dev.sluice.guard.client;

import java.util.concurrent.CompletionStage;

/**
 * What all messages between a client and a server pass through: says of each, on its way from the one to the other, what
 * becomes of it.
 *
 * <p>The state is read and written on the thread that brings a message, short transactions each: on another thread messages
 * could overtake each other, and an answer must not be passed on before its label is kept. What waits for longer, such as a
 * person or the server's list of tools, holds no thread, and goes on on those of {@link Enforcement.Builder#executor}. Where
 * the threads of a transport may never wait for a disk, give messages here on a thread of your own, one after the other.
 *
 * <p>Whoever carries the messages gives every one of them to {@link #fromClient} or {@link #fromServer}, those of the server
 * in the order in which they come, and does what the {@link Step} says, and nothing else with them. Serves every revision of
 * MCP from 2024-11-05 on, with {@code initialize} and without. Safe for use by several threads.
 */
public sealed interface Passage extends AutoCloseable permits Line, SharedLine {

    /** Returns the name of its server in policy, labels and records. */
    String server();

    /**
     * Says what becomes of a message of the client. Completes when that is decided, which can take a person's time; never with
     * a fault. A request gets a {@link Step.Pass} or a {@link Step.Reply}, unless it is taken back meanwhile.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     */
    CompletionStage<Step> fromClient(byte[] message);

    /**
     * Says what becomes of a message of the client, as {@link #fromClient(byte[])} does, where connections depend on who asks:
     * what Sluice must ask the server before it can say that goes out on behalf of whoever sent this message.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     * @param carrier carries those messages of Sluice's own that this one makes necessary, at any time, on any thread
     */
    CompletionStage<Step> fromClient(byte[] message, ToServer carrier);

    /**
     * Says what becomes of a message of the server. Never throws: what can't be handled does not reach the agent.
     *
     * @param message one JSON-RPC message in UTF-8; it must not change afterwards
     */
    Step fromServer(byte[] message);

    /**
     * Takes note that nobody waits for a request of the client any more, for instance since the connection that carried it
     * failed. Whatever the server still answers goes nowhere.
     *
     * @param request the request as it was given to {@link #fromClient}
     */
    void forget(byte[] request);

    /** Ends it: nothing is passed on any more, in either direction. What conversations have seen stays. */
    @Override
    void close();
}
