package dev.sluice.gateway.transport;

/** Takes what hosts say that their users typed. */
public interface UserWords {

    /** Returns whether {@code token} is that of a host, which may speak for the user. */
    boolean isHost(String token);

    /** Takes note of what the user of a principal's session typed; returns whether that session is live. */
    boolean typed(String principal, String session, String text);
}
