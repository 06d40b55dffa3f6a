package dev.sluice.guard.provenance;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The texts that one session has seen, indexed so that the text of an argument can be traced to them.
 *
 * <p>A value is found where it stands as a whole, between other signs than letters and digits; a longer text is covered by
 * passages of {@value #GRAM} words. What is covered by nothing counts as unmatched: a model can paraphrase, so it may hold
 * anything. Memory is bounded: the oldest texts are forgotten, and from then on every find also has the labels of all that
 * was forgotten, since it may have stood there too.
 *
 * <p>The time of a look-up depends on the text that is looked up, not on how much the session has seen: words that stand in
 * more than {@value #MOST_PLACES} texts are not followed up. Safe to use by several threads.
 */
public final class Provenance {

    /** How many words make a passage: fewer in a row are found by chance. */
    static final int GRAM = 5;

    /** In how many texts a value is looked for at most; one that stands in more counts as unmatched. */
    static final int MOST_PLACES = 64;

    /** How many characters a session remembers; about six times as many bytes of memory. */
    public static final int MOST_CHARS = 2_000_000;

    /** Longer texts are kept in pieces that overlap, so that no look-up reads a long one. */
    private static final int PIECE = 2_048;

    private static final int OVERLAP = 256;

    /** Shorter values are found only where they are all that stands in a place, such as an id. */
    private static final int SHORTEST = 4;

    private static final int MOST_TYPED = 1 << 20;

    private final int mostChars;
    private final Map<Long, int[]> words = new HashMap<>();
    private final Map<Long, int[]> grams = new HashMap<>();
    private final Map<Long, int[]> wholes = new HashMap<>();
    private final Map<Integer, Piece> pieces = new HashMap<>();
    private final Deque<Integer> order = new ArrayDeque<>();
    private final Deque<String> typed = new ArrayDeque<>();
    private Label forgotten = Label.BOTTOM;
    private boolean forgets;
    private long chars;
    private int typedChars;
    private int next;

    /** A text, or a piece of a long one. */
    private record Piece(Tokens tokens, boolean whole, Place place) {}

    /** Makes an index of nothing, of the usual size. */
    public Provenance() {
        this(MOST_CHARS);
    }

    Provenance(int mostChars) {
        this.mostChars = mostChars;
    }

    /** Takes note of what the user typed. */
    public synchronized void typed(String text) {
        typed.add(text);
        typedChars += text.length();
        while (typedChars > MOST_TYPED && typed.size() > 1) {
            typedChars -= typed.remove().length();
        }
    }

    /** Takes note of a text that came in, and of what it holds where it is encoded. */
    public synchronized void seen(String text, Place place) {
        for (String variant : Tokens.variants(text)) {
            if (variant.length() <= PIECE) {
                add(new Piece(Tokens.of(variant), true, place));
                continue;
            }
            for (int from = 0; from < variant.length(); from += PIECE - OVERLAP) {
                int to = Math.min(variant.length(), from + PIECE);
                add(new Piece(Tokens.of(variant.substring(from, to)), false, place));
            }
        }
    }

    private void add(Piece piece) {
        int id = next++;
        pieces.put(id, piece);
        order.add(id);
        chars += piece.tokens.text().length();
        Tokens tokens = piece.tokens;
        for (int i = 0; i < tokens.size(); i++) {
            post(words, tokens.word(i), id);
        }
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            post(grams, tokens.gram(i, GRAM), id);
        }
        if (piece.whole) {
            post(wholes, tokens.whole(), id);
        }
        while (chars > mostChars && order.size() > 1) {
            forget(order.remove());
        }
    }

    /** The last place of a full list says that there are more. */
    private static void post(Map<Long, int[]> index, long key, int id) {
        int[] list = index.get(key);
        if (list == null) {
            index.put(key, new int[] {id});
        } else if (list[list.length - 1] != id && list.length <= MOST_PLACES) {
            int[] longer = Arrays.copyOf(list, list.length + 1);
            longer[list.length] = id;
            index.put(key, longer);
        }
    }

    private void forget(int id) {
        Piece piece = pieces.remove(id);
        if (piece == null) {
            return;
        }
        forgets = true;
        forgotten = forgotten.join(piece.place.label());
        chars -= piece.tokens.text().length();
        Tokens tokens = piece.tokens;
        for (int i = 0; i < tokens.size(); i++) {
            unpost(words, tokens.word(i), id);
        }
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            unpost(grams, tokens.gram(i, GRAM), id);
        }
        if (piece.whole) {
            unpost(wholes, tokens.whole(), id);
        }
    }

    /** A list that was full stays full: what did not fit was not noted. */
    private static void unpost(Map<Long, int[]> index, long key, int id) {
        int[] list = index.get(key);
        if (list == null || list.length > MOST_PLACES) {
            return;
        }
        int[] shorter = Arrays.stream(list).filter(each -> each != id).toArray();
        if (shorter.length == 0) {
            index.remove(key);
        } else {
            index.put(key, shorter);
        }
    }

    /** Returns where the text of an argument was found. */
    public synchronized Trace trace(String value) {
        if (value.isBlank() || isTyped(value)) {
            return Trace.TYPED;
        }
        Tokens tokens = Tokens.of(value);
        Found found = new Found();
        if (!whole(value, tokens, found)) {
            passages(tokens, found);
        }
        return found.trace();
    }

    /** Returns whether the user typed this, as it is, between other signs than those of words and addresses. */
    private boolean isTyped(String value) {
        for (String text : typed) {
            for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
                if (!joins(text, at - 1, -1, value.charAt(0))
                        && !joins(text, at + value.length(), 1, value.charAt(value.length() - 1))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether the sign at {@code i} goes on with the word that ends beside it: {@code a@b.c} is no {@code a@b}. */
    private static boolean joins(String text, int i, int step, char edge) {
        if (i < 0 || i >= text.length() || !isWord(edge)) {
            return false;
        }
        char beside = text.charAt(i);
        if (isWord(beside)) {
            return true;
        }
        int further = i + step;
        return ".@-+'".indexOf(beside) >= 0 && further >= 0 && further < text.length() && isWord(text.charAt(further));
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || Character.isSurrogate(c);
    }

    /** Looks for the value as a whole; returns whether it was found, or is in more places than are looked at. */
    private boolean whole(String value, Tokens tokens, Found found) {
        int[] same = wholes.getOrDefault(tokens.whole(), NONE);
        boolean many = same.length > MOST_PLACES;
        for (int id : same) {
            found.add(pieces.get(id));
        }
        boolean inside = value.length() >= SHORTEST && value.length() <= OVERLAP && tokens.size() > 0;
        if (inside) {
            int[] rarest = rarest(tokens);
            many |= rarest.length > MOST_PLACES;
            for (int id : rarest) {
                Piece piece = pieces.get(id);
                if (piece != null && tokens.isIn(piece.tokens)) {
                    found.add(piece);
                }
            }
        }
        found.unmatched |= many;
        return many || found.any;
    }

    private int[] rarest(Tokens tokens) {
        int[] rarest = words.getOrDefault(tokens.word(0), NONE);
        for (int i = 1; i < tokens.size() && rarest.length > 0; i++) {
            int[] list = words.getOrDefault(tokens.word(i), NONE);
            if (list.length < rarest.length) {
                rarest = list;
            }
        }
        return rarest;
    }

    private void passages(Tokens tokens, Found found) {
        int covered = 0;
        for (int i = 0; i + GRAM <= tokens.size(); i++) {
            int[] list = grams.getOrDefault(tokens.gram(i, GRAM), NONE);
            if (list.length == 0) {
                continue;
            }
            found.unmatched |= list.length > MOST_PLACES || i > covered;
            covered = i + GRAM;
            for (int id : list) {
                found.add(pieces.get(id));
            }
        }
        found.unmatched |= covered < tokens.size() || tokens.size() == 0;
    }

    private static final int[] NONE = {};

    private final class Found {
        private Label label = Label.BOTTOM;
        private boolean any;
        private boolean vouched = true;
        private boolean named;
        private boolean unmatched;
        private final TreeSet<Origin> origins = new TreeSet<>();

        void add(@org.jspecify.annotations.Nullable Piece piece) {
            if (piece == null) {
                return;
            }
            any = true;
            label = label.join(piece.place.label());
            vouched &= piece.place.vouched() || piece.place.label().integrity() == Integrity.TRUSTED;
            named |= piece.place.named();
            origins.add(piece.place.origin());
        }

        Trace trace() {
            if (any && forgets) {
                label = label.join(forgotten);
                vouched = false;
            }
            List<Origin> first = new ArrayList<>(origins);
            return new Trace(
                    label,
                    any && named && vouched && !unmatched,
                    any && vouched && !unmatched,
                    unmatched,
                    first.subList(0, Math.min(Lineage.PER_PART, first.size())));
        }
    }
}
