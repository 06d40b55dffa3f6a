package dev.sluice.gateway.transport;

import dev.sluice.gateway.jsonrpc.RpcMessage;
import java.util.Optional;

/** The sessions of clients over HTTP, by the id that each was given. */
public interface HttpSessions {

    /**
     * A session that began.
     *
     * @param id what the client must send from now on; a secret
     * @param session the session
     */
    record Begun(String id, HttpSession session) {}

    /** Begins a session for a client that sent {@code initialize}; empty where no more can be had. */
    Optional<Begun> begin(RpcMessage.Request initialize);

    /** Returns the live session of that id, also one that began before this process did. */
    Optional<HttpSession> find(String id);

    /** Ends the session of that id. */
    void end(String id);
}
