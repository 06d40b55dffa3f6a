package dev.sluice.cli;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Texts of others as they may stand in a policy file: as values that mean nothing else, and in comments. */
final class YamlWords {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_/][A-Za-z0-9_/.-]*");

    /** What some reader of YAML takes for something else than a text. */
    private static final Set<String> TAKEN = Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n");

    private static final int LONGEST_KEY = 1_000;

    private YamlWords() {}

    /** Returns {@code text} as one scalar, plain where that is the same to every reader. */
    static String scalar(String text) {
        return PLAIN.matcher(text).matches() && !TAKEN.contains(text.toLowerCase(Locale.ROOT)) ? text : quoted(text);
    }

    /** Returns a list on one line. */
    static String list(Collection<String> texts) {
        return "[" + String.join(", ", texts.stream().map(YamlWords::scalar).toList()) + "]";
    }

    /** Returns {@code text} in double quotes, everything escaped that is no letter, digit or mark of ASCII. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> append(quoted, c, Character.isLetterOrDigit(c)));
        return quoted.append('"').toString();
    }

    /** Returns whether {@code text} can be written as a scalar and read back: it has a character, and no half of one. */
    static boolean canBeWritten(String text) {
        return !text.isEmpty() && text.codePoints().noneMatch(c -> Character.getType(c) == Character.SURROGATE);
    }

    /** Returns whether {@code text} can also be a key, which may be 1,024 characters long as it is written. */
    static boolean canBeKey(String text) {
        return canBeWritten(text) && text.length() < LONGEST_KEY && scalar(text).length() < LONGEST_KEY;
    }

    /**
     * Returns {@code text} for the end of a comment: in quotes, on one line, of {@code longest} characters at most. Whatever
     * ends a line, is not seen, or turns the direction of writing is escaped.
     */
    static String cited(String text, int longest) {
        StringBuilder cited = new StringBuilder("\"");
        text.codePoints().limit(longest).forEach(c -> append(cited, c, isSeen(c)));
        cited.append('"');
        return text.codePointCount(0, text.length()) > longest
                ? cited.append(" and more").toString()
                : cited.toString();
    }

    private static void append(StringBuilder to, int c, boolean asItIs) {
        switch (c) {
            case '"' -> to.append("\\\"");
            case '\\' -> to.append("\\\\");
            case '\n' -> to.append("\\n");
            case '\r' -> to.append("\\r");
            case '\t' -> to.append("\\t");
            default -> {
                if (asItIs || (c >= ' ' && c < 0x7f)) {
                    to.appendCodePoint(c);
                } else if (c > 0xffff) {
                    to.append(String.format("\\U%08x", c));
                } else {
                    to.append(String.format("\\u%04x", c));
                }
            }
        }
    }

    private static boolean isSeen(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
