package dev.sluice.guard.provenance;

import java.util.SplittableRandom;

/**
 * A map from 64-bit numbers to whole numbers, without an object for an entry.
 *
 * <p>Open addressing, with one byte of each key's hash apart from the rest: a look-up of what is not there, as most are, reads
 * such a byte and seldom more, and these bytes stay in a processor's cache where a full session's keys do not.
 */
final class LongTable {

    /** Nobody can know beforehand which keys come to stand beside each other, and so choose texts that are slow to find. */
    private static final long SECRET = new SplittableRandom().nextLong();

    /** What no mark of a key is. */
    private static final byte FREE = 0;

    private byte[] marks;
    private long[] keys;
    private int[] values;
    private int shift;
    private int size;

    LongTable() {
        this(10);
    }

    /** Makes one that need not grow for so many keys. */
    LongTable(int keys) {
        int bits = Math.max(4, Integer.SIZE - Integer.numberOfLeadingZeros(keys + keys / 2));
        this.marks = new byte[1 << bits];
        this.keys = new long[1 << bits];
        this.values = new int[1 << bits];
        this.shift = Long.SIZE - bits;
    }

    private static long hash(long key) {
        long hash = (key ^ SECRET) * 0xBF58476D1CE4E5B9L;
        return (hash ^ hash >>> 32) * 0x94D049BB133111EBL;
    }

    private static byte mark(long hash) {
        return (byte) (hash | 0x80);
    }

    int size() {
        return size;
    }

    /** Returns the value of {@code key}, or {@code none} where it has none. */
    int get(long key, int none) {
        int at = find(key);
        return marks[at] == FREE ? none : values[at];
    }

    /** Returns where the key is, or the free place where it would be. */
    private int find(long key) {
        long hash = hash(key);
        byte mark = mark(hash);
        int at = (int) (hash >>> shift);
        while (marks[at] != FREE && (marks[at] != mark || keys[at] != key)) {
            at = next(at);
        }
        return at;
    }

    private int next(int at) {
        return at + 1 & marks.length - 1;
    }

    void put(long key, int value) {
        set(place(key, value), value);
    }

    /** Returns where the key is, for {@link #at} and {@link #set(int, int)}; where it is new it gets {@code fresh}. */
    int place(long key, int fresh) {
        long hash = hash(key);
        byte mark = mark(hash);
        int at = (int) (hash >>> shift);
        while (marks[at] != FREE) {
            if (marks[at] == mark && keys[at] == key) {
                return at;
            }
            at = next(at);
        }
        if (3 * (size + 1) > 2 * marks.length) {
            grow();
            at = find(key);
        }
        size++;
        set(at, mark, key, fresh);
        return at;
    }

    /** Returns the value at a place; until a key is added or removed. */
    int at(int place) {
        return values[place];
    }

    void set(int place, int value) {
        values[place] = value;
    }

    private void grow() {
        byte[] oldMarks = marks;
        long[] oldKeys = keys;
        int[] oldValues = values;
        marks = new byte[2 * oldMarks.length];
        keys = new long[marks.length];
        values = new int[marks.length];
        shift--;
        for (int i = 0; i < oldMarks.length; i++) {
            if (oldMarks[i] != FREE) {
                set(find(oldKeys[i]), oldMarks[i], oldKeys[i], oldValues[i]);
            }
        }
    }

    private void set(int at, byte mark, long key, int value) {
        marks[at] = mark;
        keys[at] = key;
        values[at] = value;
    }

    /** Takes a key out, and moves back what stood behind it and would not be found over the gap. */
    void remove(long key) {
        int gap = find(key);
        if (marks[gap] == FREE) {
            return;
        }
        size--;
        int mask = marks.length - 1;
        for (int at = next(gap); marks[at] != FREE; at = next(at)) {
            int home = (int) (hash(keys[at]) >>> shift);
            if ((at - home & mask) >= (at - gap & mask)) {
                set(gap, marks[at], keys[at], values[at]);
                gap = at;
            }
        }
        marks[gap] = FREE;
    }
}
