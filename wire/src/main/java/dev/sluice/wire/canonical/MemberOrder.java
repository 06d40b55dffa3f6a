package dev.sluice.wire.canonical;

import dev.sluice.wire.json.JsonIndex;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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

    /** Up to so many members are sorted in place, at a cost that grows with their square. */
    private static final int FEW = 24;

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long TOPS = 0x8080808080808080L;
    private static final int LONG = 0x7FFF;

    private final JsonIndex index;
    private final byte[] text;
    private final boolean cbor;

    private int[] names = new int[FEW];
    private long[] weights = new long[FEW];
    private int top;

    MemberOrder(JsonIndex index, Rule rule) {
        this.index = index;
        this.text = index.array();
        this.cbor = rule == Rule.CBOR;
    }

    /** Puts the names of an object on the stack; returns the place of the first. */
    int push(int object) {
        int from = top;
        top = from + index.size(object);
        if (top > names.length) {
            names = Arrays.copyOf(names, 2 * top);
            weights = Arrays.copyOf(weights, 2 * top);
        }
        boolean ordered = true;
        boolean escaped = false;
        int name = object + 1;
        for (int i = from; i < top; i++) {
            names[i] = name;
            weights[i] = weight(text, index.start(name) + 1, index.end(name) - 1);
            escaped |= index.isEscaped(name);
            ordered = ordered && (i == from || compare(weights[i - 1], names[i - 1], weights[i], name) <= 0);
            name = index.next(name + 1);
        }
        if (escaped || (!ordered && top - from > FEW)) {
            sortMany(from);
        } else if (!ordered) {
            sortFew(from);
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

    private void sortFew(int from) {
        for (int i = from + 1; i < top; i++) {
            int name = names[i];
            long weight = weights[i];
            int to = i;
            while (to > from && compare(weights[to - 1], names[to - 1], weight, name) > 0) {
                names[to] = names[to - 1];
                weights[to] = weights[to - 1];
                to--;
            }
            names[to] = name;
            weights[to] = weight;
        }
    }

    private void sortMany(int from) {
        Name[] sorted = new Name[top - from];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = decoded(names[from + i]);
        }
        Arrays.sort(sorted, (a, b) -> {
            int first = Long.compare(a.weight, b.weight);
            return first != 0 ? first : compare(a.text, a.start, a.end, b.text, b.start, b.end);
        });
        for (int i = 0; i < sorted.length; i++) {
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

    private int compare(long weight, int name, long otherWeight, int other) {
        int first = Long.compare(weight, otherWeight);
        return first != 0
                ? first
                : compare(
                        text,
                        index.start(name) + 1,
                        index.end(name) - 1,
                        text,
                        index.start(other) + 1,
                        index.end(other) - 1);
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
