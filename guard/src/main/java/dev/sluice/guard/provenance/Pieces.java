package dev.sluice.guard.provenance;

import org.jspecify.annotations.Nullable;

/** The texts that are remembered, by number: each has the one after the last, and the oldest goes first. */
final class Pieces {

    private @Nullable Piece[] all = new @Nullable Piece[16];
    private int oldest;
    private int count;

    int size() {
        return count;
    }

    /** Returns the number of the oldest one. */
    int oldest() {
        return oldest;
    }

    /** Returns a piece by its number; null where it is forgotten. */
    @Nullable
    Piece get(int id) {
        return (id - oldest & Integer.MAX_VALUE) < count ? all[id & all.length - 1] : null;
    }

    /** Returns the number of the piece; none is negative. */
    int add(Piece piece) {
        if (count == all.length) {
            @Nullable Piece[] more = new @Nullable Piece[2 * count];
            for (int i = 0; i < count; i++) {
                int id = oldest + i & Integer.MAX_VALUE;
                more[id & more.length - 1] = all[id & all.length - 1];
            }
            all = more;
        }
        int id = oldest + count++ & Integer.MAX_VALUE;
        all[id & all.length - 1] = piece;
        return id;
    }

    /** Forgets the oldest one. */
    void remove() {
        all[oldest & all.length - 1] = null;
        oldest = oldest + 1 & Integer.MAX_VALUE;
        count--;
    }
}
