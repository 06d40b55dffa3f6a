package dev.sluice.guard.provenance;

import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the user of one session typed: which values it names, and which words are the user's own, so that they tell nobody
 * anything new. Not safe for several threads; the oldest texts are forgotten.
 */
final class TypedTexts {

    /** Longer values were not typed. */
    private static final int LONGEST = 4_096;

    /** How many passages of one value may be the user's: one, and two that do not go on with the one before. */
    static final int MOST_PASSAGES = 3;

    /** In how many places a value may be spelled in another way than the user did. */
    static final int MOST_CHANGES = 4;

    /** How many words are compared for one value. */
    private static final int MOST_COMPARED = 1 << 20;

    /** What may stand around a passage, though the user typed something else there. */
    private static final Pattern AROUND = Pattern.compile("[.,;:!?]?[ \\n]?");

    private final Deque<Typed> texts = new ArrayDeque<>();
    private final LongTable known = new LongTable();
    private int chars;

    /** What the user typed at once. */
    private record Typed(String text, Tokens tokens, Spelling spelling, Quantities quantities) {

        /** Counts the words and passages; both are numbers that are alike for nothing else. */
        void count(LongTable known, int by) {
            for (int i = 0; i < tokens.size(); i++) {
                count(known, tokens.word(i), by);
            }
            for (int i = 0; i + Provenance.GRAM <= tokens.size(); i++) {
                count(known, tokens.gram(i, Provenance.GRAM), by);
            }
        }

        private static void count(LongTable known, long key, int by) {
            int sum = known.get(key, 0) + by;
            if (sum == 0) {
                known.remove(key);
            } else {
                known.put(key, sum);
            }
        }
    }

    void add(String text) {
        if (text.length() > Provenance.MOST_TYPED) {
            return;
        }
        Typed one = new Typed(text, Tokens.of(text), Spelling.of(text), Quantities.of(text));
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
        Optional<LocalDate> date = Quantities.date(value);
        if (date.isPresent() && texts.stream().anyMatch(each -> each.quantities.has(date.get()))) {
            return true;
        }
        if (hasWords(tokens)) {
            for (Typed each : texts) {
                if (Provenance.stands(value, each.text)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether the value is one passage of what the user typed, in almost the same spelling. */
    boolean tells(String value, Tokens tokens) {
        return value.length() >= Provenance.SHORTEST
                && value.length() <= LONGEST
                && tokens.size() > 0
                && hasWords(tokens)
                && !Quantities.isNumber(value)
                && new Quote(value, tokens).passage(0) == tokens.size();
    }

    /** Returns the passages of a value that the user typed. */
    Quote quote(String value, Tokens tokens) {
        return new Quote(value, tokens);
    }

    /** The passages of one value that the user typed: few, and in almost the same spelling, since one can write with either. */
    final class Quote {

        private final String text;
        private final Tokens tokens;
        private @Nullable Spelling spelling;
        private int passages;
        private int changes;
        private int compared;

        private Quote(String value, Tokens tokens) {
            this.text = value;
            this.tokens = tokens;
        }

        /** Made when it is first needed, since few values have a passage of the user's. */
        private Spelling spelling() {
            Spelling made = spelling;
            if (made == null) {
                made = Spelling.of(text);
                spelling = made;
            }
            return made;
        }

        /** Returns how many words from {@code from} on go on in one typed text; none where there were too many passages. */
        int passage(int from) {
            Spelling value = spelling();
            boolean comparable = value.words().size() == tokens.size();
            if (!comparable || passages == MOST_PASSAGES || !isPlain(value, from)) {
                return 0;
            }
            passages++;
            int longest = 0;
            int cost = 0;
            for (Typed each : texts) {
                List<String> words = each.spelling.words();
                for (int at = 0; at + longest < words.size() && compared < MOST_COMPARED; at++) {
                    int spent = 0;
                    int length = 0;
                    int fits = 0;
                    int cheap = 0;
                    while (from + length < value.words().size() && at + length < words.size()) {
                        compared++;
                        spent += change(each.spelling, at + length, value, from + length, length > 0);
                        if (changes + spent > MOST_CHANGES) {
                            break;
                        }
                        length++;
                        if (isPlain(value, from + length)) {
                            fits = length;
                            cheap = spent;
                        }
                    }
                    if (fits > longest || (fits > 0 && fits == longest && cheap < cost)) {
                        longest = fits;
                        cost = cheap;
                    }
                }
            }
            changes += cost;
            return longest;
        }

        private static boolean isPlain(Spelling value, int gap) {
            return AROUND.matcher(value.gaps().get(gap)).matches();
        }

        /** Returns in how many places a word, and what stands before it, differ; too many where it is another. */
        private static int change(Spelling typed, int at, Spelling value, int i, boolean goesOn) {
            String word = value.words().get(i);
            String same = typed.words().get(at);
            int count = 0;
            if (!word.equals(same)) {
                if (!word.equalsIgnoreCase(same) || !word.substring(1).equals(same.substring(1))) {
                    return MOST_CHANGES + 1;
                }
                count++; // the first letter
            }
            String gap = value.gaps().get(i);
            String before = typed.gaps().get(at);
            if (goesOn && !gap.equals(before)) {
                if (!gap.equals(" ")) {
                    return MOST_CHANGES + 1;
                }
                count += before.isBlank() ? 0 : 1;
            }
            return count;
        }
    }

    /** Returns whether the user typed these words, one number for {@value Provenance#GRAM} of them. */
    boolean hasPassage(long gram) {
        return known.get(gram, 0) > 0;
    }

    /** What was typed is read through only where it has all the words. */
    private boolean hasWords(Tokens tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (known.get(tokens.word(i), 0) == 0) {
                return false;
            }
        }
        return true;
    }
}
