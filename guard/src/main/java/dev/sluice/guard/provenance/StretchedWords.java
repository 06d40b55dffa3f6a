package dev.sluice.guard.provenance;

import dev.sluice.labels.Label;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each word and each passage of a text is, where parts of the text have labels of their own. A word across the edge of
 * two parts is of both.
 */
final class StretchedWords {

    private final Tokens tokens;
    private final Label[] words;
    private final Map<Long, Label> grams = new HashMap<>();

    private StretchedWords(Tokens tokens, Label[] words, int gram) {
        this.tokens = tokens;
        this.words = words;
        for (int i = 0; i + gram <= words.length; i++) {
            grams.merge(tokens.gram(i, gram), between(i, i + gram), Label::join);
        }
    }

    /**
     * Returns what the words of a piece of a text are; null where all have one label.
     *
     * @param stretches the parts of the piece, in order and without gaps, by their places in {@code text}
     * @param all the join of their labels
     * @param gram how many words make a passage
     */
    static @Nullable StretchedWords of(Tokens tokens, String text, List<Stretch> stretches, Label all, int gram) {
        if (stretches.stream().allMatch(stretch -> stretch.label().equals(all))) {
            return null;
        }
        Label[] words = aligned(tokens, text, stretches);
        if (words == null) {
            words = new Label[tokens.size()];
            Arrays.fill(words, all);
        }
        return new StretchedWords(tokens, words, gram);
    }

    /** Returns the label of each word; null where the words of the parts are not those of the whole, as they rarely aren't. */
    private static Label @Nullable [] aligned(Tokens tokens, String text, List<Stretch> stretches) {
        Label[] words = new Label[tokens.size()];
        Arrays.fill(words, Label.BOTTOM);
        int next = 0;
        boolean goesOn = false;
        for (int s = 0; s < stretches.size(); s++) {
            Stretch stretch = stretches.get(s);
            Tokens own = Tokens.of(text.substring(stretch.from(), stretch.to()));
            boolean willGoOn = s + 1 < stretches.size() && isInside(text, stretch.to());
            int first = goesOn ? next - 1 : next;
            if (first < 0 || first + own.size() > words.length) {
                return null;
            }
            for (int i = 0; i < own.size(); i++) {
                boolean cut = (goesOn && i == 0) || (willGoOn && i == own.size() - 1);
                if (!cut && own.word(i) != tokens.word(first + i)) {
                    return null;
                }
                words[first + i] = words[first + i].join(stretch.label());
            }
            next = first + own.size();
            goesOn = willGoOn;
        }
        return next == words.length ? words : null;
    }

    /** Returns whether a word goes on across {@code at}. */
    private static boolean isInside(String text, int at) {
        return Tokens.isOfWord(text.codePointBefore(at)) && Tokens.isOfWord(text.codePointAt(at));
    }

    /** Returns an estimate of the memory, in characters. */
    int size() {
        return words.length * 2;
    }

    private Label between(int from, int to) {
        Label label = Label.BOTTOM;
        for (int i = from; i < to; i++) {
            label = label.join(words[i]);
        }
        return label;
    }

    /** Returns the join over all places in which {@code value} stands. */
    Label of(Tokens value) {
        Label label = Label.BOTTOM;
        for (int at = value.nextIn(tokens, 0); at >= 0; at = value.nextIn(tokens, at + 1)) {
            label = label.join(between(at, at + value.size()));
        }
        return label;
    }

    /** Returns the join over all places in which the passage stands. */
    Label of(long gram) {
        return grams.getOrDefault(gram, between(0, words.length));
    }
}
