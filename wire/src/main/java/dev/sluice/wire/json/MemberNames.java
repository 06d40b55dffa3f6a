package dev.sluice.wire.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The member names of one object, compared as read, after unescaping.
 *
 * <p>Few plain names are compared pair by pair, where their ends and lengths are alike. Many, or escaped ones, by a hash that a sender can't steer: a
 * polynomial over the bytes modulo 2^61-1 at a point drawn anew for each object, so two different names of n bytes meet
 * with a chance of n / 2^61 whatever they are. Cost: n log n.
 */
final class MemberNames {

    private static final int FEW = 16;
    private static final long PRIME = (1L << 61) - 1;

    private MemberNames() {}

    /** Returns the name node that repeats an earlier one of {@code object}, the first such found, or -1. */
    static int firstDuplicate(byte[] bytes, int[] tape, int object) {
        int at = object * JsonScanner.WIDTH;
        int size = tape[at + JsonScanner.ABOUT] >>> JsonScanner.SIZE_SHIFT;
        if (size < 2) {
            return -1;
        }
        int[] names = new int[size];
        boolean escaped = false;
        int name = object + 1;
        for (int i = 0; i < size; i++) {
            names[i] = name;
            escaped |= isEscaped(tape, name);
            name = tape[(name + 1) * JsonScanner.WIDTH + JsonScanner.NEXT];
        }
        return size <= FEW && !escaped ? amongFew(bytes, tape, names) : amongMany(bytes, tape, names);
    }

    private static int amongFew(byte[] bytes, int[] tape, int[] names) {
        long seen = 0;
        for (int i = 0; i < names.length; i++) {
            int start = tape[names[i] * JsonScanner.WIDTH];
            int end = tape[names[i] * JsonScanner.WIDTH + JsonScanner.END];
            long mark = 1L << mark(bytes, start, end);
            if ((seen & mark) == 0) {
                seen |= mark;
                continue;
            }
            for (int j = 0; j < i; j++) {
                int other = tape[names[j] * JsonScanner.WIDTH];
                int otherEnd = tape[names[j] * JsonScanner.WIDTH + JsonScanner.END];
                if (end - start == otherEnd - other && Arrays.equals(bytes, start, end, bytes, other, otherEnd)) {
                    return names[i];
                }
            }
        }
        return -1;
    }

    /** Returns a number below 64 that the same names have in common, and few others. */
    private static int mark(byte[] bytes, int start, int end) {
        int sample = (end - start) << 24 ^ bytes[start + 1] << 16 ^ bytes[(start + end) >>> 1] << 8 ^ bytes[end - 2];
        return (sample * 0x9E3779B1) >>> 26;
    }

    private static int amongMany(byte[] bytes, int[] tape, int[] names) {
        long point = ThreadLocalRandom.current().nextLong(1L << 32, PRIME);
        long[] hashes = new long[names.length];
        for (int i = 0; i < names.length; i++) {
            hashes[i] = hash(bytes, tape, names[i], point);
        }
        long[] sorted = hashes.clone();
        Arrays.sort(sorted);
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                int duplicate = withHash(bytes, tape, names, hashes, sorted[i]);
                if (duplicate >= 0) {
                    return duplicate;
                }
            }
        }
        return -1;
    }

    /** Compares the names of one hash; practically always the first two of them are the same name. */
    private static int withHash(byte[] bytes, int[] tape, int[] names, long[] hashes, long hash) {
        for (int i = 1; i < names.length; i++) {
            if (hashes[i] != hash) {
                continue;
            }
            byte[] name = text(bytes, tape, names[i]);
            for (int j = 0; j < i; j++) {
                if (hashes[j] == hash && Arrays.equals(name, text(bytes, tape, names[j]))) {
                    return names[i];
                }
            }
        }
        return -1;
    }

    private static long hash(byte[] bytes, int[] tape, int name, long point) {
        if (isEscaped(tape, name)) {
            byte[] text = text(bytes, tape, name);
            return hash(text, 0, text.length, point);
        }
        int at = name * JsonScanner.WIDTH;
        return hash(bytes, tape[at] + 1, tape[at + JsonScanner.END] - 1, point);
    }

    private static long hash(byte[] bytes, int from, int to, long point) {
        long hash = 1L + to - from;
        for (int i = from; i < to; i++) {
            hash = times(hash, point) + (bytes[i] & 0xFF) + 1;
        }
        return times(hash, point);
    }

    /** Multiplies modulo 2^61-1; takes factors below 2^62, returns a number below the prime plus a little. */
    private static long times(long a, long b) {
        long high = Math.multiplyHigh(a, b);
        long low = a * b;
        long sum = (low & PRIME) + (low >>> 61 | high << 3);
        sum = (sum & PRIME) + (sum >>> 61);
        return sum >= PRIME ? sum - PRIME : sum;
    }

    private static byte[] text(byte[] bytes, int[] tape, int name) {
        int at = name * JsonScanner.WIDTH;
        return JsonStrings.decode(bytes, tape[at], tape[at + JsonScanner.END], isEscaped(tape, name))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isEscaped(int[] tape, int node) {
        return (tape[node * JsonScanner.WIDTH + JsonScanner.ABOUT] & JsonScanner.ESCAPED) != 0;
    }
}
