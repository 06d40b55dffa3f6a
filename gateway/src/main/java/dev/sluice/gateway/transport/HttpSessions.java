package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcMessage;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The sessions of clients over HTTP, by the id that each was given. An id is good for its own principal alone. */
public interface HttpSessions {

    /** What came of a client's wish for a session. */
    sealed interface Beginning {

        /**
         * A session that began.
         *
         * @param id what the client must send from now on; a secret
         * @param session the session
         */
        record Begun(String id, HttpSession session) implements Beginning {}

        /**
         * What the client said is no handshake.
         *
         * @param why what the client is told
         */
        record Malformed(String why) implements Beginning {}

        /**
         * No more can be had.
         *
         * @param status the HTTP status: 429 where the principal has too many, 503 where all have
         * @param why what the client is told
         */
        record Full(int status, String why) implements Beginning {}
    }

    /** Begins a session for a client of {@code principal} that sent {@code initialize}. */
    Beginning begin(String principal, RpcMessage.Request initialize);

    /**
     * Finds the session that a request of a modern client belongs to, or begins it; no id comes of it.
     *
     * @param headers gives all values of the header of a name
     */
    Beginning join(String principal, RpcMessage.Request request, Function<String, List<String>> headers);

    /** Returns the open session that a notification of a modern client belongs to; none is begun for it. */
    Optional<HttpSession> joined(
            String principal, RpcMessage.Notification message, Function<String, List<String>> headers);

    /** Returns the live session of that principal and id, also one that began before this process did. */
    Optional<HttpSession> find(String principal, String id);

    /** Ends the session of that principal and id. */
    void end(String principal, String id);
}
