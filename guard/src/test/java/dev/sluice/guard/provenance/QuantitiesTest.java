package dev.sluice.guard.provenance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which numbers and dates a text has. */
class QuantitiesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "refund that 10.00 I got|10.0",
                "rent is 2200. Also|2200.0",
                "pay 1,200.50 to Bo|1200.5",
                "pay $1,200 to Bo|1200",
                "pay 12 EUR|12",
                "pay 12.50 and 3|3",
            })
    void number_isItsValueHoweverItIsWritten(String text, String number) {
        assertTrue(Quantities.of(text).has(number, false, "amount"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "what is on June 13 in Hawaii|13",
                "what is on June 13th, 2024|13",
                "what is on June 13th, 2024|2024",
                "the 13th of June|13",
                "13 June|13",
                "in June 2024|2024",
                "on 2024-05-13|13",
                "on 13.05.2024|13",
                "on 05/13/24|13",
                "at 13:30|13",
                "at 13:30|30",
                "at 1:30:13 pm|13",
                "at 11 am|11",
                "at 11 a.m. sharp|11",
                "prices rose 13% now|13",
                "prices rose 13.5 % now|13.5",
                "prices rose 13 per cent|13",
                "pay 1,200.50|200",
                "pay 1,200.50|1",
                "pay 1,200.50|50",
                "pay 12.50|12",
                "pay 1.000,50|1",
                "pay 1.000,50|1.000",
                "pay 1.000,50|50",
                "pay 1,5|1",
                "pay 1,5|5",
                "pay 1\u202f500|500",
                "pay 1\u00a0500|1",
                "version 1.2.3|1.2",
                "a10 and 10b|10",
                "10-20 of them|10",
                "x/10|10",
                "twelve|12",
            })
    void partOfSomethingElse_isNoNumber(String text, String number) {
        assertFalse(Quantities.of(text).has(number, false, "amount"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete id 13",
                "delete the one with ID '13'",
                "delete the one with the id: 13.",
                "delete no. 13",
                "delete #13",
                "delete \"13\"",
                "delete file 13",
                "delete File #13, please",
            })
    void shortNumberThatIsIntroduced_isAnId(String text) {
        assertTrue(Quantities.of(text).has("13", true, "file_id"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "book 13 hours",
                "add 13 to it",
                "pay 13.0",
                "id 13.0",
                "id 013",
                "idea 13",
                "on June 13",
                "the meeting 13",
                "id 13%",
            })
    void shortNumberOfAnythingElse_isNoId(String text) {
        assertFalse(Quantities.of(text).has("13", true, "file_id"));
    }

    @Test
    void longNumber_needsNoIntroduction() {
        assertTrue(Quantities.of("delete 48613").has("48613", true, "x"));
        assertFalse(Quantities.of("delete 48,613").has("48613", true, "x"));
        assertFalse(Quantities.of("delete 486130").has("48613", true, "x"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-05-15",
                "May 15th, 2024",
                "may 15 2024",
                "15 May 2024",
                "15th of May, 2024",
                "the 15th of may 2024",
                "MAY 15, 2024",
            })
    void date_isTheSameDayHoweverItIsWritten(String text) {
        assertTrue(Quantities.of("see you on " + text + ".").has(LocalDate.of(2024, 5, 15)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "May 15",
                "15.05.2024",
                "05/15/2024",
                "2024-05-151",
                "12024-05-15",
                "2024-5-15",
                "May 15, 20245",
                "Maya 15, 2024",
                "Dismay 15, 2024",
                "May 150, 2024",
            })
    void whatIsNoPlainDate_isNone(String text) {
        assertFalse(Quantities.of(text).has(LocalDate.of(2024, 5, 15)));
        assertEquals(Optional.empty(), Quantities.date(text));
    }

    /** Somebody pastes a table; that must not take longer than reading it. */
    @Test
    void manyNumbersAndOneHugeOne_areReadOnce() {
        String table = "13,1.5,2024,".repeat(20_000);
        Quantities found =
                Quantities.of("pay 7 " + table + " " + "9".repeat(100_000) + " " + "1,".repeat(50_000) + " 8");

        assertTrue(found.has("7", false, "amount"));
        assertTrue(found.has("8.00", false, "amount"));
        assertFalse(found.has("9", false, "amount"));
        assertEquals("9".repeat(100_000), Quantities.inIso("9".repeat(100_000)));
    }

    @Test
    void dayThatDoesNotExist_isNoDate() {
        assertEquals(Optional.empty(), Quantities.date("2024-02-30"));
        assertEquals(Optional.empty(), Quantities.date("February 30, 2024"));
        assertEquals("February 30, 2024", Quantities.inIso("February 30, 2024"));
    }

    @Test
    void textWithDates_hasThemAllInOneWay() {
        assertEquals(
                "from 2024-06-01 to 2024-06-12, not 2024-06-13 or June 14",
                Quantities.inIso("from June 1, 2024 to 12th of June 2024, not 2024-06-13 or June 14"));
    }

    /** Any day, in any of the ways, is that day and no other. */
    @Test
    void anyDay_isFoundInEveryWay() {
        SplittableRandom random = new SplittableRandom(7);
        String[] months = {
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December"
        };
        for (int i = 0; i < 2_000; i++) {
            LocalDate day = LocalDate.ofEpochDay(random.nextLong(40_000));
            String month = months[day.getMonthValue() - 1];
            String name = random.nextBoolean() ? month : month.substring(0, 3);
            String written = random.nextBoolean()
                    ? name + " " + day.getDayOfMonth() + ", " + day.getYear()
                    : day.getDayOfMonth() + " " + name + " " + day.getYear();

            assertEquals(Optional.of(day), Quantities.date(written), written);
            assertEquals(day.toString(), Quantities.inIso(written));
            assertFalse(Quantities.of(written).has(day.plusDays(1)), written);
        }
    }

    @Test
    void anyText_hasTheDatesThatLookingEverywhereFinds() {
        String[] parts = {
            "May",
            "june",
            "Sept.",
            "12",
            "3rd",
            "1",
            "2024",
            "1999",
            "12345",
            " ",
            "  ",
            "    ",
            ",",
            ", ",
            "-",
            "-05-13",
            "of ",
            "x",
            "\u00e9",
            "2024-05-13",
            "May 3, 2024",
            "3 May 2024",
            ".",
            "\n",
            "_",
            "october",
            "\ud83d\ude00"
        };
        SplittableRandom random = new SplittableRandom(7);
        int dates = 0;
        for (int i = 0; i < 100_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(14); n >= 0; n--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            String iso = everywhere(text.toString());
            assertEquals(iso, Quantities.inIso(text.toString()), text.toString());
            dates += iso.contentEquals(text) ? 0 : 1;
        }
        assertTrue(dates > 10_000, dates + " texts had dates");
    }

    /** The same by the patterns alone. */
    private static String everywhere(String text) {
        TreeMap<Integer, MatchResult> found = new TreeMap<>();
        Map<Integer, LocalDate> dates = new HashMap<>();
        for (Pattern pattern : List.of(Quantities.ISO, Quantities.MONTH_FIRST, Quantities.DAY_FIRST)) {
            pattern.matcher(text)
                    .results()
                    .forEach(match -> Quantities.date(pattern, match).ifPresent(date -> {
                        if (found.putIfAbsent(match.start(), match) == null) {
                            dates.put(match.start(), date);
                        }
                    }));
        }
        StringBuilder iso = new StringBuilder();
        int done = 0;
        for (MatchResult match : found.values()) {
            LocalDate date = dates.get(match.start());
            if (date != null && match.start() >= done && !date.toString().equals(match.group())) {
                iso.append(text, done, match.start()).append(date);
                done = match.end();
            }
        }
        return iso.append(text, done, text.length()).toString();
    }
}
