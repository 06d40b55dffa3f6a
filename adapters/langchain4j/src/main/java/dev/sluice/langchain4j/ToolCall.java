package dev.sluice.langchain4j;

import org.jspecify.annotations.Nullable;

/** What became of the messages of one call of a tool: what the guarded transports tell whoever made the call. */
final class ToolCall {

    private static final ThreadLocal<@Nullable ToolCall> CURRENT = new ThreadLocal<>();

    private volatile boolean judged;
    private volatile @Nullable String denied;

    /** Returns the call that this thread makes. */
    static @Nullable ToolCall current() {
        return CURRENT.get();
    }

    /** Makes this the call that this thread makes; returns the one before. */
    @Nullable
    ToolCall begin() {
        ToolCall before = CURRENT.get();
        CURRENT.set(this);
        return before;
    }

    static void endTo(@Nullable ToolCall before) {
        if (before == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(before);
        }
    }

    void judged() {
        judged = true;
    }

    /** Returns whether a guarded transport had a message of it. */
    boolean isJudged() {
        return judged;
    }

    void denied(String text) {
        denied = text;
    }

    /** Returns what the model is told instead of an answer; null where nothing was denied. */
    @Nullable
    String denial() {
        return denied;
    }
}
