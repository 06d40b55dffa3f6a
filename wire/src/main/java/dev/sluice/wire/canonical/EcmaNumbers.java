package dev.sluice.wire.canonical;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * Doubles as ECMAScript writes them (ECMA-262, {@code Number::toString} with radix 10), which is how RFC 8785 section
 * 3.2.2.3 writes numbers.
 *
 * <p>The digits are the fewest that read back as the same double, and of those the nearest to it.
 */
final class EcmaNumbers {

    /** {@link Double#toString(double)} gives the fewest digits from 19 on (JDK-4511638). */
    private static final boolean JDK_IS_SHORTEST = Runtime.version().feature() >= 19;

    /** Below this the JDK takes two digits where one would do. */
    private static final double TINY = 1e-321;

    /** As many digits as any double needs. */
    private static final int MOST_DIGITS = 17;

    private EcmaNumbers() {}

    /**
     * Returns whether a number of a JSON text is surely written as ECMAScript writes it: at most 15 digits, no exponent,
     * not needlessly long, not so small that an exponent is needed. Where it isn't sure, the answer is no.
     */
    static boolean isCanonical(byte[] text, int start, int end) {
        int p = text[start] == '-' ? start + 1 : start;
        int after = p;
        while (after < end && text[after] >= '0' && text[after] <= '9') {
            after++;
        }
        if (after == end) {
            return end - p <= 15 && (text[p] != '0' || p == start);
        }
        boolean fraction = text[p] == '0';
        int digits = fraction ? -1 : 0;
        int point = -1;
        int significant = -1;
        for (int i = p; i < end; i++) {
            int c = text[i];
            if (c == '.') {
                point = i;
            } else if (c < '0' || c > '9') {
                return false;
            } else {
                digits++;
                if (significant < 0 && c != '0') {
                    significant = i;
                }
            }
        }
        if (digits > 15 || text[end - 1] == '0') {
            return false;
        }
        return !fraction || significant - point <= 6;
    }

    /**
     * Returns how ECMAScript writes {@code value}.
     *
     * @throws IllegalArgumentException where it is infinite or no number
     */
    static String text(double value) {
        double magnitude = Math.abs(value);
        return JDK_IS_SHORTEST && !(magnitude < TINY) ? fromJdk(value) : searched(value);
    }

    /** The same, out of the digits that this JDK finds. */
    static String fromJdk(double value) {
        return value == 0 ? "0" : written(value, new BigDecimal(Double.toString(finite(value))));
    }

    /** The same, out of digits found by trying; slow. */
    static String searched(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal exact = new BigDecimal(finite(value));
        int enough = MOST_DIGITS;
        int tooFew = 0;
        // What n digits can say, n + 1 digits can say too.
        while (enough - tooFew > 1) {
            int digits = (enough + tooFew) / 2;
            if (nearest(exact, value, digits).isPresent()) {
                enough = digits;
            } else {
                tooFew = digits;
            }
        }
        return written(value, nearest(exact, value, enough).orElseThrow());
    }

    /** Returns the number of so many digits that is nearest to {@code value} among those that read back as it. */
    private static Optional<BigDecimal> nearest(BigDecimal exact, double value, int digits) {
        BigDecimal inner = exact.round(new MathContext(digits, RoundingMode.DOWN));
        BigDecimal outer = exact.round(new MathContext(digits, RoundingMode.UP));
        boolean innerReads = inner.doubleValue() == value;
        boolean outerReads = outer.doubleValue() == value;
        if (!innerReads || !outerReads) {
            return innerReads ? Optional.of(inner) : outerReads ? Optional.of(outer) : Optional.empty();
        }
        int farther =
                exact.subtract(inner).abs().compareTo(outer.subtract(exact).abs());
        boolean takeInner =
                farther < 0 || (farther == 0 && !inner.unscaledValue().testBit(0));
        return Optional.of(takeInner ? inner : outer);
    }

    /** Returns the decimal in the notation of {@code Number::toString}, whose names k, n and e these are. */
    private static String written(double value, BigDecimal decimal) {
        BigDecimal stripped = decimal.abs().stripTrailingZeros();
        String digits = stripped.unscaledValue().toString();
        int k = digits.length();
        int n = k - stripped.scale();
        StringBuilder text = new StringBuilder(26);
        if (value < 0) {
            text.append('-');
        }
        if (n > 21 || n <= -6) {
            text.append(digits.charAt(0));
            if (k > 1) {
                text.append('.').append(digits, 1, k);
            }
            int e = n - 1;
            return text.append(e < 0 ? "e-" : "e+").append(Math.abs(e)).toString();
        }
        if (n <= 0) {
            return text.append("0.").append("0".repeat(-n)).append(digits).toString();
        }
        if (k <= n) {
            return text.append(digits).append("0".repeat(n - k)).toString();
        }
        return text.append(digits, 0, n).append('.').append(digits, n, k).toString();
    }

    private static double finite(double value) {
        if (Double.isFinite(value)) {
            return value;
        }
        throw new IllegalArgumentException("`" + value + "` has no form in JSON: write it as a string");
    }
}
