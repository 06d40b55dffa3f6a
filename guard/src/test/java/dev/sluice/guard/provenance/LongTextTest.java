package dev.sluice.guard.provenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long texts, which are taken apart when something is looked for in them, beside what a search without an index finds. */
class LongTextTest {

    private static final List<String> BETWEEN = List.of(
            " ", " ", " ", " ", " ", ", ", ". ", "\n", "-", "@", "+", "%20", " !? ", "....", "\u2026\u2026 ", "\u00a0");

    private static Label label(int server) {
        return new Label(
                server % 2 == 0 ? Integrity.TRUSTED : Integrity.UNTRUSTED,
                Confidentiality.of(new Source.OfServer("s" + server)),
                new java.util.TreeSet<>());
    }

    private static Place place(SplittableRandom random, int number) {
        return new Place(
                label(random.nextInt(5)),
                random.nextInt(4) == 0,
                random.nextInt(4) == 0,
                new Origin(Instant.EPOCH.plusSeconds(number), "c" + number, "mail", "read"));
    }

    private static List<String> vocabulary(SplittableRandom random, int size) {
        List<String> words = new ArrayList<>(List.of(
                "2026-03-05", "5 March 2026", "March 5, 2026", "\u00e4rger", "stra\u00dfe", "\uff42\uff4f", "1234"));
        while (words.size() < size) {
            StringBuilder word = new StringBuilder();
            int length = 1 + random.nextInt(14);
            for (int i = 0; i < length; i++) {
                int sign = random.nextInt(random.nextInt(40) == 0 ? 90 : 38);
                word.appendCodePoint(
                        sign < 26
                                ? 'a' + sign
                                : sign < 36 ? '0' + sign - 26 : sign < 38 ? 'A' + sign : 0x2f0 + 37 * sign);
            }
            words.add(word.toString());
        }
        return words;
    }

    private static String text(SplittableRandom random, List<String> words, int length, boolean ascii) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            String word = words.get(random.nextInt(words.size()));
            String between = BETWEEN.get(random.nextInt(BETWEEN.size()));
            if (!ascii || Tokens.isAscii(word + between, 0, word.length() + between.length())) {
                text.append(word).append(between);
            }
        }
        return text.toString();
    }

    private static String value(SplittableRandom random, List<String> texts, List<String> words) {
        String text = texts.get(random.nextInt(texts.size()));
        int from = random.nextInt(text.length());
        int kind = random.nextInt(10);
        if (kind == 0) {
            return text(random, words, 1 + random.nextInt(60), false);
        }
        if (kind == 1) {
            return words.get(random.nextInt(words.size()));
        }
        if (kind == 2) {
            return text; // all of it
        }
        int length = kind < 6 ? random.nextInt(40) : random.nextInt(600);
        String part = text.substring(from, Math.min(text.length(), from + length));
        return kind == 9 ? part + " " + value(random, texts, words) : part;
    }

    /** Texts and values come mixed, so that indexes are in all states, and are forgotten in all of them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whatIsFound_isWhatASearchFinds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int room = seed % 2 == 0 ? 70_000 : 10_000_000;
        int texts = seed % 2 == 0 ? 24 : 8;
        List<String> words = vocabulary(random, 12 << random.nextInt(8));
        Provenance seen = new Provenance(room);
        SimpleProvenance simple = new SimpleProvenance(room);
        List<String> came = new ArrayList<>();
        for (int i = 0; i < texts; i++) {
            boolean isLong = random.nextInt(3) > 0;
            // Of short texts few are remembered, else one that is in many places stays so when most are forgotten.
            int length = isLong ? Provenance.LONG - 2_000 + random.nextInt(12_000) : 1_500 + random.nextInt(3_000);
            String text = !came.isEmpty() && random.nextInt(5) == 0
                    ? came.get(random.nextInt(came.size()))
                    : text(random, words, length, random.nextInt(4) > 0);
            came.add(text);
            Place place = place(random, i);
            seen.seen(text, place);
            simple.seen(text, place);
            assertTrue(room > 1_000_000 || simple.pieces() <= Provenance.MOST_PLACES);
            for (int j = random.nextInt(7); j > 0; j--) {
                String value = value(random, came, words);
                Label session = random.nextInt(8) == 0 ? label(7) : Label.BOTTOM;
                assertEquals(simple.trace(value, session), seen.trace(value, session), value);
            }
        }
        assertTrue(simple.pieces() > 10);
    }

    @Test
    void manyPlaces_areTooMany() {
        SplittableRandom random = new SplittableRandom(11);
        List<String> words = vocabulary(random, 40);
        Provenance seen = new Provenance(10_000_000);
        SimpleProvenance simple = new SimpleProvenance(10_000_000);
        List<String> came = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            came.add(text(random, words, i % 2 == 0 ? 900 : 20_000, i % 3 > 0));
            Place place = place(random, i);
            seen.seen(came.get(i), place);
            simple.seen(came.get(i), place);
        }
        int many = 0;
        for (int i = 0; i < 300; i++) {
            String value = i % 2 == 0 ? words.get(i % words.size()) : value(random, came, words);
            Trace trace = simple.trace(value, Label.BOTTOM);
            assertEquals(trace, seen.trace(value, Label.BOTTOM), value);
            many += trace.unmatched() && !trace.origins().isEmpty() ? 1 : 0;
        }
        assertTrue(many > 50, "many " + many);
    }

    @Test
    void longText_isTakenApartWhenSomethingMayStandInIt() {
        Provenance seen = new Provenance();
        Place place = new Place(label(1), false, new Origin(Instant.EPOCH, "c1", "mail", "read"));
        assertFalse(seen.isBehind());
        seen.seen("the far shore and the near shore are where ships sail to ".repeat(1_000), place);
        assertTrue(seen.isBehind());

        assertEquals(Trace.NOWHERE, seen.trace("nobody@clinic.example", label(1)));
        assertEquals(Trace.NOWHERE, seen.trace("what is written here stands nowhere in any of it", label(1)));
        assertTrue(seen.isBehind());

        assertFalse(seen.trace("where ships sail", label(1)).origins().isEmpty());
        assertFalse(seen.trace("sail to the far shore and the near shore are where ships sail", label(1))
                .origins()
                .isEmpty());
        assertFalse(seen.trace("sail to the far shore ".repeat(20), label(1))
                .origins()
                .isEmpty());
        assertFalse(seen.isBehind());
    }

    @Test
    void wordsOfAnyLength_areHashedAsTheyAreBesideOtherSigns() {
        SplittableRandom random = new SplittableRandom(13);
        for (int i = 0; i < 500; i++) {
            String text = text(random, vocabulary(random, 12), 1 + random.nextInt(200), false);
            Tokens tokens = Tokens.of(text);
            List<String> words = SimpleProvenance.words(text);
            assertEquals(words.size(), tokens.size(), text);
            for (int at = 0; at < words.size(); at++) {
                for (int other = 0; other < at; other++) {
                    assertEquals(words.get(at).equals(words.get(other)), tokens.word(at) == tokens.word(other), text);
                }
            }
        }
    }
}
