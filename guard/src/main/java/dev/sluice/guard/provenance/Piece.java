package dev.sluice.guard.provenance;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A text, or a piece of a long one. Its words are found when somebody asks for them, since many texts are forgotten before
 * anything is looked for in them. Not safe for several threads.
 */
final class Piece {

    private final boolean ascii;
    private final boolean exact;
    private final boolean whole;
    private final Place place;
    private final @Nullable StretchedWords stretches;
    private final int size;

    /** What it was cut from, as long as that is needed: all pieces of a text have the same. */
    private String source;

    private final int from;
    private final int to;
    private @Nullable Tokens tokens;

    private Piece(String source, int from, int to, boolean exact, boolean whole, Place place) {
        this.source = source;
        this.from = from;
        this.to = to;
        this.exact = exact;
        this.whole = whole;
        this.place = place;
        this.stretches = null;
        this.ascii = Tokens.isAscii(source, from, to);
        int length = ascii ? to - from : tokens().length(); // it may be longer in the form in which it is compared
        this.size = length + (exact ? to - from : 0) + 16;
    }

    private Piece(Tokens tokens, String exact, boolean whole, Place place, @Nullable StretchedWords stretches) {
        this.source = exact;
        this.from = 0;
        this.to = exact.length();
        this.ascii = false; // the words are here
        this.exact = true;
        this.whole = whole;
        this.place = place;
        this.stretches = stretches;
        this.tokens = tokens;
        this.size = tokens.length() + exact.length() + 16 + (stretches == null ? 0 : stretches.size());
    }

    /** The text as it came is kept only where a value must be just that. */
    static Piece of(String text, boolean whole, Place place) {
        return of(text, 0, text.length(), whole, place);
    }

    /** Returns what stands from {@code from} to {@code to}. */
    static Piece of(String text, int from, int to, boolean whole, Place place) {
        boolean exact = place.vouched() || place.label().integrity() == Integrity.TRUSTED;
        return new Piece(text, from, to, exact, whole, place);
    }

    /** Returns what stands from {@code from} to {@code to}; {@code stretches} say what it is where it is not all alike. */
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
        Tokens tokens = Tokens.of(text, from, to);
        Place own = new Place(all, place.vouched(), place.named(), place.origin());
        return new Piece(
                tokens, exact.toString(), whole, own, StretchedWords.of(tokens, text, inside, all, Provenance.GRAM));
    }

    /** Returns its words. */
    Tokens tokens() {
        Tokens found = tokens;
        if (found == null) {
            found = ascii ? Tokens.ofAscii(source, from, to) : Tokens.of(source, from, to);
            tokens = found;
            if (!exact) {
                source = "";
            }
        }
        return found;
    }

    /** Returns the text as it came; empty where no value must be just that. */
    String text() {
        return exact ? source.substring(from, to) : "";
    }

    /** Returns whether it is all of what stood there. */
    boolean whole() {
        return whole;
    }

    Place place() {
        return place;
    }

    /** Memory, in characters, once its words are found; an empty text costs too. */
    int size() {
        return size;
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
        return place.vouched() ? text().equals(value) : Provenance.stands(value, text());
    }
}
