package dev.sluice.gateway.proxy;

import java.io.IOException;

/** That a server refused a request as one that it does not know how to take, such as with an HTTP status of 400. */
final class Refusal extends IOException {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
        super(message);
    }
}
