package dev.sluice.guard.client;

/** What becomes of one message that came to a {@link Line}. The bytes are one JSON-RPC message in UTF-8. */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public sealed interface Step {

    /** It goes on to the other side, in this form and no other. */
    record Pass(byte[] message) implements Step {}

    /** Nothing goes on: this goes back to the side that the message came from, as its answer. */
    record Reply(byte[] message) implements Step {}

    /**
     * Nothing goes on and nothing goes back.
     *
     * @param why for people; a request is never dropped, unless it was taken back while it was decided
     */
    record Drop(String why) implements Step {}
}
