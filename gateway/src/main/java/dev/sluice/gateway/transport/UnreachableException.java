package dev.sluice.gateway.transport;

import java.io.IOException;

/** That nothing could be sent: nobody is there, or nobody who is trusted. */
final class UnreachableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreachableException(String message, Throwable cause) {
        super(message, cause);
    }
}
