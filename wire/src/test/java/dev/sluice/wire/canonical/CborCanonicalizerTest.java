package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CborCanonicalizerTest {

    /** The rows of RFC 8949 appendix A that JSON can express. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = (char) 1,
            value = {
                "0|00",
                "1|01",
                "10|0a",
                "23|17",
                "24|1818",
                "25|1819",
                "100|1864",
                "1000|1903e8",
                "1000000|1a000f4240",
                "1000000000000|1b000000e8d4a51000",
                "18446744073709551615|1bffffffffffffffff",
                "18446744073709551616|c249010000000000000000",
                "-18446744073709551616|3bffffffffffffffff",
                "-18446744073709551617|c349010000000000000000",
                "-1|20",
                "-10|29",
                "-100|3863",
                "-1000|3903e7",
                "0.0|f90000",
                "-0.0|f98000",
                "1.0|f93c00",
                "1.1|fb3ff199999999999a",
                "1.5|f93e00",
                "65504.0|f97bff",
                "100000.0|fa47c35000",
                "3.4028234663852886e+38|fa7f7fffff",
                "1.0e+300|fb7e37e43c8800759c",
                "5.960464477539063e-8|f90001",
                "0.00006103515625|f90400",
                "-4.0|f9c400",
                "-4.1|fbc010666666666666",
                "false|f4",
                "true|f5",
                "null|f6",
                "\"\"|60",
                "\"a\"|6161",
                "\"IETF\"|6449455446",
                "\"\\\"\\\\\"|62225c",
                "\"\\u00fc\"|62c3bc",
                "\"\u6c34\"|63e6b0b4",
                "\"\\ud800\\udd51\"|64f0908591",
                "[]|80",
                "[1,2,3]|83010203",
                "[1,[2,3],[4,5]]|8301820203820405",
                "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]|98190102030405060708090a0b0c0d0e0f101112131415161718181819",
                "{}|a0",
                "{\"a\":1,\"b\":[2,3]}|a26161016162820203",
                "[\"a\",{\"b\":\"c\"}]|826161a161626163",
                "{\"e\":\"E\",\"d\":\"D\",\"c\":\"C\",\"b\":\"B\",\"a\":\"A\"}|a56161614161626142616361436164614461656145"
            })
    void appendixA(String json, String hex) {
        assertEquals(hex, hex(json));
    }

    @Test
    void members_shorterNameFirst() {
        assertEquals(
                "a3616186f93e00fa47c3500020f5f662c3bc61620162616102",
                hex("{\"aa\":2,\"b\":1,\"a\":[1.5,100000.0,-1,true,null,\"\u00fc\"]}"));
    }

    @ParameterizedTest
    @CsvSource({
        "-0, f98000",
        "0e5, f90000",
        "1e0, f93c00",
        "255, 18ff",
        "256, 190100",
        "65535, 19ffff",
        "65536, 1a00010000",
        "4294967295, 1affffffff",
        "4294967296, 1b0000000100000000",
        "-256, 38ff",
        "-257, 390100",
        "9223372036854775807, 1b7fffffffffffffff",
        "9223372036854775808, 1b8000000000000000",
        "-9223372036854775809, 3b8000000000000000",
        "100000000000000000000, c249056bc75e2d63100000",
        // half, single and double precision, at their limits
        "65505.0, fa477fe100",
        "65536.0, fa47800000",
        "5.960464477539062e-8, fb3e6fffffffffffff",
        "2.9802322387695312e-8, fa33000000",
        "6.097555160522461e-5, f903ff",
        "8.940696716308594e-8, fa33c00000",
        "1.401298464324817e-45, fa00000001",
        "7.006492321624085e-46, fb3690000000000000",
        "5e-324, fb0000000000000001",
        "1e-400, f90000",
        "16777217.0, fb4170000010000000",
        "3.4028234663852889e38, fb47efffffe0000001"
    })
    void number(String json, String hex) {
        assertEquals(hex, hex(json));
    }

    @Test
    void wholeAndFraction_differ() {
        assertEquals("01", hex("1"));
        assertEquals("f93c00", hex("1.0"));
    }

    @Test
    void escapedNames_orderedAsRead() {
        assertEquals("a3616101616202 6163 03".replace(" ", ""), hex("{\"\\u0063\":3,\"b\":2,\"\\u0061\":1}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = (char) 1,
            value = {
                "[0, {'a/b': '\\ud800'}]|the value at `/1/a~1b` can't be canonicalised: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither",
                "{'n': 1e400}|the value at `/n` can't be canonicalised: it is a number too large for a double; write it as a string",
                "-1.8e308|the value can't be canonicalised: it is a number too large for a double; write it as a string"
            })
    void valueWithoutForm_isRefused(String json, String message) {
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> hex(json.replace('\'', '"')));
        assertEquals(message, error.getMessage());
    }

    @Test
    void tooDeep_isRefused() {
        JsonIndex.Limits limits = new JsonIndex.Limits(1000, 10, 1000);
        byte[] deepest = ("[".repeat(512) + "]".repeat(512)).getBytes(StandardCharsets.UTF_8);
        assertEquals(
                512,
                Canonicalizations.CBOR.canonicalize(JsonIndex.parse(deepest, 0, deepest.length, limits)
                                .root())
                        .length);
        byte[] deeper = ("[".repeat(513) + "]".repeat(513)).getBytes(StandardCharsets.UTF_8);
        JsonIndex.Value value =
                JsonIndex.parse(deeper, 0, deeper.length, limits).root();
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> Canonicalizations.CBOR.canonicalize(value));
        assertEquals(
                "the value at `" + "/0".repeat(512)
                        + "` can't be canonicalised: it is nested deeper than 512 levels; nest less deeply",
                error.getMessage());
    }

    private static String hex(String json) {
        return HexFormat.of().formatHex(Canonicalizations.CBOR.canonicalize(json.getBytes(StandardCharsets.UTF_8)));
    }
}
