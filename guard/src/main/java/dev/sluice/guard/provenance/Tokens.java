package dev.sluice.guard.provenance;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A text as it is compared: its words in order, without regard to case, Unicode form, white space and punctuation.
 *
 * <p>Words are runs of letters and digits (Unicode), so that an address is several words; two texts match where their words
 * do. Signs that are neither white space nor punctuation, such as Braille, are of a word too, and so are more than
 * {@value #MOST_MARKS} punctuation marks in a row: one can write with them. {@link #variants} also reads a text that is URL-encoded or base64, one level deep, and dates as ISO 8601 writes them.
 */
final class Tokens {

    private static final int LONGEST_DECODED = 1 << 20;
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{8,}={0,2}");

    /** More punctuation marks in a row than this are compared. */
    static final int MOST_MARKS = 3;

    private final long[] words;
    private final int length;

    private Tokens(long[] words, int length) {
        this.words = words;
        this.length = length;
    }

    /** Returns the words of a text. */
    static Tokens of(String raw) {
        // ASCII has one form only, and its case is folded below.
        String text = isAscii(raw)
                ? raw
                : Normalizer.normalize(raw, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
        Words words = new Words(text.length());
        int marksFrom = 0;
        int marks = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.charAt(i);
            if (c < 0x80) {
                c = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
            } else {
                c = text.codePointAt(i);
            }
            if (isOfWord(c)) {
                if (marks > 0) {
                    words.marks(text, marksFrom, i, marks);
                    marks = 0;
                }
                words.add(c);
            } else {
                words.end();
                marksFrom = marks == 0 ? i : marksFrom;
                marks += isSpace(c) ? 0 : 1;
            }
            i += Character.charCount(c);
        }
        words.marks(text, marksFrom, text.length(), marks);
        words.end();
        return new Tokens(Arrays.copyOf(words.all, words.count), text.length());
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpace(int c) {
        return c == ' ' || Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    /** Returns whether a sign is of a word: any that is neither white space nor punctuation. */
    static boolean isOfWord(int c) {
        if (c < 0x80) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        }
        return switch (Character.getType(c)) {
            case Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.CONTROL,
                    Character.CONNECTOR_PUNCTUATION,
                    Character.DASH_PUNCTUATION,
                    Character.START_PUNCTUATION,
                    Character.END_PUNCTUATION,
                    Character.INITIAL_QUOTE_PUNCTUATION,
                    Character.FINAL_QUOTE_PUNCTUATION,
                    Character.OTHER_PUNCTUATION -> false;
            default -> true;
        };
    }

    /** The words so far. */
    private static final class Words {
        private long[] all;
        private int count;
        private long hash;
        private boolean inside;

        /** Words of a text of {@code length}: as many as most texts of that length have. */
        Words(int length) {
            all = new long[4 + length / 5];
        }

        void add(int c) {
            hash = mix(inside ? hash : SEED, c);
            inside = true;
        }

        void end() {
            if (inside) {
                if (count == all.length) {
                    all = Arrays.copyOf(all, count * 2);
                }
                all[count++] = hash;
                inside = false;
            }
        }

        /** Many marks are a word of their own. */
        void marks(String text, int from, int to, int marks) {
            if (marks <= MOST_MARKS) {
                return;
            }
            end();
            for (int i = from; i < to; i++) {
                char c = text.charAt(i);
                if (!isSpace(c)) {
                    add(c);
                }
            }
            end();
        }
    }

    private static final long SEED = 0x9E3779B97F4A7C15L;

    /** One step of a 64-bit hash: a multiply and a fold, so that neighbours in the alphabet differ in all bits. */
    static long mix(long hash, long next) {
        long mixed = (hash ^ next) * 0xFF51AFD7ED558CCDL;
        return mixed ^ mixed >>> 32;
    }

    /** Returns how many characters the text has as it is compared. */
    int length() {
        return length;
    }

    int size() {
        return words.length;
    }

    long word(int i) {
        return words[i];
    }

    /** Returns one number for {@code length} words from {@code from} on. */
    long gram(int from, int length) {
        long hash = SEED;
        for (int i = from; i < from + length; i++) {
            hash = mix(hash, words[i]);
        }
        return hash;
    }

    /** Returns one number for the whole text. */
    long whole() {
        return gram(0, words.length);
    }

    /** Returns whether these words stand in {@code other}, in this order and without others between. */
    boolean isIn(Tokens other) {
        return nextIn(other, 0) >= 0;
    }

    /** Returns the first place from {@code from} on at which these words stand in {@code other}; -1 where there is none. */
    int nextIn(Tokens other, int from) {
        for (int at = from; at + words.length <= other.words.length; at++) {
            if (Arrays.equals(words, 0, words.length, other.words, at, at + words.length)) {
                return at;
            }
        }
        return -1;
    }

    /** Returns the text itself, what it holds where it is encoded, and it with all dates written in one way. */
    static List<String> variants(String raw) {
        List<String> all = new ArrayList<>(List.of(raw));
        if (raw.indexOf('%') >= 0 || raw.indexOf('+') >= 0) {
            unescaped(raw).filter(text -> !text.equals(raw)).ifPresent(all::add);
        }
        String iso = Quantities.inIso(raw);
        if (!iso.equals(raw)) {
            all.add(iso);
        }
        String packed = raw.strip();
        if (packed.length() <= LONGEST_DECODED && BASE64.matcher(packed).matches()) {
            unpacked(packed).ifPresent(all::add);
        }
        return all;
    }

    private static Optional<String> unescaped(String raw) {
        try {
            return Optional.of(URLDecoder.decode(raw, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> unpacked(String packed) {
        try {
            byte[] bytes = Base64.getDecoder().decode(packed.replace('-', '+').replace('_', '/'));
            String text = new String(bytes, StandardCharsets.UTF_8);
            boolean plain = text.codePoints().noneMatch(c -> c == 0xFFFD || (c < 0x20 && c != '\n' && c != '\t'));
            return plain && !text.isBlank() ? Optional.of(text) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
