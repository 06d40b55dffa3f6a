package dev.sluice.guard.client;

import java.util.BitSet;

/**
 * What was forgotten, as marks that others may share: it never says of anything forgotten that it was not. The more was
 * forgotten, the more else looks like it. It has 8 KiB at most.
 */
final class Forgotten {

    private static final int MARKS = 4;
    private static final int DIGITS = 4;

    private final BitSet marks = new BitSet();

    /** Takes note of something, by its digest. */
    void add(String digest) {
        for (int i = 0; i < MARKS; i++) {
            marks.set(mark(digest, i));
        }
    }

    /** Returns whether that may have been forgotten. */
    boolean mayHave(String digest) {
        for (int i = 0; i < MARKS; i++) {
            if (!marks.get(mark(digest, i))) {
                return false;
            }
        }
        return true;
    }

    private static int mark(String digest, int number) {
        int from = digest.indexOf(':') + 1 + number * DIGITS;
        return Integer.parseInt(digest, from, from + DIGITS, 16);
    }
}
