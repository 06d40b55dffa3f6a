package dev.sluice.gateway.jsonrpc;

/** That a text is JSON, but no message that may pass. The message says what is wrong with it, without its content. */
public final class InvalidMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidMessageException(String message) {
        super(message);
    }
}
