package dev.sluice.guard.provenance;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;

/**
 * A text as it is written: its words, and what stands before, between and behind them, so one more than words.
 *
 * <p>Unlike {@link Tokens} it keeps case, white space and punctuation, since one can write with them.
 */
record Spelling(List<String> words, List<String> gaps) {

    static Spelling of(String raw) {
        String text = Normalizer.normalize(raw, Normalizer.Form.NFC);
        List<String> words = new ArrayList<>();
        List<String> gaps = new ArrayList<>();
        int from = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (Tokens.isOfWord(c) != inside) {
                add(inside ? words : gaps, text, from, i);
                from = i;
                inside = !inside;
            }
            i += Character.charCount(c);
        }
        add(inside ? words : gaps, text, from, text.length());
        if (inside) {
            gaps.add("");
        }
        return new Spelling(words, gaps);
    }

    /** Most gaps are one space, which is kept once. */
    private static void add(List<String> all, String text, int from, int to) {
        all.add(to == from + 1 && text.charAt(from) == ' ' ? " " : text.substring(from, to));
    }
}
