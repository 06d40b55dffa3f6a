package dev.sluice.wire.json;

/**
 * A JSON text that {@link JsonIndex} refuses, with the place and the reason.
 *
 * <p>The message names the byte and the mend and never quotes the text, so it may be logged and sent back.
 */
public final class MalformedJsonException extends RuntimeException {

    /** Why a text is refused. */
    public enum Fault {
        /** Something that RFC 8259 has no rule for. */
        SYNTAX("something that JSON doesn't allow here", "send JSON as RFC 8259 has it"),
        /** The text ends inside a value. */
        TRUNCATED("the text ends inside a value", "send the whole text"),
        /** More bytes after the one value. */
        TRAILING_DATA("more text after the value", "send one value in one text"),
        /** The text starts with a byte order mark. */
        BYTE_ORDER_MARK("a byte order mark", "send UTF-8 without it"),
        /** Bytes that are not UTF-8: overlong, an encoded surrogate, over U+10FFFF, or cut. */
        INVALID_UTF8("bytes that aren't UTF-8", "encode the text as UTF-8"),
        /** A raw control character, below U+0020, inside a string. */
        CONTROL_CHARACTER("a raw control character in a string", "escape it, such as \\n or \\u0000"),
        /** An object with one member name twice, as read after unescaping. */
        DUPLICATE_KEY("a member name that its object already has", "send each name once"),
        /** A member name with half of a surrogate pair. */
        LONE_SURROGATE("a member name with half of a surrogate pair", "write both halves or neither"),
        /** More levels than the limit. */
        TOO_DEEP("more nested levels than the limit allows", "nest less deeply"),
        /** A number too long or with too large an exponent. */
        NUMBER_TOO_LARGE("a number longer or larger than the limit allows", "send it as a string"),
        /** More values than the limit. */
        TOO_MANY_VALUES("more values than the limit allows", "send fewer in one text");

        private final String found;
        private final String mend;

        Fault(String found, String mend) {
            this.found = found;
            this.mend = mend;
        }
    }

    private final Fault fault;
    private final int position;

    MalformedJsonException(Fault fault, int position) {
        super("malformed JSON at byte " + position + ": " + fault.found + "; " + fault.mend);
        this.fault = fault;
        this.position = position;
    }

    /** Returns why the text is refused. */
    public Fault fault() {
        return fault;
    }

    /** Returns the place of the fault, in bytes from the start of the text, from 0. */
    public int position() {
        return position;
    }
}
