package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcId;
import java.io.IOException;
import java.util.Map;

/** A line to one upstream. */
public interface UpstreamLink extends AutoCloseable {

    /** What comes from an upstream: one thing at a time, in order. */
    interface Receiver {

        /** One text within the size limit; not yet known to be a message. */
        void text(byte[] bytes);

        /**
         * Likewise one of which the line says to which request it belongs.
         *
         * @param stream the id of the request in whose answer it came
         */
        default void text(byte[] bytes, RpcId stream) {
            text(bytes);
        }

        /** A text over the size limit, which is gone. */
        void tooLong(MessageLines.TooLong line);

        /** Returns whether the request of that id has no answer yet, and somebody waits for it. */
        boolean awaits(RpcId id);

        /**
         * That no answer to the request of that id will come, where the line goes on; nothing where it was answered.
         *
         * @param why what happened, after "the server"
         * @param entered whether a part of an answer came
         */
        void lost(RpcId id, String why, boolean entered);

        /**
         * That the upstream refused the request of that id as one that it does not know how to take, without an answer to it;
         * nothing where it was answered.
         *
         * @param why what happened, after "the server"
         */
        default void refused(RpcId id, String why) {
            lost(id, why, false);
        }

        /** That the upstream could not be reached just now, and why; the line goes on. */
        void unreachable(String why);

        /** That the upstream forgot the session and it was begun anew: what was set in it is to be set again. */
        default void renewed() {}

        /** That nothing more will come, and why, in words for a person. */
        void ended(String why);
    }

    /**
     * Begins.
     *
     * @throws IOException where the upstream can't be reached or started; the message says the mend
     */
    void start(Receiver receiver) throws IOException;

    /**
     * Sends one message, without a line end in it.
     *
     * @throws IOException where the upstream is gone
     */
    void send(byte[] message) throws IOException;

    /**
     * Sends one message as {@link #send(byte[])} does, with headers where the line has such.
     *
     * @param headers headers that stand for arguments of a call, by name, each value as it is sent
     * @throws IOException where the upstream is gone
     */
    default void send(byte[] message, Map<String, String> headers) throws IOException {
        send(message);
    }

    /** Returns whether messages have headers on this line. */
    default boolean hasHeaders() {
        return false;
    }

    /** Ends the line, and what was started for it. */
    @Override
    void close();
}
