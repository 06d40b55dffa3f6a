package dev.sluice.gateway.telemetry;

import java.util.Locale;

/** What became of a request. */
public enum Outcome {
    /** It has its answer. */
    OK,
    /** A tool answered that it failed. */
    TOOL_ERROR,
    /** It has an error for an answer. */
    ERROR,
    /** Policy refused it. */
    DENIED,
    /** Who asked took it back. */
    CANCELLED,
    /** It has no answer, and never will. */
    LOST;

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
