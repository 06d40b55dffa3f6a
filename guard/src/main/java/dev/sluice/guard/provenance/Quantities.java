package dev.sluice.guard.provenance;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dates and numbers that stand in a text, by what they are and not by how they are written.
 *
 * <p>A number is one only where it stands alone: the 13 of "June 13", of "13:30", of "13,5" and of "13 %" is none. Dates are read where
 * year, month and day are plain: ISO 8601, or the name of the month in English. What is written in digits alone in another
 * order is a date that nobody can tell, so it is neither a date nor numbers.
 */
final class Quantities {

    /** Numbers of at most this many digits stand in any text by chance. */
    private static final int SHORT = 3;

    /** Longer ones are no amounts, and costly to compare. */
    private static final int LONGEST = 60;

    private static final int YEAR_DIGITS = 4;

    /** What stands behind the year in ISO 8601. */
    private static final int ISO_REST = 6;

    /** The longest day, name of a month, and what stands between them and before the year: 24 signs. */
    private static final int MOST_BEFORE_YEAR = 32;

    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

    /** The first letters of months, each a bit. */
    private static final int FIRSTS =
            "jfmasond".chars().map(c -> 1 << (c & 0x1F)).reduce(0, (one, other) -> one | other);

    private static final String MONTH = "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
            + "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
    private static final String DAY = "([0-9]{1,2})(?:st|nd|rd|th)?";
    private static final String YEAR = "(?:,?\\s{1,3}([0-9]{4}))?";
    private static final String FROM = "(?<![\\p{L}\\p{N}_])";
    private static final String TO = "(?![\\p{L}\\p{N}_])";

    static final Pattern MONTH_FIRST = insensitive(FROM + MONTH + "\\s{1,3}" + DAY + YEAR + TO);
    static final Pattern DAY_FIRST = insensitive(FROM + DAY + "\\s{1,3}(?:of\\s)?" + MONTH + YEAR + TO);
    static final Pattern ISO = Pattern.compile(FROM + "([0-9]{4})-([0-9]{2})-([0-9]{2})" + TO);

    /** What has digits and is no number: a month of a year, a date in digits, a time, a percentage. */
    private static final List<Pattern> NO_NUMBERS = List.of(
            insensitive(FROM + MONTH + "\\s{1,3}[0-9]{4}" + TO),
            Pattern.compile(FROM + "[0-9]{1,4}([./-])[0-9]{1,2}\\1[0-9]{1,4}" + TO),
            insensitive(FROM + "[0-9]{1,2}(?::[0-9]{2}){1,2}(?:\\s?[ap]\\.?m\\b)?" + TO),
            insensitive(FROM + "[0-9]{1,2}\\s?[ap]\\.?m\\b"),
            insensitive(FROM + "[0-9]{1,15}(?:[.,][0-9]{1,15}){0,4}\\s?(?:%|per\\s?cent" + TO + ")"));

    private static final Pattern NUMBER =
            Pattern.compile("[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]+)?|[0-9]+(?:\\.[0-9]+)?");
    private static final Pattern PLAIN = Pattern.compile("[0-9]{1,30}(?:\\.[0-9]{1,30})?");

    /** What says that the number behind it stands for something. */
    private static final Set<String> INTRODUCE = Set.of("id", "ids", "no", "nr", "number", "numbers", "identifier");

    private static final Pattern LAST_WORD = Pattern.compile("([\\p{L}]+)[\\s.:=]{0,3}$");
    private static final String QUOTES = "'\"`\u2018\u2019\u201c\u201d#";

    private final Set<LocalDate> dates = new HashSet<>();
    private final Map<BigDecimal, Set<Amount>> numbers = new HashMap<>();

    /**
     * A number in the text.
     *
     * @param text as it is written
     * @param before the word before it, in lower case; empty where there is none
     * @param marked whether it stands in quotes or behind a {@code #}
     */
    private record Amount(String text, String before, boolean marked) {}

    private Quantities() {}

    private static Pattern insensitive(String pattern) {
        return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE);
    }

    /** Returns what stands in {@code text}. */
    static Quantities of(String text) {
        Quantities found = new Quantities();
        StringBuilder rest = new StringBuilder(text);
        for (Written each : dates(text)) {
            found.dates.add(each.date);
            blank(rest, each.from, each.to);
        }
        // Without a year it is no date that can be compared, and its digits are no number either.
        for (Pattern pattern : List.of(MONTH_FIRST, DAY_FIRST)) {
            blank(rest, pattern);
        }
        NO_NUMBERS.forEach(pattern -> blank(rest, pattern));
        String left = rest.toString();
        Matcher matcher = NUMBER.matcher(left);
        while (matcher.find()) {
            if (matcher.end() - matcher.start() <= LONGEST
                    && Provenance.standsAlone(left, matcher.start(), matcher.end())
                    && !isPartOfANumber(left, matcher.start(), matcher.end())) {
                found.numbers
                        .computeIfAbsent(value(matcher.group()), value -> new HashSet<>())
                        .add(number(left, matcher));
            }
        }
        return found;
    }

    /** A comma or a space that does not break a line goes on with a number too: neither 1 nor 50 is in "1.000,50". */
    private static boolean isPartOfANumber(String text, int from, int to) {
        return (from > 1 && isBetweenDigits(text.charAt(from - 1)) && isDigit(text.charAt(from - 2)))
                || (to + 1 < text.length() && isBetweenDigits(text.charAt(to)) && isDigit(text.charAt(to + 1)));
    }

    private static boolean isBetweenDigits(char c) {
        return ".,\u00a0\u2009\u202f".indexOf(c) >= 0;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static BigDecimal value(String number) {
        return new BigDecimal(number.replace(",", "")).stripTrailingZeros();
    }

    private static Amount number(CharSequence text, MatchResult at) {
        String before =
                text.subSequence(Math.max(0, at.start() - 40), at.start()).toString();
        boolean marked = !before.isEmpty() && QUOTES.indexOf(before.charAt(before.length() - 1)) >= 0;
        Matcher word = LAST_WORD.matcher(marked ? before.substring(0, before.length() - 1) : before);
        return new Amount(at.group(), word.find() ? word.group(1).toLowerCase(Locale.ROOT) : "", marked);
    }

    private static void blank(StringBuilder text, Pattern pattern) {
        Matcher matcher = pattern.matcher(text.toString());
        while (matcher.find()) {
            blank(text, matcher.start(), matcher.end());
        }
    }

    /** A letter takes the place, so that what stands beside it does not seem to stand alone. */
    private static void blank(StringBuilder text, int from, int to) {
        for (int i = from; i < to; i++) {
            text.setCharAt(i, 'x');
        }
    }

    /** Returns whether a text is nothing but a number. */
    static boolean isNumber(String text) {
        return !text.isEmpty() && isDigit(text.charAt(0)) && PLAIN.matcher(text).matches();
    }

    /** Returns whether the text has this date. */
    boolean has(LocalDate date) {
        return dates.contains(date);
    }

    /**
     * Returns whether the text has this number.
     *
     * @param number a text for which {@link #isNumber} holds
     * @param reference whether it stands for something, as an id does, and is no amount; then a short one must be introduced
     *     as such ("id 13", "#13", "'13'"), since the number of anything else would be the same
     * @param argument the name of what it is an argument for: "file 13" introduces a {@code file_id}
     */
    boolean has(String number, boolean reference, String argument) {
        for (Amount each : numbers.getOrDefault(value(number), Set.of())) {
            if (!reference
                    || (each.text.equals(number)
                            && (number.length() > SHORT
                                    || each.marked
                                    || INTRODUCE.contains(each.before)
                                    || isWordOf(each.before, argument)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWordOf(String word, String argument) {
        for (String part : argument.split("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")) {
            if (part.length() > 2 && part.equalsIgnoreCase(word)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the date that a text is, and nothing else. */
    static Optional<LocalDate> date(String text) {
        if (text.length() <= 40) {
            for (Written each : dates(text)) {
                if (each.from == 0 && each.to == text.length()) {
                    return Optional.of(each.date);
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the text with every date in it as ISO 8601 writes it; the same text where there is none to rewrite. */
    static String inIso(String text) {
        StringBuilder iso = null;
        int done = 0;
        for (Written each : dates(text)) {
            if (each.from >= done && !each.date.toString().contentEquals(text.subSequence(each.from, each.to))) {
                iso = iso == null ? new StringBuilder() : iso;
                iso.append(text, done, each.from).append(each.date);
                done = each.to;
            }
        }
        return iso == null ? text : iso.append(text, done, text.length()).toString();
    }

    /** A date and where it is written. */
    private record Written(LocalDate date, int from, int to) {}

    /**
     * Looks only around what may be a year, which is four digits. No date begins inside another, so this finds the same as
     * looking everywhere, which takes long.
     */
    private static List<Written> dates(String text) {
        List<Written> all = new ArrayList<>();
        int digits = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i < text.length() && isDigit(text.charAt(i))) {
                digits++;
                continue;
            }
            if (digits == YEAR_DIGITS) {
                around(all, text, i - YEAR_DIGITS, i);
            }
            digits = 0;
        }
        all.sort(java.util.Comparator.comparingInt(Written::from));
        return all;
    }

    private static void around(List<Written> all, String text, int from, int to) {
        if (to < text.length() && text.charAt(to) == '-') {
            dates(all, ISO, text, from, Math.min(text.length(), to + ISO_REST));
        }
        int before = Math.max(0, from - MOST_BEFORE_YEAR);
        if (from > 0 && Character.isWhitespace(text.charAt(from - 1)) && hasMonth(text, before, from)) {
            dates(all, MONTH_FIRST, text, before, to);
            dates(all, DAY_FIRST, text, before, to);
        }
    }

    private static boolean hasMonth(String text, int from, int to) {
        int three = 0;
        for (int i = from; i < to; i++) {
            int c = text.charAt(i);
            three = (three << 8 | (c < 0x80 ? c | 0x20 : 0)) & 0xFFFFFF; // what is no letter becomes none
            if (i >= from + 2 && (FIRSTS >>> (three >>> 16 & 0x1F) & 1) != 0 && isMonth(three)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isMonth(int three) {
        for (int i = 0; i < MONTHS.length(); i += 3) {
            if (three == (MONTHS.charAt(i) << 16 | MONTHS.charAt(i + 1) << 8 | MONTHS.charAt(i + 2))) {
                return true;
            }
        }
        return false;
    }

    /** Takes the dates within the bounds that have a year; what stands outside still counts as beside them. */
    private static void dates(List<Written> all, Pattern pattern, String text, int from, int to) {
        Matcher matcher = pattern.matcher(text)
                .region(from, to)
                .useTransparentBounds(true)
                .useAnchoringBounds(false);
        while (matcher.find()) {
            date(pattern, matcher)
                    .map(date -> new Written(date, matcher.start(), matcher.end()))
                    .filter(date -> !all.contains(date)) // two years may be near each other
                    .ifPresent(all::add);
        }
    }

    /** Returns the date that one of the three patterns found; empty where it has no year, or there is no such day. */
    static Optional<LocalDate> date(Pattern pattern, MatchResult match) {
        int year = pattern == ISO ? 1 : 3;
        int month = pattern == ISO || pattern == DAY_FIRST ? 2 : 1;
        int day = pattern == ISO ? 3 : pattern == DAY_FIRST ? 1 : 2;
        return match.group(year) == null
                ? Optional.empty()
                : day(Integer.parseInt(match.group(year)), month(match.group(month)), match.group(day));
    }

    private static Optional<LocalDate> day(int year, int month, String day) {
        try {
            return Optional.of(LocalDate.of(year, month, Integer.parseInt(day)));
        } catch (DateTimeException e) {
            return Optional.empty(); // there is no such day
        }
    }

    private static int month(String text) {
        if (Character.isDigit(text.charAt(0))) {
            return Integer.parseInt(text);
        }
        String three = text.substring(0, 3).toLowerCase(Locale.ROOT);
        return MONTHS.indexOf(three) / 3 + 1;
    }
}
