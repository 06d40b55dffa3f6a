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
 * do. {@link #variants} also reads a text that is URL-encoded or base64, one level deep.
 */
final class Tokens {

    private static final int LONGEST_DECODED = 1 << 20;
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{8,}={0,2}");

    private final long[] words;
    private final String text;

    private Tokens(long[] words, String text) {
        this.words = words;
        this.text = text;
    }

    /** Returns the words of a text. */
    static Tokens of(String raw) {
        String text = Normalizer.normalize(raw, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
        long[] words = new long[16];
        int count = 0;
        int length = text.length();
        long hash = 0;
        boolean inside = false;
        for (int i = 0; i <= length; ) {
            int c = i < length ? text.codePointAt(i) : -1;
            if (c >= 0 && Character.isLetterOrDigit(c)) {
                hash = mix(inside ? hash : SEED, c);
                inside = true;
            } else if (inside) {
                if (count == words.length) {
                    words = Arrays.copyOf(words, count * 2);
                }
                words[count++] = hash;
                inside = false;
            }
            i += c < 0 ? 1 : Character.charCount(c);
        }
        return new Tokens(Arrays.copyOf(words, count), text);
    }

    private static final long SEED = 0x9E3779B97F4A7C15L;

    /** One step of a 64-bit hash: a multiply and a fold, so that neighbours in the alphabet differ in all bits. */
    static long mix(long hash, long next) {
        long mixed = (hash ^ next) * 0xFF51AFD7ED558CCDL;
        return mixed ^ mixed >>> 32;
    }

    /** Returns the text as it is compared, for texts without words. */
    String text() {
        return text;
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
        return words.length == 0 ? mix(SEED, text.strip().hashCode()) : gram(0, words.length);
    }

    /** Returns whether these words stand in {@code other}, in this order and without others between. */
    boolean isIn(Tokens other) {
        for (int at = 0; at + words.length <= other.words.length; at++) {
            if (Arrays.equals(words, 0, words.length, other.words, at, at + words.length)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the text itself, and what it holds where it is encoded. */
    static List<String> variants(String raw) {
        List<String> all = new ArrayList<>(List.of(raw));
        if (raw.indexOf('%') >= 0 || raw.indexOf('+') >= 0) {
            unescaped(raw).filter(text -> !text.equals(raw)).ifPresent(all::add);
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
