package dev.sluice.guard;

/**
 * Whose session a message belongs to.
 *
 * @param key finds the session's label while it lives; never a secret itself
 * @param principal on whose behalf it runs
 * @param display what a person recognises it by
 * @param start what a new session under this key begins with
 * @param client what the client said of itself, as JSON text; empty where that is not kept
 * @param besides what else it counts as having seen, whenever a call of it is decided
 */
public record AgentSession(String key, String principal, String display, Start start, String client, Besides besides) {

    private static final String UNNAMED = "none:";
    private static final String NAMED = "conv:";

    /** Makes one that only what it has seen itself counts for. */
    public AgentSession(String key, String principal, String display, Start start, String client) {
        this(key, principal, display, start, client, Besides.NOTHING);
    }

    /** What a session begins with that was never seen before. */
    public enum Start {
        /** Nothing: the key itself proves a new context, such as a new host process. */
        CLEAN,
        /** All that the principal's live sessions have seen: the client chose the key, and may only have changed it. */
        PRINCIPAL,
        /** It begins none: whoever uses the key knows of a session that lived, and what its agent saw is in that one's label. */
        NONE
    }

    /** What a session counts as having seen besides what came into it, since its requests need not name it. */
    public enum Besides {
        /** Nothing: who uses the key is in this session and in no other. */
        NOTHING,
        /**
         * What was seen by requests of the principal that named no conversation, or named it otherwise: they may have been of
         * this one.
         */
        UNNAMED,
        /** What all live sessions of the principal have seen: each of its requests may be of any of them. */
        PRINCIPAL
    }

    /**
     * Returns the session of those requests of a principal that name no conversation. It begins with nothing, since it counts
     * as having seen what others have whenever a call of it is decided, and until then other conversations need not take it
     * for their own.
     */
    public static AgentSession unnamed(String principal, String display, String client) {
        return new AgentSession(UNNAMED + principal, principal, display, Start.CLEAN, client, Besides.PRINCIPAL);
    }

    /**
     * Returns the session of a conversation that the client names.
     *
     * @param source a digest of where it names it, always of one length, so that no two principals share a key
     * @param digest of how it names it there, always of one length
     * @param start what it begins with
     */
    public static AgentSession conversation(
            String principal, String source, String digest, String display, Start start, String client) {
        return new AgentSession(key(principal, source, digest), principal, display, start, client, Besides.UNNAMED);
    }

    /**
     * Returns the session of those requests of a conversation that name it otherwise than is looked for first. Others of the
     * same conversation may name it as is looked for first, so these count as those that name none.
     *
     * @param source as of {@link #conversation}
     * @param digest likewise
     */
    public static AgentSession namedOtherwise(
            String principal, String source, String digest, String display, String client) {
        return new AgentSession(
                key(principal, source, digest), principal, display, Start.CLEAN, client, Besides.PRINCIPAL);
    }

    private static String key(String principal, String source, String digest) {
        return NAMED + principal + ":" + source + ":" + digest;
    }

    /** Returns whether requests of the session of {@code other}, one of the same principal, may be of this conversation too. */
    boolean mayBe(String other) {
        return other.equals(UNNAMED + principal)
                || (other.startsWith(NAMED) && !other.startsWith(key.substring(0, key.lastIndexOf(':') + 1)));
    }

    /** Returns the same for as long as the session lives. */
    public AgentSession whileItLives() {
        return new AgentSession(key, principal, display, Start.NONE, client, besides);
    }
}
