package dev.sluice.wire;

/**
 * Something in an annotation that a person should know of, mostly a fault, and where.
 *
 * @param code what kind of fault
 * @param pointer the place, a JSON Pointer (RFC 6901) from what was read: a result, a tool, or parameters
 * @param message a sentence for people, with the mend
 */
public record Finding(Code code, String pointer, String message) {

    /** Kinds of fault. */
    public enum Code {
        /** A JSON object was expected. */
        NOT_AN_OBJECT,
        /** True or false was expected; the stricter of the two is assumed. */
        NOT_A_BOOLEAN,
        /** A string was expected; it counts as absent. */
        NOT_A_STRING,
        /** A value outside its vocabulary; it counts as the strictest one. */
        UNKNOWN_VALUE,
        /** A list that names no value; it counts as the strictest value. */
        EMPTY_LIST,
        /** Two places say different things; the stricter holds. */
        CONFLICT,
        /** Nothing malformed: the server says of its own data that it looks like an attack. */
        MALICIOUS_ACTIVITY,
        /** Evidence that is false: a record, a signature or a binding is not what it is said to be. */
        EVIDENCE_MISMATCH
    }
}
