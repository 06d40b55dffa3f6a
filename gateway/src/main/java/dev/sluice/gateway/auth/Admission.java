package dev.sluice.gateway.auth;

/** What came of a caller's credentials. */
public sealed interface Admission {

    /**
     * It is known who calls.
     *
     * @param principal on whose behalf
     */
    record Known(String principal) implements Admission {}

    /**
     * Nobody is let in.
     *
     * @param status the HTTP status: 400, 401, 403 or 503
     * @param challenge the header {@code WWW-Authenticate}; empty for none
     * @param why what the caller is told; nothing of its credentials
     */
    record Refused(int status, String challenge, String why) implements Admission {}
}
