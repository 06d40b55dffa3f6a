package dev.sluice.wire.canonical;

import dev.sluice.wire.canonical.JcsCanonicalizer.LargeIntegers;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Scalars as RFC 8785 writes them, into {@link #bytes}. */
final class JcsOutput {

    /** So many digits at most are a long. */
    private static final int LONG_DIGITS = 18;

    private static final long LARGEST_EXACT = 1L << 53;

    final Bytes bytes;
    private final LargeIntegers largeIntegers;
    private boolean rounded;

    JcsOutput(int expected, LargeIntegers largeIntegers) {
        this.bytes = new Bytes(expected);
        this.largeIntegers = largeIntegers;
    }

    /** Returns whether an integer became another one. */
    boolean rounded() {
        return rounded;
    }

    /** Writes a number of a JSON text; returns what is wrong with it, or null. */
    @Nullable
    String number(byte[] in, int start, int end) {
        if (EcmaNumbers.isCanonical(in, start, end)) {
            bytes.put(in, start, end);
            return null;
        }
        boolean integer = isInteger(in, start, end);
        String written = new String(in, start, end - start, StandardCharsets.ISO_8859_1);
        if (integer && end - start <= LONG_DIGITS && Math.abs(Long.parseLong(written)) <= LARGEST_EXACT) {
            bytes.ascii(Long.toString(Long.parseLong(written)));
            return null;
        }
        double value = Double.parseDouble(written);
        if (Double.isInfinite(value)) {
            return Refusals.TOO_LARGE;
        }
        String text = EcmaNumbers.text(value);
        if (integer && new BigDecimal(written).compareTo(new BigDecimal(text)) != 0) {
            if (largeIntegers == LargeIntegers.REFUSED) {
                return Refusals.ROUNDED;
            }
            rounded = true;
        }
        bytes.ascii(text);
        return null;
    }

    /** Writes a character of a string; it must be none of the surrogates. */
    void character(int codePoint) {
        switch (codePoint) {
            case '"', '\\' -> shortEscape(codePoint);
            case '\b' -> shortEscape('b');
            case '\t' -> shortEscape('t');
            case '\n' -> shortEscape('n');
            case '\f' -> shortEscape('f');
            case '\r' -> shortEscape('r');
            default -> {
                if (codePoint < 0x20) {
                    bytes.ascii(codePoint < 0x10 ? "\\u000" : "\\u001");
                    bytes.put(Character.forDigit(codePoint & 0xF, 16));
                } else {
                    bytes.character(codePoint);
                }
            }
        }
    }

    private void shortEscape(int c) {
        bytes.put('\\');
        bytes.put(c);
    }

    /** Returns whether a number of a JSON text is written without fraction and exponent. */
    static boolean isInteger(byte[] in, int start, int end) {
        for (int i = start; i < end; i++) {
            if (in[i] == '.' || in[i] == 'e' || in[i] == 'E') {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a surrogate in {@code text} lacks its other half. */
    static boolean hasLoneSurrogate(String text) {
        return text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
