package dev.sluice.guard.message;

/** That a text is JSON, but no message that may pass. The message says what is wrong with it, without its content. */
public final class InvalidMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean answer;

    InvalidMessageException(String message) {
        this(message, false);
    }

    InvalidMessageException(String message, boolean answer) {
        super(message);
        this.answer = answer;
    }

    /** Returns whether the text was meant as an answer, which is never answered itself: two peers could go on for ever. */
    public boolean isAnswer() {
        return answer;
    }
}
