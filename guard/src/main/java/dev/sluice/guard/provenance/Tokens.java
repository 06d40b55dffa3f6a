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
import java.util.SplittableRandom;
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
        return of(raw, 0, raw.length());
    }

    /** Returns the words of what stands from {@code from} to {@code to}. */
    static Tokens of(String raw, int from, int to) {
        // ASCII has one form only, and its case is folded below.
        return isAscii(raw, from, to)
                ? ofAscii(raw, from, to)
                : ofAny(Normalizer.normalize(raw.substring(from, to), Normalizer.Form.NFKC)
                        .toLowerCase(Locale.ROOT));
    }

    private static Tokens ofAny(String text) {
        Words words = new Words(text.length() / 5);
        int marksFrom = 0;
        int marks = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (isOfWord(c)) {
                if (marks > 0) {
                    words.marks(text, marksFrom, i, marks);
                    marks = 0;
                }
                words.add(c < 0x80 ? SIGNS[c] : c);
            } else {
                words.end();
                marksFrom = marks == 0 ? i : marksFrom;
                marks += isSpace(c) ? 0 : 1;
            }
            i += Character.charCount(c);
        }
        words.marks(text, marksFrom, text.length(), marks);
        words.end();
        return new Tokens(words.all(), text.length());
    }

    /** The same for ASCII, without a step for each sign that is not needed there. */
    @SuppressWarnings("deprecation") // bytes of ASCII are its signs, and nothing copies them faster
    static Tokens ofAscii(String text, int from, int to) {
        byte[] signs = new byte[to - from];
        text.getBytes(from, to, signs, 0);
        int count = 0;
        byte before = 0;
        for (int i = 0; i < signs.length; i++) {
            byte sign = SIGNS[signs[i]];
            count += sign > 0 && before <= 0 ? 1 : 0;
            signs[i] = sign;
            before = sign;
        }
        Words words = new Words(count);
        int i = 0;
        while (i < signs.length) {
            int marksFrom = i;
            int marks = 0;
            while (i < signs.length && signs[i] <= 0) {
                marks -= signs[i++];
            }
            words.marks(text, from + marksFrom, from + i, marks);
            if (i < signs.length) {
                i = words.word(signs, i);
            }
        }
        return new Tokens(words.all(), signs.length);
    }

    /** Returns whether all of what stands from {@code from} to {@code to} is ASCII. */
    static boolean isAscii(String text, int from, int to) {
        int all = 0;
        for (int i = from; i < to; i++) {
            all |= text.charAt(i);
        }
        return all < 0x80;
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

    /**
     * The words so far. A word is a hash of its signs, eight of ASCII at a time; any other is a step of its own, told from
     * those by its highest bit.
     */
    private static final class Words {
        private static final int FULL = 56;

        private long[] all;
        private int count;
        private long hash = SEED;
        private long waiting;
        private boolean inside;

        /** Makes room for so many; there may be more. */
        Words(int expected) {
            all = new long[expected];
        }

        /** Takes a sign in lower case. */
        void add(int c) {
            inside = true;
            if (c >= 0x80) {
                flush();
                hash = mix(hash, c | Long.MIN_VALUE);
            } else {
                waiting = waiting << 8 | c;
                if (waiting >>> FULL != 0) {
                    flush();
                }
            }
        }

        private void flush() {
            if (waiting != 0) {
                hash = mix(hash, waiting);
                waiting = 0;
            }
        }

        void end() {
            if (inside) {
                flush();
                put(hash);
                hash = SEED;
                inside = false;
            }
        }

        private void put(long word) {
            if (count == all.length) {
                all = Arrays.copyOf(all, 4 + count * 2);
            }
            all[count++] = word;
        }

        /** Takes the word that begins at {@code from}; returns where it ends. */
        int word(byte[] signs, int from) {
            long word = SEED;
            long eight = 0;
            int i = from;
            for (; i < signs.length && signs[i] > 0; i++) {
                eight = eight << 8 | signs[i];
                if (eight >>> FULL != 0) {
                    word = mix(word, eight);
                    eight = 0;
                }
            }
            put(eight == 0 ? word : mix(word, eight));
            return i;
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

        long[] all() {
            return count == all.length ? all : Arrays.copyOf(all, count);
        }
    }

    /** Nobody can know beforehand which words are one to the index, and so write one for the other. */
    private static final long SEED;

    private static final long FACTOR;

    /** What each sign of ASCII is: of a word, in lower case; white space, 0; or a punctuation mark, -1. */
    private static final byte[] SIGNS = new byte[0x80];

    static {
        SplittableRandom random = new SplittableRandom();
        SEED = random.nextLong();
        FACTOR = random.nextLong() | 1L << 63 | 1;
        for (int c = 0; c < SIGNS.length; c++) {
            SIGNS[c] = (byte) (isOfWord(c) ? Character.toLowerCase(c) : isSpace(c) ? 0 : -1);
        }
    }

    /** One step of a 64-bit hash: both halves of a product, so that all bits of what is taken in are in all of the result. */
    static long mix(long hash, long next) {
        long mixed = hash ^ next;
        return mixed * FACTOR ^ Math.multiplyHigh(mixed, FACTOR) ^ Long.rotateLeft(mixed, 32);
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
