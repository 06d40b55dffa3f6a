package dev.sluice.gateway.transport;

import java.io.IOException;

/** A line to one upstream. */
public interface UpstreamLink extends AutoCloseable {

    /** What comes from an upstream, in order, from one thread. */
    interface Receiver {

        /** One line within the size limit; not yet known to be a message. */
        void text(byte[] bytes);

        /** A line over the size limit, which is gone. */
        void tooLong(MessageLines.TooLong line);

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

    /** Ends the line, and what was started for it. */
    @Override
    void close();
}
