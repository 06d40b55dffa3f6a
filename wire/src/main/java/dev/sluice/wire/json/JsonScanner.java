package dev.sluice.wire.json;

import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.MalformedJsonException.Fault;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One pass over a JSON text that fills the tape of a {@link JsonIndex}.
 *
 * <p>The tape holds four ints a node, nodes in the order of the text, a member's name as a node right before its value:
 * first byte; end byte, exclusive; kind, escape flag and number of children; id of the first node after this one and
 * all below it. No recursion: the open containers are a stack of ids.
 */
final class JsonScanner {

    static final int WIDTH = 4;
    static final int END = 1;
    static final int ABOUT = 2;
    static final int NEXT = 3;

    static final int KIND_MASK = 7;
    static final int ESCAPED = 8;
    static final int SIZE_SHIFT = 4;

    /** The exponent's size that BigDecimal can hold beside the digits of the number itself. */
    private static final int LARGEST_EXPONENT = 2_000_000_000;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    private final byte[] bytes;
    private final int offset;
    private final int end;
    private final JsonIndex.Limits limits;

    private int pos;
    private int values;
    private int nodes;
    private int[] tape;
    private int[] open = new int[16];
    private int depth;
    private boolean loneSurrogate;

    JsonScanner(byte[] bytes, int offset, int length, JsonIndex.Limits limits) {
        this.bytes = bytes;
        this.offset = offset;
        this.end = offset + length;
        this.limits = limits;
        this.pos = offset;
        this.tape = new int[WIDTH * Math.max(8, Math.min(length / 8, 1 << 14))];
    }

    int[] tape() {
        return tape;
    }

    boolean loneSurrogate() {
        return loneSurrogate;
    }

    void scan() {
        if (end - pos >= 3
                && bytes[pos] == (byte) 0xEF
                && bytes[pos + 1] == (byte) 0xBB
                && bytes[pos + 2] == (byte) 0xBF) {
            throw fault(Fault.BYTE_ORDER_MARK, pos);
        }
        boolean more = true;
        while (more) {
            more = value() || afterValue();
        }
        skipSpace();
        if (pos < end) {
            throw fault(Fault.TRAILING_DATA, pos);
        }
    }

    /** Reads a scalar, or opens a container; returns whether another value must follow at once. */
    private boolean value() {
        int c = next();
        int start = pos;
        if (++values > limits.values()) {
            throw fault(Fault.TOO_MANY_VALUES, start);
        }
        switch (c) {
            case '{' -> {
                return open(Kind.OBJECT);
            }
            case '[' -> {
                return open(Kind.ARRAY);
            }
            case '"' -> {
                boolean escaped = string(false);
                leaf(start, Kind.STRING, escaped);
            }
            case 't' -> literal("true", Kind.TRUE);
            case 'f' -> literal("false", Kind.FALSE);
            case 'n' -> literal("null", Kind.NULL);
            default -> {
                if (c != '-' && !isDigit(c)) {
                    throw fault(Fault.SYNTAX, start);
                }
                number();
                leaf(start, Kind.NUMBER, false);
            }
        }
        return false;
    }

    /** Goes on behind a complete value, through every container that ends here; returns whether a value must follow. */
    private boolean afterValue() {
        while (depth > 0) {
            int container = open[depth - 1];
            tape[container * WIDTH + ABOUT] += 1 << SIZE_SHIFT;
            boolean object = kindOf(container) == Kind.OBJECT.code;
            int c = next();
            if (c == ',') {
                pos++;
                if (object) {
                    name();
                }
                return true;
            }
            if (c != (object ? '}' : ']')) {
                throw fault(Fault.SYNTAX, pos);
            }
            close();
        }
        return false;
    }

    private boolean open(Kind kind) {
        if (depth == limits.depth()) {
            throw fault(Fault.TOO_DEEP, pos);
        }
        if (depth == open.length) {
            open = Arrays.copyOf(open, depth * 2);
        }
        open[depth++] = node(pos, kind);
        pos++;
        int c = next();
        if (c == (kind == Kind.OBJECT ? '}' : ']')) {
            close();
            return false;
        }
        if (kind == Kind.OBJECT) {
            name();
        }
        return true;
    }

    private void close() {
        pos++;
        int container = open[--depth];
        tape[container * WIDTH + END] = pos;
        tape[container * WIDTH + NEXT] = nodes;
        if (kindOf(container) == Kind.OBJECT.code) {
            int duplicate = MemberNames.firstDuplicate(bytes, tape, container);
            if (duplicate >= 0) {
                throw fault(Fault.DUPLICATE_KEY, tape[duplicate * WIDTH]);
            }
        }
    }

    private void name() {
        int c = next();
        if (c != '"') {
            throw fault(Fault.SYNTAX, pos);
        }
        int start = pos;
        boolean escaped = string(true);
        leaf(start, Kind.STRING, escaped);
        if (next() != ':') {
            throw fault(Fault.SYNTAX, pos);
        }
        pos++;
    }

    private int node(int start, Kind kind) {
        int at = nodes * WIDTH;
        if (at == tape.length) {
            tape = Arrays.copyOf(tape, tape.length * 2);
        }
        tape[at] = start;
        tape[at + ABOUT] = kind.code;
        return nodes++;
    }

    private void leaf(int start, Kind kind, boolean escaped) {
        int at = node(start, kind) * WIDTH;
        tape[at + END] = pos;
        tape[at + NEXT] = nodes;
        if (escaped) {
            tape[at + ABOUT] |= ESCAPED;
        }
    }

    private int kindOf(int node) {
        return tape[node * WIDTH + ABOUT] & KIND_MASK;
    }

    private void literal(String word, Kind kind) {
        int start = pos;
        for (int i = 0; i < word.length(); i++, pos++) {
            if (pos == end) {
                throw fault(Fault.TRUNCATED, pos);
            }
            if (bytes[pos] != word.charAt(i)) {
                throw fault(Fault.SYNTAX, pos);
            }
        }
        leaf(start, kind, false);
    }

    private void number() {
        int start = pos;
        if (bytes[pos] == '-') {
            pos++;
        }
        if (pos < end && bytes[pos] == '0') {
            pos++;
        } else {
            digits();
        }
        if (pos < end && bytes[pos] == '.') {
            pos++;
            digits();
        }
        if (pos < end && (bytes[pos] | 0x20) == 'e') {
            pos++;
            if (pos < end && (bytes[pos] == '+' || bytes[pos] == '-')) {
                pos++;
            }
            int first = pos;
            digits();
            long exponent = 0;
            for (int i = first; i < pos; i++) {
                exponent = exponent * 10 + (bytes[i] - '0');
                if (exponent > LARGEST_EXPONENT) {
                    throw fault(Fault.NUMBER_TOO_LARGE, start);
                }
            }
        }
        if (pos - start > limits.numberChars()) {
            throw fault(Fault.NUMBER_TOO_LARGE, start);
        }
    }

    private void digits() {
        if (pos == end) {
            throw fault(Fault.TRUNCATED, pos);
        }
        if (!isDigit(bytes[pos])) {
            throw fault(Fault.SYNTAX, pos);
        }
        int p = pos + 1;
        while (p < end && isDigit(bytes[p])) {
            p++;
        }
        pos = p;
    }

    /** Reads the string whose quote is at the current byte; returns whether it holds an escape. */
    private boolean string(boolean name) {
        int p = pos + 1;
        boolean escaped = false;
        while (true) {
            while (p + 8 <= end) {
                long stops = stops((long) WORDS.get(bytes, p));
                if (stops != 0) {
                    p += Long.numberOfTrailingZeros(stops) >>> 3;
                    break;
                }
                p += 8;
            }
            if (p == end) {
                throw fault(Fault.TRUNCATED, p);
            }
            int c = bytes[p];
            if (c == '"') {
                pos = p + 1;
                return escaped;
            } else if (c == '\\') {
                escaped = true;
                p = escape(p, name);
            } else if (c < 0) {
                p = multiByte(p);
            } else if (c < 0x20) {
                throw fault(Fault.CONTROL_CHARACTER, p);
            } else {
                p++;
            }
        }
    }

    /** Marks, among eight bytes, the first that is a quote, a backslash, a control character or not ASCII. */
    private static long stops(long word) {
        long quote = word ^ (ONES * '"');
        long backslash = word ^ (ONES * '\\');
        return TOPS
                & (word
                        | ((word - ONES * 0x20) & ~word)
                        | ((quote - ONES) & ~quote)
                        | ((backslash - ONES) & ~backslash));
    }

    private int escape(int p, boolean name) {
        if (p + 1 == end) {
            throw fault(Fault.TRUNCATED, p + 1);
        }
        switch (bytes[p + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
                return p + 2;
            }
            case 'u' -> {
                int unit = hex(p + 2);
                if (unit < 0xD800 || unit > 0xDFFF) {
                    return p + 6;
                }
                if (unit < 0xDC00 && p + 7 < end && bytes[p + 6] == '\\' && bytes[p + 7] == 'u') {
                    int low = hex(p + 8);
                    if (low >= 0xDC00 && low <= 0xDFFF) {
                        return p + 12;
                    }
                }
                if (name) {
                    throw fault(Fault.LONE_SURROGATE, p);
                }
                loneSurrogate = true;
                return p + 6;
            }
            default -> throw fault(Fault.SYNTAX, p + 1);
        }
    }

    private int hex(int from) {
        int unit = 0;
        for (int p = from; p < from + 4; p++) {
            if (p == end) {
                throw fault(Fault.TRUNCATED, p);
            }
            int digit = Character.digit(bytes[p], 16);
            if (digit < 0) {
                throw fault(Fault.SYNTAX, p);
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private int multiByte(int p) {
        int after = Utf8.after(bytes, p, end);
        if (after == Utf8.INVALID) {
            throw fault(Fault.INVALID_UTF8, p);
        }
        if (after == Utf8.CUT) {
            throw fault(Fault.TRUNCATED, end);
        }
        return after;
    }

    /** Returns the next byte that is no white space, and stands on it. */
    private int next() {
        if (pos < end && bytes[pos] > ' ') {
            return bytes[pos];
        }
        skipSpace();
        if (pos == end) {
            throw fault(Fault.TRUNCATED, pos);
        }
        return bytes[pos];
    }

    private void skipSpace() {
        while (pos < end && (bytes[pos] == ' ' || bytes[pos] == '\n' || bytes[pos] == '\r' || bytes[pos] == '\t')) {
            pos++;
        }
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private MalformedJsonException fault(Fault fault, int at) {
        return new MalformedJsonException(fault, at - offset);
    }
}
