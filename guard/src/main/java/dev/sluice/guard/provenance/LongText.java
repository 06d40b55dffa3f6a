package dev.sluice.guard.provenance;

import org.jspecify.annotations.Nullable;

/**
 * A text of many pieces, one after the other, with an index of its own that is made when it is first needed, and goes with it.
 *
 * <p>First the text is left as it came. When something is looked for, its words and passages are only marked, in a few bits
 * each, so that what does not stand in it is told at once; of 10,000 words that do not, about one seems to. Where something
 * may stand in it, the places of all its words, or of all its passages, are noted. So a text costs little of which nothing is
 * ever used, and none that is forgotten before.
 *
 * <p>Not safe for several threads.
 */
final class LongText {

    private final int first;
    private int count;
    private @Nullable Index words;
    private @Nullable Index grams;

    /** Makes one of a single piece, by its number. */
    LongText(int first) {
        this.first = first;
        this.count = 1;
    }

    /** Takes in the piece after the last; before anything is looked for. */
    void goesOn() {
        count++;
    }

    /** Returns whether the piece is the last of it. */
    boolean endsWith(int id) {
        return id == (first + count - 1 & Integer.MAX_VALUE);
    }

    /** Returns whether the piece is of it. */
    boolean has(int id) {
        return (id - first & Integer.MAX_VALUE) < count;
    }

    /** Returns whether all that can be put off is done. */
    boolean isTakenApart() {
        return words != null && words.places != null && grams != null && grams.places != null;
    }

    /** Returns whether the word or the passage may stand in it. */
    boolean mayHave(boolean passage, long key, Pieces pieces) {
        return index(passage, pieces).mayHave(key);
    }

    /** Returns the pieces in which the word or the passage stands, as {@link Postings#of} does, forgotten ones too. */
    int[] of(boolean passage, long key, Pieces pieces) {
        Index index = index(passage, pieces);
        return index.mayHave(key) ? index.places(pieces).of(key) : Postings.NONE;
    }

    private Index index(boolean passage, Pieces pieces) {
        Index made = passage ? grams : words;
        if (made == null) {
            made = new Index(passage, pieces);
            if (passage) {
                grams = made;
            } else {
                words = made;
            }
        }
        return made;
    }

    /** Where the words stand, or the passages. */
    private final class Index {

        private final boolean passage;
        private long[] marks;
        private final int shift;
        private final int size;
        private @Nullable Postings places;

        Index(boolean passage, Pieces pieces) {
            this.passage = passage;
            int sum = 0;
            for (int i = 0; i < count; i++) {
                Piece piece = pieces.get(first + i & Integer.MAX_VALUE);
                sum += piece == null ? 0 : size(piece.tokens());
            }
            size = sum;
            // Most words stand there several times, most passages once.
            int bits = Math.max(6, Integer.SIZE - Integer.numberOfLeadingZeros(passage ? sum / 2 : sum / 4));
            shift = Long.SIZE - bits;
            marks = new long[1 << bits];
            each(pieces, (key, id) -> {
                marks[first(key)] |= some(key);
                marks[second(key)] |= some(key >>> 18);
            });
        }

        private int size(Tokens tokens) {
            return passage ? Math.max(0, tokens.size() - Provenance.GRAM + 1) : tokens.size();
        }

        private void each(Pieces pieces, Noted noted) {
            for (int i = 0; i < count; i++) {
                int id = first + i & Integer.MAX_VALUE;
                Piece piece = pieces.get(id);
                if (piece == null) {
                    continue;
                }
                Tokens tokens = piece.tokens();
                int all = size(tokens);
                for (int at = 0; at < all; at++) {
                    noted.note(passage ? tokens.gram(at, Provenance.GRAM) : tokens.word(at), id);
                }
            }
        }

        private int first(long key) {
            return (int) (key >>> shift);
        }

        private int second(long key) {
            return (int) ((key * 0x9E3779B97F4A7C15L) >>> shift);
        }

        /** Returns three bits of 64, or fewer. */
        private static long some(long key) {
            return (1L << key) | (1L << (key >>> 6)) | (1L << (key >>> 12));
        }

        boolean mayHave(long key) {
            if (places != null) {
                return places.count(key) > 0;
            }
            long one = some(key);
            long other = some(key >>> 18);
            return (marks[first(key)] & one) == one && (marks[second(key)] & other) == other;
        }

        Postings places(Pieces pieces) {
            Postings made = places;
            if (made == null) {
                made = new Postings(passage ? size : size / 4);
                each(pieces, made::add);
                places = made;
                marks = new long[0];
            }
            return made;
        }
    }

    /** Takes a word or a passage and the piece that it stands in. */
    private interface Noted {
        void note(long key, int id);
    }
}
