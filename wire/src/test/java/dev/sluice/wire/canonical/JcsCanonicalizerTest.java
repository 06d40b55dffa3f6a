package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.json.JsonIndex;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JcsCanonicalizerTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The records and digests that the drafts publish; re-derived, not copied from our own output. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"integrity\":\"trusted\",\"confidentiality\":\"public\"}|1b63b0f828080468ac82705da60721680631437efcad538b6c261e8e0dda021d",
                "{\"integrity\":\"untrusted\",\"confidentiality\":\"private\"}|2f03ae0a963ccfea70038e90c26dd1b246bc175dccb8831a3d28353dd014a839",
                "{\"class\":\"unknown\",\"origin\":\"unestablished\",\"resource_kind\":\"mixed\"}|32926e4d78fe95aea10e44c1557da6304afe2468d8d5ecc3df949135af3cd34b",
                "{\"flagged_step\":2,\"sequence\":[\"search\",\"open_document\",\"send_email\"],\"window\":3}|0503307fcfdc6dd705dfe161a8442a31f167a0396ddeeac68883dad72f1944b7"
            })
    void digest_ofPublishedRecord(String record, String hex) {
        assertEquals(
                "sha256:" + hex,
                Digest.sha256(JcsCanonicalizer.canonicalize(JSON.readTree(record)))
                        .text());
    }

    /** RFC 8785 section 3.2.2. */
    @Test
    void sampleOfPrimitives() {
        assertCanonical("""
                {"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                "string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}""", """
                {
                  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                  "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
                  "literals": [null, true, false]
                }""");
    }

    /** RFC 8785 section 3.2.3. */
    @Test
    void sampleOfNames() {
        assertCanonical("""
                {"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",\
                "€":"Euro Sign","\uD83D\uDE00":"Emoji: Grinning Face","\uFB33":"Hebrew Letter Dalet With Dagesh"}""", """
                {
                  "\\u20ac": "Euro Sign",
                  "\\r": "Carriage Return",
                  "\\ufb33": "Hebrew Letter Dalet With Dagesh",
                  "1": "One",
                  "\\ud83d\\ude00": "Emoji: Grinning Face",
                  "\\u0080": "Control",
                  "\\u00f6": "Latin Small Letter O With Diaeresis"
                }""");
    }

    /** U+1F600 is two code units from U+D83D on, so it stands before U+FB33 though its code point is larger. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"\uFB33\":1,\"\uD83D\uDE00\":2,\"a\":3}",
                "{\"\\uFB33\":1,\"\uD83D\uDE00\":2,\"a\":3}",
                "{\"\uFB33\":1,\"\\ud83D\\uDE00\":2,\"\\u0061\":3}"
            })
    void members_orderedByUtf16CodeUnits(String json) {
        assertCanonical("{\"a\":3,\"\uD83D\uDE00\":2,\"\uFB33\":1}", json);
    }

    /** Beyond the first eight bytes names are compared otherwise, and many are sorted otherwise. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 100})
    void longNames_orderedByUtf16CodeUnits(int more) {
        List<String> names = new ArrayList<>(List.of(
                "",
                "\u0000",
                "prefix prefix \uFB33",
                "prefix prefix \uE000",
                "prefix prefix \uD83D\uDE00",
                "prefix prefix \uD83D\uDE01",
                "prefix prefix é",
                "prefix prefix",
                "prefix prefix a",
                "prefix p",
                "prefix",
                "prefix\u0000",
                "prefix\u0000\u0000"));
        for (int i = 0; i < more; i++) {
            names.add("prefix prefix n" + i);
        }
        List<String> sorted = names.stream().sorted().toList();
        Collections.shuffle(names, new Random(5));
        assertCanonical(object(sorted), object(names));
    }

    private static String object(List<String> names) {
        return names.stream()
                .map(name -> "\"" + name.replace("\u0000", "\\u0000") + "\":" + name.length())
                .collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void nestedObjects_areOrderedEach() {
        assertCanonical(
                "{\"a\":{\"x\":[{\"p\":1,\"q\":2}],\"y\":{}},\"b\":[]}",
                " { \"b\" : [ ] , \"a\" : { \"y\" : { } , \"x\" : [ { \"q\" : 2 , \"p\" : 1 } ] } } ");
    }

    @Test
    void strings_escapedAsShortAsAllowed() {
        assertCanonical(
                "[\"\\b\\t\\n\\f\\r\\\"\\\\/\\u0001\\u001f\u007f\u00e9\u2028\uD83D\uDE00\"]",
                "[\"\\u0008\\t\\u000A\\f\\u000d\\u0022\\\\\\/\\u0001\\u001F\\u007f\u00e9\\u2028\\uD83D\\uDE00\"]");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "-0.0, 0",
        "0.0, 0",
        "0e7, 0",
        "-5, -5",
        "1.0, 1",
        "1.50, 1.5",
        "10, 10",
        "1e2, 100",
        "1E-7, 1e-7",
        "0.0000001, 1e-7",
        "0.000001, 0.000001",
        "1234567890123456, 1234567890123456",
        "9007199254740991, 9007199254740991",
        "-9007199254740992, -9007199254740992",
        "9007199254740992, 9007199254740992",
        "9007199254740994, 9007199254740994",
        "1000000000000000000000, 1e+21",
        "100000000000000000000, 100000000000000000000",
        "1152921504606847000, 1152921504606847000",
        "9007199254740993.0, 9007199254740992",
        "1.2345678901234567E16, 12345678901234568",
        "1e-400, 0",
        "0.1000000000000000055511151231257827, 0.1",
        "1e-315, 1e-315",
        "1e-314, 1e-314",
        "1e-320, 1e-320",
        "4.9e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308"
    })
    void number(String json, String canonical) {
        assertCanonical(canonical, json);
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740993, 9007199254740992",
        "-9007199254740993, -9007199254740992",
        "1152921504606846976, 1152921504606847000",
        "123456789012345678901234567890, 1.2345678901234568e+29"
    })
    void largeInteger_isRefusedOrRounded(String json, String rounded) {
        assertRefused(
                "the value can't be canonicalised: it is an integer beyond 2^53 that would become another one in "
                        + "canonical form; write it as a string",
                json);
        JcsCanonicalizer.Written written = Canonicalizations.JCS_ROUNDING.write(index(json));
        assertEquals(rounded, new String(written.bytes(), StandardCharsets.UTF_8));
        assertTrue(written.rounded());
        assertFalse(Canonicalizations.JCS_ROUNDING.write(index(rounded)).rounded());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = (char) 1,
            value = {
                "{\"b\":0,\"a\":{\"n\":[1,9007199254740993]}}|the value at `/a/n/1` can't be canonicalised: it is an integer beyond 2^53 that would become another one in canonical form; write it as a string",
                "[[],{\"a/~\":1e400}]|the value at `/1/a~1~0` can't be canonicalised: it is a number too large for a double; write it as a string",
                "-1e309|the value can't be canonicalised: it is a number too large for a double; write it as a string",
                "{\"x\":[[1],{\"y\":\"a\\ud800b\"}]}|the value at `/x/1/y` can't be canonicalised: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither",
                "[\"\\udc00\\ud800\"]|the value at `/0` can't be canonicalised: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither",
                "[\"\\ud800\\u0041\"]|the value at `/0` can't be canonicalised: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither",
                "[\"\\ud800\\\\udc00\"]|the value at `/0` can't be canonicalised: it holds half of a surrogate pair, which UTF-8 can't carry; write both halves or neither"
            })
    void valueWithoutForm_isRefused(String json, String message) {
        assertRefused(message, json);
    }

    @Test
    void roundingForm_refusesWhatIsTooLarge() {
        assertThrows(CanonicalizationException.class, () -> Canonicalizations.JCS_ROUNDING.write(index("[1e400]")));
    }

    @Test
    void part_isNamedFromItself() {
        JsonIndex.Value part = index("{\"a\":[\"\\ud800\"]}").member("a").orElseThrow();
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> Canonicalizations.JCS.canonicalize(part));
        assertTrue(error.getMessage().startsWith("the value at `/0` "), error.getMessage());
    }

    @Test
    void tooDeep_isRefused() {
        assertCanonical("[".repeat(512) + "]".repeat(512), "[".repeat(512) + "]".repeat(512));
        assertCanonical("[".repeat(512) + "1" + "]".repeat(512), "[".repeat(512) + "1" + "]".repeat(512));
        assertRefused(
                "the value at `" + "/0".repeat(512)
                        + "` can't be canonicalised: it is nested deeper than 512 levels; nest less deeply",
                "[".repeat(513) + "]".repeat(513));
    }

    @Test
    void tree_ofNumbersThatJsonCannotHold_isRefused() {
        for (JsonNode number : List.of(
                JSON.getNodeFactory().numberNode(Double.NaN),
                JSON.getNodeFactory().numberNode(Double.NEGATIVE_INFINITY),
                JSON.getNodeFactory().numberNode(BigInteger.TWO.pow(2000)),
                JSON.getNodeFactory().numberNode(new BigDecimal("1e2000000000")))) {
            CanonicalizationException error = assertThrows(
                    CanonicalizationException.class,
                    () -> JcsCanonicalizer.text(JSON.createArrayNode().add(number)));
            assertTrue(error.getMessage().startsWith("the value at `/0` can't"), error.getMessage());
            assertTrue(error.getMessage().endsWith("; write it as a string"), error.getMessage());
        }
    }

    @Test
    void tree_ofOtherNodes_isRefused() {
        JsonNode binary = JSON.createObjectNode().put("b", new byte[] {1});
        CanonicalizationException error =
                assertThrows(CanonicalizationException.class, () -> JcsCanonicalizer.text(binary));
        assertEquals(
                "the value at `/b` can't be canonicalised: it is nothing that JSON has a form for; write it as a string",
                error.getMessage());
    }

    @Test
    void tree_ofNamesWithHalfACharacter_isRefused() {
        JsonNode value = JSON.createObjectNode().put("a\uD800b", 1);
        assertThrows(CanonicalizationException.class, () -> JcsCanonicalizer.text(value));
    }

    @Test
    void tree_ofFloats_isThatOfItsText() {
        assertEquals(
                "[0.1,1e+30]",
                JcsCanonicalizer.text(JSON.createArrayNode().add(0.1f).add(1e30)));
    }

    /** From the text, from its canonical form, and from a Jackson tree. */
    private static void assertCanonical(String canonical, String json) {
        assertEquals(canonical, canonical(json));
        assertEquals(canonical, canonical(canonical));
        assertEquals(canonical, JcsCanonicalizer.text(index(json).tree()));
    }

    private static void assertRefused(String message, String json) {
        CanonicalizationException error = assertThrows(CanonicalizationException.class, () -> canonical(json));
        assertEquals(message, error.getMessage());
        JsonNode tree = index(json).tree();
        CanonicalizationException same =
                assertThrows(CanonicalizationException.class, () -> JcsCanonicalizer.text(tree));
        assertEquals(message, same.getMessage());
    }

    private static String canonical(String json) {
        return new String(Canonicalizations.JCS.canonicalize(index(json)), StandardCharsets.UTF_8);
    }

    private static JsonIndex.Value index(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return JsonIndex.parse(bytes, 0, bytes.length, new JsonIndex.Limits(600, 1000, 10_000))
                .root();
    }
}
