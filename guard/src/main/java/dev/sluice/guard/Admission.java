package dev.sluice.guard;

/** What became of a message on its way to a server. */
public sealed interface Admission {

    /** It may go on; its answer is released with the ticket. */
    record Admitted(Ticket ticket) implements Admission {}

    /** It must not reach the server. */
    record Refused(Denial denial) implements Admission {}
}
