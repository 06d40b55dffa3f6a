package dev.sluice.gateway.transport;

/** The way to a client. Messages are one JSON text each. */
public interface ClientSide {

    /** Sends the answer to the client's request of that key. */
    void answer(byte[] message, String request);

    /**
     * Sends anything else.
     *
     * @param request the key of the client's request that it belongs to, or empty text where it belongs to none
     * @return false where the client does not read what it is sent, so that the message is given up
     */
    boolean send(byte[] message, String request);

    /** Says that the request of that key will get no answer, such as one that the client took back. */
    void finish(String request);
}
