// This file has more than 400 lines because what is remembered and how it is found again share one lock.
package dev.sluice.guard.provenance;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;

/**
 * The texts that one session has seen, indexed so that the text of an argument can be traced to them.
 *
 * <p>A value is found where it stands as a whole, between other signs than letters and digits; a longer text is covered by
 * passages of {@value #GRAM} words. What is covered by nothing counts as unmatched: a model can paraphrase, so it may hold
 * anything. Memory is bounded: the oldest texts are forgotten, and from then on every find also has the labels of all that
 * was forgotten, since it may have stood there too. So it is with what never came here: what the session saw before a
 * restart, in another process, or in its client's own context.
 *
 * <p>The time of a look-up depends on the text that is looked up, not on how much the session has seen: words that stand in
 * more than {@value #MOST_PLACES} texts are not followed up. A long text is taken apart when something is first looked for
 * that may stand in it, see {@link LongText}. Safe to use by several threads.
 */
public final class Provenance {

    /** How many words make a passage: fewer in a row are found by chance. */
    static final int GRAM = 5;

    /** In how many texts a value is looked for at most; one that stands in more counts as unmatched. */
    static final int MOST_PLACES = 64;

    /** How many characters a session remembers; about five times as many bytes of memory, more where words are short. */
    public static final int MOST_CHARS = 1_000_000;

    /** Longer texts are kept in pieces that overlap, so that no look-up reads a long one. */
    private static final int PIECE = 2_048;

    private static final int OVERLAP = 256;

    /** Texts of so many characters have an index of their own, so that one look-up asks sixty of them at most. */
    static final int LONG = 8 * PIECE;

    /** Shorter values are found only where they are all that stands in a place, such as an id. */
    static final int SHORTEST = 4;

    /** How many characters of what the user typed are remembered: it is read through for each value, so it is not much. */
    static final int MOST_TYPED = 1 << 18;

    private final int mostChars;
    private final Postings words = new Postings();
    private final Postings grams = new Postings();
    private final Postings wholes = new Postings();
    private final Pieces pieces = new Pieces();
    private final Deque<LongText> longTexts = new ArrayDeque<>();
    private final TypedTexts typed = new TypedTexts();
    private Label known = Label.BOTTOM;
    private Label forgotten = Label.BOTTOM;
    private boolean forgets;
    private long chars;

    /** Makes an index of nothing, of the usual size. */
    public Provenance() {
        this(MOST_CHARS);
    }

    Provenance(int mostChars) {
        this.mostChars = mostChars;
    }

    /** Takes note of what the user typed; of a text of more than {@value #MOST_TYPED} characters it does not. */
    public synchronized void typed(String text) {
        typed.add(text);
    }

    /** Returns how many characters are remembered. */
    public synchronized long size() {
        return chars + typed.size();
    }

    /** Takes note that something of this label came in, all of it that may be traced told by {@link #seen}. */
    public synchronized void came(Label label) {
        known = known.join(label);
    }

    /** Takes note that a text of this label came in that is too long to be remembered: whatever is found stood there too. */
    public synchronized void missed(Label label) {
        known = known.join(label);
        forgets = true;
        forgotten = forgotten.join(label);
    }

    /** Takes note of a text that came in, and of what it holds where it is encoded. */
    public synchronized void seen(String text, Place place) {
        known = known.join(place.label());
        for (String variant : Tokens.variants(text)) {
            if (variant.length() <= PIECE) {
                add(Piece.of(variant, true, place));
            } else {
                cut(variant, place);
            }
        }
    }

    private void cut(String text, Place place) {
        boolean isLong = text.length() >= LONG;
        for (int from = 0; from < text.length(); from += PIECE - OVERLAP) {
            Piece piece = Piece.of(text, from, Math.min(text.length(), from + PIECE), false, place);
            if (isLong) {
                addLong(piece, from == 0);
            } else {
                add(piece);
            }
        }
    }

    /**
     * Takes note of a text that came in, parts of which have labels of their own: what is found in one part only has that
     * part's label, and what is found across parts those of all.
     *
     * @param place where it stood; its label is that of all of the text
     * @param stretches the parts, in order and without gaps; empty where all of the text is alike
     */
    public synchronized void seen(String text, Place place, List<Stretch> stretches) {
        if (stretches.isEmpty()) {
            seen(text, place);
            return;
        }
        known = known.join(place.label());
        int step = text.length() <= PIECE ? Math.max(1, text.length()) : PIECE - OVERLAP;
        for (int from = 0; from < text.length(); from += step) {
            int to = Math.min(text.length(), from + PIECE);
            Piece piece = Piece.of(text, from, to, place, stretches);
            if (text.length() >= LONG) {
                addLong(piece, from == 0);
            } else {
                add(piece);
            }
        }
        for (Stretch stretch : stretches) {
            // What is written in another way is looked for part by part: where it goes across, it is found nowhere.
            List<String> variants = Tokens.variants(text.substring(stretch.from(), stretch.to()));
            Place own = new Place(stretch.label(), false, place.origin());
            for (String variant : variants.subList(1, variants.size())) {
                cut(variant, own);
            }
        }
    }

    private void add(Piece piece) {
        int id = pieces.add(piece);
        chars += piece.size();
        Tokens tokens = piece.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            words.add(tokens.word(i), id);
        }
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            grams.add(tokens.gram(i, GRAM), id);
        }
        if (piece.whole() && tokens.size() > 0) {
            wholes.add(tokens.whole(), id);
        }
        keepToRoom();
    }

    /** Adds a piece of a long text, the first of it or the one after the last that was added. */
    private void addLong(Piece piece, boolean begins) {
        int id = pieces.add(piece);
        chars += piece.size();
        if (begins) {
            longTexts.add(new LongText(id));
        } else {
            longTexts.getLast().goesOn();
        }
        keepToRoom();
    }

    private void keepToRoom() {
        while (chars > mostChars && pieces.size() > 1) {
            forgetOldest();
        }
    }

    private void forgetOldest() {
        int id = pieces.oldest();
        Piece piece = pieces.get(id);
        pieces.remove();
        if (piece == null) {
            return;
        }
        forgets = true;
        forgotten = forgotten.join(piece.place().label());
        chars -= piece.size();
        LongText oldest = longTexts.peek();
        if (oldest != null && oldest.has(id)) {
            if (oldest.endsWith(id)) {
                longTexts.remove();
            }
            return;
        }
        Tokens tokens = piece.tokens();
        for (int i = 0; i < tokens.size(); i++) {
            words.remove(tokens.word(i), id);
        }
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            grams.remove(tokens.gram(i, GRAM), id);
        }
        if (piece.whole() && tokens.size() > 0) {
            wholes.remove(tokens.whole(), id);
        }
    }

    /** Returns whether something of what was seen is still to be taken apart, which takes a while where it was long. */
    public synchronized boolean isBehind() {
        for (LongText each : longTexts) {
            if (!each.isTakenApart()) {
                return true;
            }
        }
        return false;
    }

    /** Returns how many entries the index has, for tests of what is forgotten. */
    synchronized int entries() {
        return words.size() + grams.size() + wholes.size() + pieces.size() + longTexts.size();
    }

    /**
     * Returns where the text of an argument was found.
     *
     * @param session the label of all that the session has seen, here or elsewhere
     */
    public synchronized Trace trace(String value, Label session) {
        return trace(value, false, "", session);
    }

    /**
     * Returns where the value of an argument was found.
     *
     * @param reference whether a number is one that stands for something, such as an id; else it is an amount
     * @param argument the name of the argument
     * @param session the label of all that the session has seen, here or elsewhere
     */
    public synchronized Trace trace(String value, boolean reference, String argument, Label session) {
        Tokens tokens = Tokens.of(value);
        if (typed.names(value, tokens, reference, argument)) {
            return Trace.TYPED;
        }
        Found found = new Found(value, session);
        boolean any = whole(value, tokens, found);
        String iso = value.length() <= OVERLAP ? Quantities.inIso(value) : value;
        if (!iso.equals(value)) {
            any |= whole(iso, Tokens.of(iso), found);
        }
        if (typed.tells(value, tokens)) {
            // Written in another way it is still what the user said: it names nothing, and tells nobody anything new.
            Trace trace = found.trace();
            return new Trace(Label.BOTTOM, false, trace.vouched(), false, true, trace.origins());
        }
        if (!any) {
            passages(tokens, typed.quote(value, tokens), found);
        }
        return found.trace();
    }

    /** Returns whether {@code value} stands in {@code text} as it is, between other signs than those of words and addresses. */
    static boolean stands(String value, String text) {
        if (!hasLetterOrDigit(value)) {
            return false; // a full stop is typed by everybody
        }
        for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
            if (standsAlone(text, at, at + value.length())) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasLetterOrDigit(String value) {
        for (int i = 0; i < value.length(); ) {
            int c = value.codePointAt(i);
            if (Character.isLetterOrDigit(c)) {
                return true;
            }
            i += Character.charCount(c);
        }
        return false;
    }

    /** Returns whether what is from {@code from} to {@code to} goes on neither before nor behind. */
    static boolean standsAlone(String text, int from, int to) {
        return !goesOn(text, from - 1, -1) && !goesOn(text, to, 1);
    }

    /** Returns whether the sign at {@code i} goes on with the value beside it: {@code a@b.c} is no {@code a@b}. */
    private static boolean goesOn(String text, int i, int step) {
        int at = i;
        while (at >= 0 && at < text.length() && ".@-+'/\\".indexOf(text.charAt(at)) >= 0) {
            at += step;
        }
        return at >= 0 && at < text.length() && isWord(text.charAt(at));
    }

    /** Half a pair counts too: a sign that is not seen whole may be one of a word. */
    private static boolean isWord(char c) {
        return c == '_' || Character.isSurrogate(c) || Tokens.isOfWord(c);
    }

    /** Looks for the value as a whole; returns whether it was found, or is in more places than are looked at. */
    private boolean whole(String value, Tokens tokens, Found found) {
        boolean many = false;
        if (tokens.size() > 0) {
            int[] same = wholes.of(tokens.whole());
            many = same.length > MOST_PLACES;
            for (int id : same) {
                Piece piece = pieces.get(id);
                if (piece != null) {
                    found.add(piece, piece.place().label());
                }
            }
        }
        boolean inside = value.length() >= SHORTEST && value.length() <= OVERLAP && tokens.size() > 0;
        if (inside) {
            int[] rarest = places(false, rarest(tokens));
            many |= rarest.length > MOST_PLACES;
            for (int id : rarest) {
                Piece piece = pieces.get(id);
                if (piece != null && tokens.isIn(piece.tokens())) {
                    found.add(piece, piece.labelOf(tokens));
                }
            }
        }
        found.unmatched |= many;
        return many || found.any;
    }

    private long rarest(Tokens tokens) {
        for (int i = 0; i < tokens.size() && !longTexts.isEmpty(); i++) {
            if (isNowhere(tokens.word(i))) {
                return tokens.word(i); // found out without taking anything apart
            }
        }
        long rarest = tokens.word(0);
        int fewest = count(rarest);
        for (int i = 1; i < tokens.size() && fewest > 0; i++) {
            int count = count(tokens.word(i));
            if (count < fewest) {
                rarest = tokens.word(i);
                fewest = count;
            }
        }
        return rarest;
    }

    private boolean isNowhere(long word) {
        if (words.count(word) > 0) {
            return false;
        }
        for (LongText each : longTexts) {
            if (each.mayHave(false, word, pieces)) {
                return false;
            }
        }
        return true;
    }

    private int count(long word) {
        return longTexts.isEmpty() ? words.count(word) : places(false, word).length;
    }

    /** Returns the pieces in which a word or a passage stands, of all texts as {@link Postings#of} does of some. */
    private int[] places(boolean passage, long key) {
        int[] all = (passage ? grams : words).of(key);
        boolean many = all.length > MOST_PLACES;
        boolean more = false;
        for (LongText each : longTexts) {
            int[] own = each.of(passage, key, pieces);
            if (own.length > 0) {
                many |= own.length > MOST_PLACES && pieces.get(own[own.length - 1]) != null;
                all = Arrays.copyOf(all, all.length + own.length);
                System.arraycopy(own, 0, all, all.length - own.length, own.length);
                more = true;
            }
        }
        return more ? oldestFirst(all, many) : all;
    }

    /** Leaves out what is forgotten, and of many all but the first and the newest. */
    private int[] oldestFirst(int[] ids, boolean many) {
        int count = 0;
        for (int id : ids) {
            if (pieces.get(id) != null) {
                ids[count++] = id - pieces.oldest() & Integer.MAX_VALUE; // its age, so that numbers may begin anew
            }
        }
        Arrays.sort(ids, 0, count);
        boolean isFull = many || count > MOST_PLACES;
        int[] sorted = new int[isFull ? MOST_PLACES + 1 : count];
        for (int i = 0; i < sorted.length; i++) {
            // Of many some were not noted: the newest takes their places.
            boolean newest = i >= count || (isFull && i == MOST_PLACES);
            sorted[i] = ids[newest ? count - 1 : i] + pieces.oldest() & Integer.MAX_VALUE;
        }
        return sorted;
    }

    private void passages(Tokens tokens, TypedTexts.Quote quote, Found found) {
        int covered = 0;
        int said = 0;
        int[] before = {};
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            long gram = tokens.gram(i, GRAM);
            int[] list = places(true, gram);
            if (list.length == 0 && i + GRAM > said) {
                int length = typed.hasPassage(gram) ? quote.passage(i) : 0;
                if (length < GRAM) {
                    continue;
                }
                said = i + length;
                found.any = true;
                found.said = true;
            }
            found.unmatched |= list.length > MOST_PLACES || i > covered;
            covered = i + GRAM;
            boolean goesOn = Arrays.equals(list, before);
            for (int id : list) {
                Piece piece = pieces.get(id);
                // A passage that goes on stands where it stood: what is alike there is known.
                if (piece != null && !(goesOn && piece.isAlike())) {
                    found.add(piece, piece.labelOf(gram));
                }
            }
            before = list;
        }
        found.unmatched |= covered < tokens.size() || tokens.size() == 0;
    }

    private final class Found {
        private final String value;
        private final Label session;
        private Label label = Label.BOTTOM;
        private boolean any;
        private boolean answered;
        private boolean vouched = true;
        private boolean named;
        private boolean unmatched;
        private boolean said;
        private final TreeSet<Origin> origins = new TreeSet<>();

        Found(String value, Label session) {
            this.value = value;
            this.session = session;
        }

        void add(Piece piece, Label own) {
            any = true;
            answered = true;
            label = label.join(own);
            vouched &= piece.isExactly(value) && (piece.place().vouched() || own.integrity() == Integrity.TRUSTED);
            named |= piece.place().named();
            origins.add(piece.place().origin());
        }

        Trace trace() {
            if (any && forgets) {
                label = label.join(forgotten);
                vouched = false;
            }
            if (any && !session.canFlowTo(known)) {
                label = label.join(session);
                vouched = false;
            }
            List<Origin> first = new ArrayList<>(origins);
            return new Trace(
                    label,
                    answered && named && vouched && !unmatched,
                    answered && vouched && !unmatched,
                    unmatched,
                    said,
                    first.subList(0, Math.min(Lineage.PER_PART, first.size())));
        }
    }
}
