package dev.sluice.guard;

/**
 * Whose session a message belongs to.
 *
 * @param key finds the session's label while it lives; never a secret itself
 * @param principal on whose behalf it runs
 * @param display what a person recognises it by
 * @param start what a new session under this key begins with
 * @param client what the client said of itself, as JSON text; empty where that is not kept
 */
public record AgentSession(String key, String principal, String display, Start start, String client) {

    /** What a session begins with that was never seen before. */
    public enum Start {
        /** Nothing: the key itself proves a new context, such as a new host process. */
        CLEAN,
        /** All that the principal's live sessions have seen: the client chose the key, and may only have changed it. */
        PRINCIPAL,
        /** It begins none: whoever uses the key knows of a session that lived, and what its agent saw is in that one's label. */
        NONE
    }

    /** Returns the same for as long as the session lives. */
    public AgentSession whileItLives() {
        return new AgentSession(key, principal, display, Start.NONE, client);
    }
}
