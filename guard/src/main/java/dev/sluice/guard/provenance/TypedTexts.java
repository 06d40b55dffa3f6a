package dev.sluice.guard.provenance;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the user of one session typed: which values it names, and which words are the user's own, so that they tell nobody
 * anything new. Not safe for several threads; the oldest texts are forgotten.
 */
final class TypedTexts {

    /** Longer values were not typed. */
    private static final int LONGEST = 4_096;

    private final Deque<Typed> texts = new ArrayDeque<>();
    private final Map<Long, Integer> known = new HashMap<>();
    private int chars;

    /** What the user typed at once. */
    private record Typed(String text, Tokens tokens, Quantities quantities) {

        /** Counts the words and passages; both are numbers that are alike for nothing else. */
        void count(Map<Long, Integer> known, int by) {
            for (int i = 0; i < tokens.size(); i++) {
                known.merge(tokens.word(i), by, Typed::sum);
            }
            for (int i = 0; i + Provenance.GRAM <= tokens.size(); i++) {
                known.merge(tokens.gram(i, Provenance.GRAM), by, Typed::sum);
            }
        }

        private static @Nullable Integer sum(Integer old, Integer more) {
            return old + more == 0 ? null : Integer.valueOf(old + more);
        }
    }

    void add(String text) {
        if (text.length() > Provenance.MOST_TYPED) {
            return;
        }
        Typed one = new Typed(text, Tokens.of(text), Quantities.of(text));
        texts.add(one);
        one.count(known, 1);
        chars += text.length();
        while (chars > Provenance.MOST_TYPED && texts.size() > 1) {
            Typed oldest = texts.remove();
            oldest.count(known, -1);
            chars -= oldest.text.length();
        }
    }

    /** Returns how many characters are remembered. */
    int size() {
        return chars;
    }

    /**
     * Returns whether the user typed this value, as it is, or the same date or number in other signs.
     *
     * @param reference whether a number is one that stands for something, such as an id
     * @param argument the name of the argument
     */
    boolean names(String value, Tokens tokens, boolean reference, String argument) {
        if (value.length() > LONGEST) {
            return false;
        }
        if (Quantities.isNumber(value)) {
            return texts.stream().anyMatch(each -> each.quantities.has(value, reference, argument));
        }
        return Quantities.date(value)
                        .filter(date -> texts.stream().anyMatch(each -> each.quantities.has(date)))
                        .isPresent()
                || (hasWords(tokens) && texts.stream().anyMatch(each -> Provenance.stands(value, each.text)));
    }

    /** Returns whether all words of the value stand in what the user typed, one behind the other, however written. */
    boolean tells(String value, Tokens tokens) {
        return value.length() >= Provenance.SHORTEST
                && value.length() <= LONGEST
                && tokens.size() > 0
                && !Quantities.isNumber(value)
                && hasWords(tokens)
                && texts.stream().anyMatch(each -> tokens.isIn(each.tokens));
    }

    /** Returns whether the user typed these words, one number for {@value Provenance#GRAM} of them. */
    boolean hasPassage(long gram) {
        return known.containsKey(gram);
    }

    /** What was typed is read through only where it has all the words. */
    private boolean hasWords(Tokens tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (!known.containsKey(tokens.word(i))) {
                return false;
            }
        }
        return true;
    }
}
