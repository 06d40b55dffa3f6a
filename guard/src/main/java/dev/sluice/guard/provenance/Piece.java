package dev.sluice.guard.provenance;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A text, or a piece of a long one; {@code stretches} say what its words are where they are not all alike. */
record Piece(
        Tokens tokens,
        String text,
        boolean whole,
        Place place,
        @Nullable StretchedWords stretches) {

    /** Memory, in characters; an empty text costs too. */
    int size() {
        return tokens.length() + text.length() + 16 + (stretches == null ? 0 : stretches.size());
    }

    /** Returns whether all words of it are alike. */
    boolean isAlike() {
        return stretches == null;
    }

    /** Returns what the words are wherever they stand in this. */
    Label labelOf(Tokens words) {
        return stretches == null ? place.label() : stretches.of(words);
    }

    /** Returns what the passage is wherever it stands in this. */
    Label labelOf(long gram) {
        return stretches == null ? place.label() : stretches.of(gram);
    }

    /** Punctuation is of no account to a reader, but {@code ../x} is another path than {@code x}. */
    boolean isExactly(String value) {
        return place.vouched() ? text.equals(value) : Provenance.stands(value, text);
    }

    static Piece of(String text, int from, int to, Place place, List<Stretch> stretches) {
        boolean whole = from == 0 && to == text.length();
        Label all = Label.BOTTOM;
        List<Stretch> inside = new ArrayList<>();
        StringBuilder exact = new StringBuilder();
        for (Stretch stretch : stretches) {
            int begin = Math.max(from, stretch.from());
            int end = Math.min(to, stretch.to());
            if (begin < end) {
                inside.add(new Stretch(begin, end, stretch.label()));
                all = all.join(stretch.label());
                boolean trusted = stretch.label().integrity() == Integrity.TRUSTED;
                exact.append(trusted || place.vouched() ? text.substring(begin, end) : "x"); // a sign that goes on
            }
        }
        Tokens tokens = Tokens.of(text.substring(from, to));
        Place own = new Place(all, place.vouched(), place.named(), place.origin());
        return new Piece(
                tokens, exact.toString(), whole, own, StretchedWords.of(tokens, text, inside, all, Provenance.GRAM));
    }

    /** The text as it came is kept only where a value must be just that. */
    static Piece of(String text, boolean whole, Place place) {
        boolean exact = place.vouched() || place.label().integrity() == Integrity.TRUSTED;
        return new Piece(Tokens.of(text), exact ? text : "", whole, place, null);
    }
}
