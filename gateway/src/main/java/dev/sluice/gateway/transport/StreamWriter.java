package dev.sluice.gateway.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An open HTTP answer. Each method fails where the client is gone. Used from one thread at a time. */
interface StreamWriter {

    /** Returns whether events were begun, so that an answer can only be one more of them. */
    boolean isStreaming();

    /** Returns whether the client may still be told anything: not once its token has ended. */
    boolean isWelcome();

    /** Writes the only message of an answer. */
    void answer(byte[] message) throws IOException;

    /**
     * Writes the only message of an answer and ends it, without waiting for the client, and on any thread.
     *
     * @param lost run where the client did not take it
     */
    void answerAndEnd(byte[] message, Runnable lost);

    /** Says that whoever has begun the answer does not end it: {@link #end} will, or {@link #answerAndEnd}. */
    void leave();

    /**
     * Ends an answer that was left.
     *
     * @param fault why it could not be written; null where it was
     */
    void end(@Nullable Throwable fault);

    /** Begins the events without one; a client that can takes note of {@code id}, to ask for what comes after it. */
    void begin(String id) throws IOException;

    /** Writes a message. */
    void event(String id, byte[] message) throws IOException;

    /** Writes something that means nothing, so that both sides see that the other is there. */
    void beat() throws IOException;
}
