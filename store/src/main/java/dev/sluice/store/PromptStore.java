package dev.sluice.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/**
 * What the users of live sessions typed, so that all processes that share a session know it.
 *
 * <p>It is private, and bounded: of each session the last {@value #MOST_PROMPTS} are kept, and of those as many as have
 * {@value #MOST_BYTES} bytes together. {@link SessionStore#end} deletes what its session has.
 */
public interface PromptStore {

    /** How many of one session are kept. */
    int MOST_PROMPTS = 200;

    /** How many bytes of UTF-8 all that is kept of one session may have; one of more is not kept. */
    int MOST_BYTES = 64 << 10;

    /**
     * What was typed at once.
     *
     * @param number its place in its session, from 1; no two of a session ever have the same
     * @param text what was typed
     * @param at when
     */
    record Prompt(long number, String text, Instant at) {

        /** Returns how many bytes {@code text} counts for. */
        public static int bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }
    }

    /**
     * Keeps what the user of the session {@code session} typed; the oldest give way to it.
     *
     * @throws StoreException where that session is not live, or the text has more than {@value #MOST_BYTES} bytes
     */
    Prompt add(String session, String text, Instant at);

    /** Returns what is kept of a session and came after the one of that number, the oldest first; 0 for all. */
    List<Prompt> after(String session, long number);
}
