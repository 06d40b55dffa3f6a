package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EcmaNumbersTest {

    /** RFC 8785 appendix B. */
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0",
        "8000000000000000, 0",
        "0000000000000001, 5e-324",
        "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308",
        "ffefffffffffffff, -1.7976931348623157e+308",
        "4340000000000000, 9007199254740992",
        "c340000000000000, -9007199254740992",
        "4430000000000000, 295147905179352830000",
        "44b52d02c7e14af5, 9.999999999999997e+22",
        "44b52d02c7e14af6, 1e+23",
        "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef4e, 999999999999999700000",
        "444b1ae4d6e2ef4f, 999999999999999900000",
        "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
        "3eb0c6f7a0b5ed8d, 0.000001",
        "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325",
        "41b3de4355555555, 333333333.3333333",
        "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343",
        "becbf647612f3696, -0.0000033333333333333333",
        "43143ff3c1cb0959, 1424953923781206.2"
    })
    void appendixB(String bits, String text) {
        double value = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));
        assertEquals(text, EcmaNumbers.text(value));
        assertEquals(text, EcmaNumbers.searched(value));
    }

    /** Where readers and writers of doubles go wrong; the texts are those of V8. */
    @ParameterizedTest
    @CsvSource({
        "1e-323, 1e-323",
        "1.5e-323, 1.5e-323",
        "2e-323, 2e-323",
        "9.9e-322, 9.9e-322",
        "1e-321, 1e-321",
        "1e-320, 1e-320",
        "1e-315, 1e-315",
        "1e-314, 1e-314",
        "2.2250738585072014e-308, 2.2250738585072014e-308",
        "2.225073858507201e-308, 2.225073858507201e-308",
        "5.684341886080802e-14, 5.684341886080802e-14",
        "2e-3, 0.002",
        "2.0e-7, 2e-7",
        "1e21, 1e+21",
        "1e20, 100000000000000000000",
        "9.5367431640625e-7, 9.5367431640625e-7",
        "2e23, 2e+23",
        "9007199254740993, 9007199254740992",
        "8.41e21, 8.41e+21",
        "5e-324, 5e-324",
        "4.35, 4.35",
        "0.30000000000000004, 0.30000000000000004"
    })
    void hardNumber(String number, String text) {
        assertEquals(text, EcmaNumbers.text(Double.parseDouble(number)));
        assertEquals(text, EcmaNumbers.searched(Double.parseDouble(number)));
        assertEquals("-" + text, EcmaNumbers.text(-Double.parseDouble(number)));
    }

    @EnabledForJreRange(min = JRE.JAVA_19)
    @Test
    void bothWays_giveTheSame() {
        Random random = new Random(20261130);
        DoubleStream.concat(
                        hard(),
                        DoubleStream.generate(() -> Double.longBitsToDouble(random.nextLong()))
                                .filter(Double::isFinite)
                                .limit(20_000))
                .filter(value -> Math.abs(value) >= 1e-321)
                .forEach(value -> assertEquals(EcmaNumbers.fromJdk(value), EcmaNumbers.searched(value)));
    }

    @Test
    void text_readsBackAsTheSameDouble() {
        Random random = new Random(8785);
        DoubleStream.concat(
                        hard(),
                        DoubleStream.generate(() -> Double.longBitsToDouble(random.nextLong()))
                                .filter(Double::isFinite)
                                .limit(5_000))
                .forEach(value -> assertEquals(value + 0.0, Double.parseDouble(EcmaNumbers.text(value)) + 0.0));
    }

    /** A text that is taken as it stands must be what its double is written as. */
    @Test
    void canonicalText_isWhatItsDoubleIsWrittenAs() {
        Random random = new Random(42);
        int taken = 0;
        for (int i = 0; i < 50_000; i++) {
            String text = randomDecimal(random);
            if (EcmaNumbers.isCanonical(text.getBytes(StandardCharsets.US_ASCII), 0, text.length())) {
                taken++;
                assertEquals(text, EcmaNumbers.text(Double.parseDouble(text)));
            }
        }
        assertTrue(taken > 10_000, "only " + taken);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "7",
                "-7",
                "10",
                "999999999999999",
                "0.5",
                "-0.5",
                "1.25",
                "0.000001",
                "123456.789",
                "0.123456789012345"
            })
    void plainNumber_isCanonical(String text) {
        assertTrue(EcmaNumbers.isCanonical(text.getBytes(StandardCharsets.US_ASCII), 0, text.length()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-0",
                "0.0",
                "-0.0",
                "1.0",
                "1.50",
                "1e5",
                "0e5",
                "0.0000001",
                "0.0000000",
                "1E5",
                "1234567890123456",
                "0.1234567890123456"
            })
    void otherNumber_isLookedAt(String text) {
        assertFalse(EcmaNumbers.isCanonical(text.getBytes(StandardCharsets.US_ASCII), 0, text.length()));
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void numberOutsideJson_isRefused(double value) {
        IllegalArgumentException error = assertThrows(IllegalArgumentException.class, () -> EcmaNumbers.text(value));
        assertEquals("`" + value + "` has no form in JSON: write it as a string", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> EcmaNumbers.searched(value));
    }

    /** All powers of two and ten with their neighbours, and the smallest doubles. */
    private static DoubleStream hard() {
        DoubleStream.Builder values = DoubleStream.builder();
        for (int exponent = -1074; exponent < 1024; exponent++) {
            double power =
                    exponent < -1022 ? Double.MIN_VALUE * Math.pow(2, exponent + 1074) : Math.scalb(1.0, exponent);
            values.add(power).add(Math.nextUp(power)).add(-Math.nextDown(power));
        }
        for (int exponent = -323; exponent <= 308; exponent++) {
            double power = Double.parseDouble("1e" + exponent);
            values.add(power).add(-Math.nextUp(power)).add(Math.nextDown(power));
        }
        for (long bits = 0; bits < 500; bits++) {
            values.add(Double.longBitsToDouble(bits));
        }
        return values.build().filter(Double::isFinite);
    }

    private static String randomDecimal(Random random) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "");
        int digits = 1 + random.nextInt(18);
        int point = 1 + random.nextInt(digits + 2);
        text.append(random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(9));
        boolean zero = text.charAt(text.length() - 1) == '0';
        for (int i = 1; i < digits; i++) {
            if (i == (zero ? 1 : point)) {
                text.append('.');
            }
            text.append(random.nextInt(2) == 0 ? 0 : random.nextInt(10));
        }
        return text.toString();
    }
}
