package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The members of objects, in the order of a canonical form.
 *
 * <p>A stack: the members of an object lie above those of the object around it. Names are compared by their UTF-8 bytes,
 * mostly the first of them packed into a long, and decoded only where they hold a backslash.
 */
final class MemberOrder {

    /** How names are ordered. */
    enum Rule {
        /** By UTF-16 code units, RFC 8785 section 3.2.3. */
        UTF_16,
        /** By the bytes of their CBOR encodings, RFC 8949 section 4.2.1: the shorter first, then by UTF-8 bytes. */
        CBOR
    }

    /** Up to so many members are sorted at a cost that grows with their square. */
    private static final int FEW = 24;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long TOPS = 0x8080808080808080L;
    private static final int LONG = 0x7FFF;

    private final JsonIndex index;
    private final byte[] text;
    private final boolean cbor;

    /** The stack. */
    private int[] names = new int[FEW];

    private int top;

    /** The members of the object at hand, in the order of the text. */
    private int[] found = new int[FEW];

    private long[] weights = new long[FEW];

    /** By the number of members, the order of the last object with so many: objects in a list are mostly alike. */
    private final int[] @Nullable [] guesses = new int[FEW + 1][];

    MemberOrder(JsonIndex index, Rule rule) {
        this.index = index;
        this.text = index.array();
        this.cbor = rule == Rule.CBOR;
    }

    /** Puts the names of an object on the stack; returns the place of the first. */
    int push(int object) {
        int size = index.size(object);
        if (size > found.length) {
            found = new int[2 * size];
            weights = new long[2 * size];
        }
        boolean escaped = false;
        int name = object + 1;
        for (int i = 0; i < size; i++) {
            found[i] = name;
            weights[i] = weight(text, index.start(name) + 1, index.end(name) - 1);
            escaped |= index.isEscaped(name);
            name = index.next(name + 1);
        }
        int from = top;
        top = from + size;
        if (top > names.length) {
            names = Arrays.copyOf(names, 2 * top);
        }
        if (escaped || size > FEW) {
            pushMany(from, size);
        } else {
            pushFew(from, size);
        }
        return from;
    }

    /** Returns the name node at a place of the stack. */
    int name(int place) {
        return names[place];
    }

    /** Takes an object off the stack, and all above it. */
    void pop(int from) {
        top = from;
    }

    private void pushFew(int from, int size) {
        int[] order = guesses[size];
        if (order == null || !isOrder(order)) {
            order = sorted(size);
            guesses[size] = order;
        }
        for (int i = 0; i < size; i++) {
            names[from + i] = found[order[i]];
        }
    }

    private boolean isOrder(int[] order) {
        for (int i = 1; i < order.length; i++) {
            if (compare(order[i - 1], order[i]) > 0) {
                return false;
            }
        }
        return true;
    }

    private int[] sorted(int size) {
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            int to = i;
            while (to > 0 && compare(order[to - 1], i) > 0) {
                order[to] = order[to - 1];
                to--;
            }
            order[to] = i;
        }
        return order;
    }

    private void pushMany(int from, int size) {
        Name[] sorted = new Name[size];
        for (int i = 0; i < size; i++) {
            sorted[i] = decoded(found[i]);
        }
        Arrays.sort(sorted, (a, b) -> {
            int first = Long.compare(a.weight, b.weight);
            return first != 0 ? first : compare(a.text, a.start, a.end, b.text, b.start, b.end);
        });
        for (int i = 0; i < size; i++) {
            names[from + i] = sorted[i].node;
        }
    }

    private Name decoded(int name) {
        byte[] in = text;
        int start = index.start(name) + 1;
        int end = index.end(name) - 1;
        if (index.isEscaped(name)) {
            in = index.text(name).getBytes(StandardCharsets.UTF_8);
            start = 0;
            end = in.length;
        }
        return new Name(name, in, start, end, weight(in, start, end));
    }

    /** Compares two of those found. */
    private int compare(int one, int other) {
        return weights[one] != weights[other]
                ? Long.compare(weights[one], weights[other])
                : compare(
                        text,
                        index.start(found[one]) + 1,
                        index.end(found[one]) - 1,
                        text,
                        index.start(found[other]) + 1,
                        index.end(found[other]) - 1);
    }

    private int compare(byte[] a, int start, int end, byte[] b, int otherStart, int otherEnd) {
        int length = end - start;
        int otherLength = otherEnd - otherStart;
        if (cbor && length != otherLength) {
            return Integer.compare(length, otherLength);
        }
        int at = Arrays.mismatch(a, start, end, b, otherStart, otherEnd);
        if (at < 0) {
            return 0;
        }
        if (at == Math.min(length, otherLength)) {
            return Integer.compare(length, otherLength);
        }
        int first = a[start + at] & 0xFF;
        int second = b[otherStart + at] & 0xFF;
        return cbor ? first - second : utf16Rank(first) - utf16Rank(second);
    }

    /** Returns a number that is smaller for the first of two names, or the same, which says nothing. */
    private long weight(byte[] in, int start, int end) {
        int length = end - start;
        long head = head(in, start, length);
        if (cbor) {
            return length < LONG ? (long) length << 48 | head >>> 16 : (long) LONG << 48;
        }
        if ((head & TOPS) != 0) {
            long ranked = 0;
            for (int shift = 56; shift >= 0; shift -= 8) {
                ranked |= (long) utf16Rank((int) (head >>> shift) & 0xFF) << shift;
            }
            head = ranked;
        }
        return head ^ Long.MIN_VALUE;
    }

    /** Returns the first eight bytes of a name as a number, zeros after its end. */
    private static long head(byte[] in, int start, int length) {
        if (length > 0 && start + Long.BYTES <= in.length) {
            long head = (long) WORDS.get(in, start);
            return length >= Long.BYTES ? head : head & -1L << (64 - 8 * length);
        }
        long head = 0;
        for (int i = 0; i < Math.min(length, Long.BYTES); i++) {
            head |= (in[start + i] & 0xFFL) << (56 - 8 * i);
        }
        return head;
    }

    /**
     * Returns where a byte of UTF-8 stands among others in the order of UTF-16.
     *
     * <p>That is the order of the bytes, except that characters over U+FFFF (F0 to F4) begin with a surrogate, D800 on, and
     * so stand before U+E000 to U+FFFF (EE and EF).
     */
    private static int utf16Rank(int b) {
        if (b < 0xEE) {
            return b;
        }
        return b < 0xF0 ? b + 5 : b - 2;
    }

    /** A name with its bytes, decoded. */
    private static final class Name {

        final int node;
        final byte[] text;
        final int start;
        final int end;
        final long weight;

        Name(int node, byte[] text, int start, int end, long weight) {
            this.node = node;
            this.text = text;
            this.start = start;
            this.end = end;
            this.weight = weight;
        }
    }
}
