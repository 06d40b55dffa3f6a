package dev.sluice.guard.provenance;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Lineage;
import dev.sluice.labels.Origin;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** What {@link Provenance} says of texts whose parts are alike and of values that the user did not type, without an index. */
final class SimpleProvenance {

    private static final int PIECE = 2_048;
    private static final int OVERLAP = 256;
    private static final int MOST = Provenance.MOST_PLACES;

    private final int mostChars;
    private final List<Seen> all = new ArrayList<>();
    private Label known = Label.BOTTOM;
    private Label forgotten = Label.BOTTOM;
    private boolean forgets;
    private long chars;

    /** A piece, and how much of the room it takes. */
    private record Seen(List<String> words, String exact, boolean whole, Place place, int size) {

        boolean has(List<String> words) {
            return Collections.indexOfSubList(this.words, words) >= 0;
        }
    }

    SimpleProvenance(int mostChars) {
        this.mostChars = mostChars;
    }

    void seen(String text, Place place) {
        known = known.join(place.label());
        for (String variant : Tokens.variants(text)) {
            boolean whole = variant.length() <= PIECE;
            int step = whole ? Math.max(1, variant.length()) : PIECE - OVERLAP;
            for (int from = 0; from < Math.max(1, variant.length()); from += step) {
                add(variant.substring(from, Math.min(variant.length(), from + PIECE)), whole, place);
            }
        }
    }

    private void add(String text, boolean whole, Place place) {
        boolean exact = place.vouched() || place.label().integrity() == Integrity.TRUSTED;
        int size = compared(text).length() + (exact ? text.length() : 0) + 16;
        all.add(new Seen(words(text), exact ? text : "", whole, place, size));
        chars += size;
        while (chars > mostChars && all.size() > 1) {
            Seen oldest = all.remove(0);
            chars -= oldest.size;
            forgets = true;
            forgotten = forgotten.join(oldest.place.label());
        }
    }

    int pieces() {
        return all.size();
    }

    private static String compared(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    }

    /** Returns the words of a text, of which many marks in a row are one. */
    static List<String> words(String raw) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        String text = compared(raw) + " ";
        text.codePoints().forEach(c -> {
            if (Tokens.isOfWord(c)) {
                end(marks, Tokens.MOST_MARKS, words);
                word.appendCodePoint(c);
                return;
            }
            end(word, 0, words);
            if (!Character.isWhitespace(c) && !Character.isSpaceChar(c)) {
                marks.appendCodePoint(c);
            }
        });
        end(marks, Tokens.MOST_MARKS, words);
        return words;
    }

    private static void end(StringBuilder word, int atLeast, List<String> words) {
        if (word.codePointCount(0, word.length()) > atLeast) {
            words.add(word.toString());
        }
        word.setLength(0);
    }

    private List<Seen> with(List<String> words) {
        return all.stream().filter(each -> each.has(words)).toList();
    }

    private static List<Seen> some(List<Seen> found) {
        List<Seen> some = new ArrayList<>(found.subList(0, Math.min(MOST, found.size())));
        if (found.size() > MOST) {
            some.add(found.get(found.size() - 1));
        }
        return some;
    }

    Trace trace(String value, Label session) {
        List<String> words = words(value);
        Label label = Label.BOTTOM;
        boolean vouched = true;
        boolean named = false;
        TreeSet<Origin> origins = new TreeSet<>();
        List<Seen> found = new ArrayList<>();
        boolean many = whole(value, words, found);
        String iso = value.length() <= OVERLAP ? Quantities.inIso(value) : value;
        if (!iso.equals(value)) {
            many |= whole(iso, words(iso), found);
        }
        boolean unmatched = many;
        if (!many && found.isEmpty()) {
            int covered = 0;
            for (int i = 0; i + Provenance.GRAM <= words.size(); i++) {
                List<Seen> there = with(words.subList(i, i + Provenance.GRAM));
                if (!there.isEmpty()) {
                    unmatched |= there.size() > MOST || i > covered;
                    covered = i + Provenance.GRAM;
                    found.addAll(some(there));
                }
            }
            unmatched |= covered < words.size() || words.isEmpty();
        }
        for (Seen each : found) {
            label = label.join(each.place.label());
            vouched &= (each.place.vouched() ? each.exact.equals(value) : Provenance.stands(value, each.exact))
                    && (each.place.vouched() || each.place.label().integrity() == Integrity.TRUSTED);
            named |= each.place.named();
            origins.add(each.place.origin());
        }
        boolean any = !found.isEmpty();
        if (any && forgets) {
            label = label.join(forgotten);
            vouched = false;
        }
        if (any && !session.canFlowTo(known)) {
            label = label.join(session);
            vouched = false;
        }
        return new Trace(
                label,
                any && named && vouched && !unmatched,
                any && vouched && !unmatched,
                unmatched,
                false,
                origins.stream().limit(Lineage.PER_PART).toList());
    }

    /** Adds where the value stands as a whole; returns whether that is in too many places. */
    private boolean whole(String value, List<String> words, List<Seen> found) {
        if (words.isEmpty()) {
            return false;
        }
        List<Seen> same = all.stream()
                .filter(each -> each.whole && each.words.equals(words))
                .toList();
        found.addAll(some(same));
        boolean many = same.size() > MOST;
        if (value.length() >= Provenance.SHORTEST && value.length() <= OVERLAP) {
            List<Seen> rarest = with(words.subList(0, 1));
            for (String word : words) {
                List<Seen> there = with(List.of(word));
                rarest = Math.min(MOST + 1, there.size()) < Math.min(MOST + 1, rarest.size()) ? there : rarest;
            }
            many |= rarest.size() > MOST;
            some(rarest).stream().filter(each -> each.has(words)).forEach(found::add);
        }
        return many;
    }
}
