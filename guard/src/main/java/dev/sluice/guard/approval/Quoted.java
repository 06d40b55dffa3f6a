package dev.sluice.guard.approval;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/** Texts of others, for a person's eyes: nothing in them is obeyed by a terminal, and nothing is out of sight. */
public final class Quoted {

    private static final JsonMapper ASCII =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final int MOST_REMARKED = 8;

    private Quoted() {}

    /** Returns {@code value} as JSON text of ASCII alone. */
    public static String exact(String value) {
        return ASCII.writeValueAsString(value);
    }

    /** Returns ASCII JSON text with those letters and digits readable that are what they seem to be; the rest stays escaped. */
    public static String json(String ascii) {
        StringBuilder readable = new StringBuilder();
        int at = 0;
        while (at < ascii.length()) {
            char c = ascii.charAt(at);
            if (c == '\\' && at + 1 < ascii.length()) {
                int end = at + (ascii.charAt(at + 1) == 'u' ? 6 : 2);
                char meant = end == at + 6 ? (char) Integer.parseInt(ascii.substring(at + 2, end), 16) : 0;
                readable.append(isReadable(meant) ? String.valueOf(meant) : ascii.substring(at, end));
                at = end;
            } else {
                readable.append(c == 0x7f ? "\\u007f" : String.valueOf(c));
                at++;
            }
        }
        return readable.toString();
    }

    /** A letter that runs from right to left would show what is beside it in another order. */
    private static boolean isReadable(int c) {
        return c > 0x7f
                && Character.isLetterOrDigit(c)
                && Character.getDirectionality(c) == Character.DIRECTIONALITY_LEFT_TO_RIGHT;
    }

    /** Returns a text on one line, with {@code ?} for what is no letter, digit, space or plain sign. */
    public static String plain(String text) {
        StringBuilder plain = new StringBuilder();
        text.codePoints().forEach(c -> plain.appendCodePoint((c >= 0x20 && c < 0x7f) || isReadable(c) ? c : '?'));
        return plain.toString();
    }

    /** Returns a remark on the first letters and digits that are not plain ASCII, since some look as if they were. */
    public static Optional<String> unusual(String text) {
        Set<String> found = new LinkedHashSet<>();
        text.codePoints()
                .filter(Quoted::isReadable)
                .limit(MOST_REMARKED)
                .forEach(c -> found.add(Character.toString(c) + " is "
                        + String.valueOf(Character.getName(c)).toLowerCase(Locale.ROOT)));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of("mind what only looks like other letters and digits: " + String.join(", ", found));
    }
}
