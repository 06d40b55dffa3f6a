package dev.sluice.guard.client;

import java.util.concurrent.CompletionException;

/** What went wrong in a stage. */
final class Faults {

    private Faults() {}

    /** Returns what {@code fault} was thrown for. */
    static Throwable cause(Throwable fault) {
        Throwable cause = fault.getCause();
        return fault instanceof CompletionException && cause != null ? cause : fault;
    }
}
