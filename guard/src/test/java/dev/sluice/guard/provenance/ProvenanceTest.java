// This file has more than 400 lines because each way in which a value can be found, missed or named is one test.
package dev.sluice.guard.provenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import dev.sluice.labels.Source;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is found of a value in the texts of a session. */
class ProvenanceTest {

    private static final Label MAIL = label("mail");
    private static final Label FILES = label("files");
    private static final Label ALL = MAIL.join(FILES);
    private static final String PASSAGE = "the quarterly numbers are worse than we told the board last week";

    private static Label label(String server) {
        return Label.of(Integrity.UNTRUSTED, Confidentiality.of(new Source.OfServer(server)));
    }

    private static Place place(Label label) {
        return place(label, false);
    }

    private static Place place(Label label, boolean vouched) {
        return new Place(label, vouched, new Origin(Instant.EPOCH, "c1", "mail", "read"));
    }

    private static Provenance seen(String... texts) {
        Provenance seen = new Provenance();
        for (String text : texts) {
            seen.seen(text, place(MAIL));
        }
        return seen;
    }

    private static Trace trace(Provenance seen, String value) {
        return seen.trace(value, MAIL);
    }

    private static void assertFound(Trace trace) {
        assertEquals(MAIL, trace.label());
        assertFalse(trace.unmatched());
        assertFalse(trace.named());
    }

    @Test
    void nothingSeen_isFoundNowhere() {
        Trace trace = new Provenance().trace("bo@clinic.example", Label.BOTTOM);

        assertEquals(Trace.NOWHERE, trace);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bo@clinic.example|bo@clinic.example",
                "please write to bo@clinic.example today|bo@clinic.example",
                "Please write to BO@Clinic.Example|bo@clinic.example",
                "ｂｏ＠clinic.example|bo@clinic.example",
                "caf\u00e9 on the corner|cafe\u0301",
                "two   words apart|two words",
                "q=bo%40clinic.example|bo@clinic.example",
                "Ym9AY2xpbmljLmV4YW1wbGU=|bo@clinic.example",
                "room 12|room 12",
            })
    void value_isFound(String text, String value) {
        assertFound(trace(seen(text), value));
    }

    @Test
    void encodingOfAnEncoding_isNotLookedInto() {
        String once = Base64.getEncoder().encodeToString("secret address".getBytes(StandardCharsets.UTF_8));
        String twice = Base64.getEncoder().encodeToString(once.getBytes(StandardCharsets.UTF_8));

        assertTrue(trace(seen(twice), "secret address").unmatched());
    }

    @Test
    void shortValue_isFoundOnlyAsAWholeText() {
        assertTrue(trace(seen("row 42 of the table"), "42").unmatched());
        assertFound(trace(seen("42"), "42"));
    }

    @Test
    void partOfAWord_isNotFound() {
        assertTrue(trace(seen("password"), "word").unmatched());
    }

    @Test
    void quote_isCoveredByItsPassages() {
        String quote = PASSAGE + " " + PASSAGE + " " + PASSAGE + " " + PASSAGE + " " + PASSAGE;
        assertTrue(quote.length() > 256);

        assertFound(trace(seen(PASSAGE + " " + PASSAGE), quote));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PASSAGE + ". Profit fell by nine.",
                "Profit fell by nine. " + PASSAGE,
                "the quarterly numbers are worse than nine people thought we told the board last week",
            })
    void quoteAndAParaphrase_isUnmatchedAndHasTheLabelOfTheQuote(String value) {
        Trace trace = trace(seen(PASSAGE), value);

        assertEquals(MAIL, trace.label());
        assertTrue(trace.unmatched());
    }

    @Test
    void quoteOfTwoTexts_hasBothLabels() {
        Provenance seen = seen(PASSAGE);
        seen.seen("all patients of ward seven go home on friday", place(FILES));

        Trace trace = seen.trace(PASSAGE + "; all patients of ward seven go home on friday", ALL);

        assertEquals(ALL, trace.label());
        assertFalse(trace.unmatched());
    }

    @Test
    void valueInTwoTexts_hasBothLabels() {
        Provenance seen = seen("ask bo@clinic.example");
        seen.seen("bo@clinic.example", place(FILES, true));

        Trace trace = seen.trace("bo@clinic.example", ALL);

        assertEquals(ALL, trace.label());
        assertFalse(trace.vouched());
    }

    /** A text can be written with signs that are neither letters nor digits. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello there \u280e\u2811\u2809\u2817\u2811\u281e",
                "hello \ud83d\ude00\ud83d\ude02 there",
                "hello ... --- ... there",
                "hello there -.-. --- -.. .",
                "hello \u200b\u200c\u200b there",
                "he\u200bllo there",
                "hello the\u0301re",
            })
    void signsThatSpellSomething_areUnmatched(String value) {
        assertTrue(trace(seen("hello there"), value).unmatched());
        assertFound(trace(seen(value), value));
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "/", "...", "*", "          ", "\n\t \n\t\t"})
    void valueWithoutWords_isFoundNowhereAndNamedByNobody(String value) {
        Provenance seen = seen("a . / * ...");
        seen.typed("a . / * ...          ");

        assertEquals(Trace.NOWHERE, trace(seen, value));
    }

    @Test
    void valueInMoreThan64Texts_isUnmatched() {
        Provenance seen = new Provenance();
        for (int i = 0; i < Provenance.MOST_PLACES; i++) {
            seen.seen("number " + i + " of clinic", place(MAIL));
        }
        assertFound(trace(seen, "clinic"));

        seen.seen("number 64 of clinic", place(MAIL));

        assertTrue(trace(seen, "clinic").unmatched());
    }

    @Test
    void forgottenLabel_joinsLaterFindsAndNothingIsVouchedAnyMore() {
        Provenance seen = new Provenance(400);
        seen.seen("an old private thing", place(FILES));
        seen.seen("id-77", place(MAIL, true));
        assertTrue(seen.trace("id-77", ALL).vouched());

        seen.seen("x".repeat(300), place(MAIL));
        seen.seen("id-78", place(MAIL, true));

        assertTrue(seen.trace("an old private thing", ALL).unmatched());
        Trace later = seen.trace("id-78", ALL);
        assertEquals(ALL, later.label());
        assertFalse(later.vouched());
        assertFalse(later.unmatched());
    }

    @Test
    void whatCameElsewhere_joinsFindsAndNothingIsVouched() {
        Provenance seen = new Provenance();
        seen.seen("id-77", place(MAIL, true));
        assertTrue(seen.trace("id-77", MAIL).vouched());

        Trace trace = seen.trace("id-77", ALL);

        assertEquals(ALL, trace.label());
        assertFalse(trace.vouched());
        seen.came(FILES);
        assertTrue(seen.trace("id-77", ALL).vouched());
        seen.missed(FILES);
        assertEquals(ALL, seen.trace("id-77", ALL).label());
        assertFalse(seen.trace("id-77", ALL).vouched());
    }

    /** Reading takes no account of punctuation and case; a service does. */
    @ParameterizedTest
    @ValueSource(strings = {"../a/b", "a-b", "A/b", "a/b/", "b", " a/b"})
    void vouchedValue_isExactlyThat(String value) {
        Provenance seen = new Provenance();
        seen.seen("a/b", new Place(MAIL, true, true, new Origin(Instant.EPOCH, "c1", "mail", "read")));
        assertTrue(seen.trace("a/b", MAIL).vouched());
        assertTrue(seen.trace("a/b", MAIL).named());

        Trace trace = seen.trace(value, MAIL);

        assertFalse(trace.vouched());
        assertFalse(trace.named());
    }

    @Test
    void valueInTrustedText_isVouchedWhereItStandsAsItIs() {
        Provenance seen = new Provenance();
        seen.seen("write to bo@clinic.example, room /b/7", place(Label.BOTTOM));

        assertTrue(seen.trace("bo@clinic.example", Label.BOTTOM).vouched());
        assertFalse(seen.trace("BO@clinic.example", Label.BOTTOM).vouched());
        assertFalse(seen.trace("bo/clinic.example", Label.BOTTOM).vouched());
        assertFalse(seen.trace("bo@clinic", Label.BOTTOM).vouched());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "send it to a@b.c|a@b.c",
                "send it to a@b.c.|a@b.c",
                "<a@b.c>, please|a@b.c",
                "(mailto:a@b.c)|a@b.c",
                "open https://b.c/d now|https://b.c/d",
                "open https://b.c/d now|b.c/d",
                "the room 'Blue Room'|Blue Room",
                "pay 12.50 to bo|12.50",
            })
    void typedValue_isNamedAndCarriesNothing(String typed, String value) {
        Provenance seen = seen(value);
        seen.typed(typed);

        assertEquals(Trace.TYPED, trace(seen, value));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a@b.cd|a@b.c",
                "xa@b.c|a@b.c",
                "a@b.c.d|a@b.c",
                "x.a@b.c|a@b.c",
                "x+a@b.c|a@b.c",
                "a@b.c\u0301|a@b.c",
                "a@b.c\u200bd|a@b.c",
                "x@b.c|@b.c",
                "/home/ana/notes|/home/ana",
                "C:\\home\\ana|C:\\home",
                "/home//ana|/home",
                "a@b.c|A@b.c",
                "a@b.c|\u0430@b.c",
                "a@b.c|\uff41@b.c",
                "a@b.c|a@b.\u0441",
                "a@b.c|a@b.c,x@b.c",
                "pay 12.50|12",
                "pay 12.50|50",
                "the blue  room|blue room",
            })
    void valueThatWasNotTypedAsItIs_isNotNamed(String typed, String value) {
        Provenance seen = new Provenance();
        seen.typed(typed);

        assertFalse(trace(seen, value).named());
        assertFalse(trace(seen, value).vouched());
    }

    /** Somebody who is told it learns what the user said, and nothing that was read. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "please refund Bo|Refund",
                "the blue  room|blue room",
                "tell them that I have seen it in the meeting room today|Seen it in the meeting room!",
            })
    void wordsOfTheUser_tellNothingAndNameNothing(String typed, String value) {
        Provenance seen = seen(value);
        seen.typed(typed);

        Trace trace = trace(seen, value);

        assertEquals(Label.BOTTOM, trace.label());
        assertFalse(trace.unmatched());
        assertFalse(trace.named());
        assertFalse(trace.vouched());
    }

    @Test
    void passageOfTheUsersWords_coversItselfAndNothingElse() {
        Provenance seen = seen(PASSAGE);
        seen.typed("ask them whether they have seen my coffee mug anywhere");

        assertFalse(trace(seen, "They have seen my coffee mug, " + PASSAGE).unmatched());
        assertEquals(
                MAIL, trace(seen, "They have seen my coffee mug, " + PASSAGE).label());
        assertTrue(trace(seen, "They have seen my coffee mug, and 4711").unmatched());
        assertTrue(trace(seen, "have seen my mug").unmatched());
        assertTrue(trace(seen, "mug coffee my seen have they whether them ask").unmatched());
    }

    /** Which passages follow each other would spell anything. */
    @Test
    void passagesOfTheUserInAnotherOrder_areUnmatched() {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            words.add("word" + i);
        }
        Provenance seen = new Provenance();
        seen.typed(String.join(" ", words));
        SplittableRandom random = new SplittableRandom(11);
        for (int count = 1; count <= 40; count++) {
            List<String> value = new ArrayList<>();
            int last = -1;
            for (int i = 0; i < count; i++) {
                int from = random.nextInt(56);
                from = from == last + 5 ? (from + 7) % 56 : from;
                value.addAll(words.subList(from, from + 5));
                last = from;
            }

            assertEquals(count > 3, trace(seen, String.join(" ", value)).unmatched(), value.toString());
        }
        assertFalse(trace(seen, String.join(" ", words.subList(3, 50)) + ".").unmatched());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pLease Ask Them whether they Have seen it",
                "please Ask Them Whether They Have seen it",
                "please ask   them whether they have seen it",
                "please ask\tthem whether they have seen it",
                "please, ask them whether they have seen it",
                "please ask them whether they have seen it          ",
                "please ask them whether they have seen it.,;",
                "\uff50lease ask them whether they have seen it",
            })
    void otherSpellingOfTheUsersWords_isUnmatched(String value) {
        Provenance seen = new Provenance();
        seen.typed("please ask them whether they have seen it");
        assertFalse(trace(seen, "Please ask them whether they have seen it!").unmatched());

        assertTrue(trace(seen, value).unmatched());
    }

    @Test
    void passageOfSomethingRead_isNoneOfTheUsers() {
        Provenance seen = seen(PASSAGE);
        seen.typed("one two three four five six seven eight nine ten");

        Trace trace = trace(seen, "two three four five six; " + PASSAGE + ". four five six seven eight");

        assertTrue(trace.said());
        assertFalse(trace.unmatched());
        assertEquals(MAIL, trace.label());
        assertFalse(trace(seen, PASSAGE).said());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "next meeting on June 1, 2024.|2024-06-01",
                "next meeting on 2024-06-01.|June 1, 2024",
                "next meeting on 2024-06-01.|1st of June 2024",
                "the 1st of June, 2024|Jun 1, 2024",
            })
    void date_isFoundHoweverItIsWritten(String text, String value) {
        assertFound(trace(seen(text), value));
    }

    @Test
    void dateInTwoTexts_hasBothLabelsHoweverItIsWritten() {
        Provenance seen = seen("due on June 1, 2024");
        seen.seen("born on 2024-06-01", place(FILES));

        assertEquals(ALL, seen.trace("2024-06-01", ALL).label());
        assertEquals(ALL, seen.trace("June 1, 2024", ALL).label());
        assertTrue(seen.trace("2024-06-02", ALL).unmatched());
    }

    @Test
    void typedDateAndNumber_areNamedHoweverTheyAreWritten() {
        Provenance seen = new Provenance();
        seen.typed("on May 15th, 2024 pay 1,200.50 and 12.00 to the one with id 13");

        assertTrue(trace(seen, "2024-05-15").named());
        assertTrue(trace(seen, "1200.5").named());
        assertTrue(trace(seen, "12").named());
        assertFalse(seen.trace("12", true, "id", MAIL).named());
        assertTrue(seen.trace("13", true, "id", MAIL).named());
        assertFalse(trace(seen, "15").named());
        assertFalse(trace(seen, "2024-05-16").named());
    }

    @Test
    void typedTexts_areForgottenAndTooLongOnesNotKept() {
        Provenance seen = new Provenance();
        seen.typed("the first address a@b.c");
        seen.typed("y".repeat(Provenance.MOST_TYPED + 1) + " d@e.f");
        assertTrue(trace(seen, "a@b.c").named());
        assertFalse(trace(seen, "d@e.f").named());

        seen.typed("y".repeat(Provenance.MOST_TYPED));

        assertFalse(trace(seen, "a@b.c").named());
        assertEquals(Provenance.MOST_TYPED, seen.size());
        seen.typed("a word, and a word");
        seen.typed("another word");
        assertTrue(trace(seen, "another word").named());
        assertTrue(trace(seen, "a word").named());
    }

    @Test
    void valueAcrossTheBorderOfPieces_isFoundWhereverItStands() {
        String value = "bo.the.second@clinic.example";
        for (int before = 1_700; before < 2_100; before += 7) {
            String text =
                    "lorem ipsum ".repeat(400).substring(0, before) + " " + value + " " + "dolor sit ".repeat(400);

            assertFound(trace(seen(text), value));
        }
    }

    @Test
    void memory_isBoundedAndEmptiedOnForgetting() {
        Provenance seen = new Provenance(4_000);
        int most = 0;
        for (int round = 0; round < 40; round++) {
            // Words of this round only, each in more texts than are looked at, so that lists fill up.
            for (int i = 0; i < 80; i++) {
                seen.seen("round" + round + " same" + round + " both" + round, place(MAIL));
            }
            most = Math.max(most, seen.entries());
            assertTrue(seen.size() <= 4_000, "size " + seen.size());
        }
        assertTrue(most < 200, "entries " + most);

        seen.seen("z".repeat(4_000), place(MAIL));
        seen.seen("one", place(MAIL));

        assertTrue(seen.entries() < 10, "entries " + seen.entries());
    }

    @Test
    void twoThreads_losesNothing() throws Exception {
        Provenance seen = new Provenance(1 << 20);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<Boolean>> all = new ArrayList<>();
            for (String name : List.of("left", "right")) {
                all.add(threads.submit(() -> {
                    boolean found = true;
                    for (int i = 0; i < 500; i++) {
                        seen.seen(name + i, place(MAIL));
                        found &= !trace(seen, name + i).unmatched();
                    }
                    return found;
                }));
            }
            for (Future<Boolean> one : all) {
                assertTrue(one.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertFound(trace(seen, "left7"));
        assertFound(trace(seen, "right499"));
    }

    /** Words cut out of a text are found there, or count as anything; short ones are not looked for inside texts. */
    @Test
    void anyWordsOfAnyText_haveTheLabelOfTheTextOrAreUnmatched() {
        SplittableRandom random = new SplittableRandom(7);
        Label[] labels = {MAIL, FILES, Label.BOTTOM};
        for (int round = 0; round < 400; round++) {
            Provenance seen = new Provenance();
            List<List<String>> texts = new ArrayList<>();
            for (Label label : labels) {
                List<String> words = words(random, round % 10 == 0 ? 1_500 : 40);
                texts.add(words);
                seen.seen(String.join("", words), place(label));
            }
            for (int i = 0; i < 20; i++) {
                int which = random.nextInt(labels.length);
                List<String> words = texts.get(which);
                int from = random.nextInt(words.size() / 2) * 2;
                int to = from + 1 + random.nextInt(i % 2 == 0 ? 5 : words.size() - from);
                String value = String.join("", words.subList(from, Math.min(to, words.size())));

                Trace trace = seen.trace(value, ALL);

                assertTrue(
                        value.length() < 4 || trace.unmatched() || labels[which].canFlowTo(trace.label()),
                        "round " + round + ": `" + value + "`");
                assertFalse(trace.named());
            }
        }
    }

    /** Words and what stands between them, in turn. */
    private static List<String> words(SplittableRandom random, int most) {
        String signs = "abAB12\u00e9\uff41\u280e";
        List<String> between = List.of(" ", ", ", "\n", "@", "/", " - ", "%20", "=", "\u00a0", "'");
        List<String> all = new ArrayList<>();
        for (int i = random.nextInt(most); i >= 0; i--) {
            StringBuilder word = new StringBuilder();
            for (int j = random.nextInt(4); j >= 0; j--) {
                word.append(signs.charAt(random.nextInt(signs.length())));
            }
            all.add(word.toString());
            all.add(between.get(random.nextInt(between.size())));
        }
        return all;
    }
}
