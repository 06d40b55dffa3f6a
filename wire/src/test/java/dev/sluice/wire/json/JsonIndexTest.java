// This file has more than 400 lines because it holds one case for each rule of the JSON grammar.
package dev.sluice.wire.json;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Limits;
import dev.sluice.wire.json.JsonIndex.Member;
import dev.sluice.wire.json.JsonIndex.Value;
import dev.sluice.wire.json.MalformedJsonException.Fault;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Each rule of the index by hand. Over 400 lines: the tables of refused texts are what it is about. */
class JsonIndexTest {

    private static JsonIndex parse(String text) {
        return JsonIndex.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MalformedJsonException refused(byte[] bytes, Limits limits) {
        return assertThrows(
                MalformedJsonException.class,
                () -> JsonIndex.parse(bytes, 0, bytes.length, limits),
                () -> new String(bytes, StandardCharsets.UTF_8));
    }

    private static MalformedJsonException refused(String text) {
        return refused(text.getBytes(StandardCharsets.UTF_8), Limits.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "{\"a\":1,}|SYNTAX|7",
                "[1,]|SYNTAX|3",
                "[,1]|SYNTAX|1",
                "[1 2]|SYNTAX|3",
                "{\"a\" 1}|SYNTAX|5",
                "{a:1}|SYNTAX|1",
                "{'a':1}|SYNTAX|1",
                "{\"a\":1]|SYNTAX|6",
                "[1}|SYNTAX|2",
                "]|SYNTAX|0",
                "NaN|SYNTAX|0",
                "-Infinity|SYNTAX|1",
                "+1|SYNTAX|0",
                ".5|SYNTAX|0",
                "1.|TRUNCATED|2",
                "[1.]|SYNTAX|3",
                "[1.e3]|SYNTAX|3",
                "[1e]|SYNTAX|3",
                "[-]|SYNTAX|2",
                "[01]|SYNTAX|2",
                "01|TRAILING_DATA|1",
                "[-01]|SYNTAX|3",
                "[0x1]|SYNTAX|2",
                "[tru]|SYNTAX|4",
                "True|SYNTAX|0",
                "[\"\\x\"]|SYNTAX|3",
                "[\"\\u00g0\"]|SYNTAX|6",
                "[\"\\uff\uff11\"]|SYNTAX|6",
                "// c|SYNTAX|0",
                "{} {}|TRAILING_DATA|3",
                "1 x|TRAILING_DATA|2",
                "\uFEFF{}|BYTE_ORDER_MARK|0",
                "\u00A0{}|SYNTAX|0",
                "{|TRUNCATED|1",
                "[|TRUNCATED|1",
                "[1|TRUNCATED|2",
                "{\"a\":|TRUNCATED|5",
                "{\"a|TRUNCATED|3",
                "tru|TRUNCATED|3",
                "\"\\|TRUNCATED|2",
                "\"\\u12|TRUNCATED|5",
                "{\"a\":1,\"a\":2}|DUPLICATE_KEY|7",
                "{\"a\":1,\"\\u0061\":2}|DUPLICATE_KEY|7",
                "[{\"x\":{\"\":1,\"\":2}}]|DUPLICATE_KEY|12",
                "{\"\\ud83d\\ude00\":1,\"\uD83D\uDE00\":2}|DUPLICATE_KEY|18",
                "{\"\\ud83d\":1}|LONE_SURROGATE|2",
                "{\"\\ude00\":1}|LONE_SURROGATE|2",
            })
    void text_outsideTheRules_refusedWithPlace(String text, Fault fault, int position) {
        MalformedJsonException error = refused(text);
        assertEquals(fault, error.fault(), text);
        assertEquals(position, error.position(), text);
        assertTrue(error.getMessage().startsWith("malformed JSON at byte " + position + ": "), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c080",
                "c1bf",
                "e08080",
                "e09fbf",
                "f0808080",
                "f08fbfbf",
                "eda080",
                "edbfbf",
                "f4908080",
                "f5808080",
                "ff",
                "80",
                "bf",
                "c3",
                "c328",
                "e28228",
                "e2",
                "f09f98",
                "f09f9828",
                "f888808080"
            })
    void bytes_notUtf8_refused(String hex) {
        for (String form : List.of("[\"%s\"]", "{\"%s\":1}", "[\"eight or more chars %s and a tail as long\"]")) {
            String[] parts = form.split("%s");
            byte[] middle = HexFormat.of().parseHex(hex);
            byte[] bytes = Arrays.copyOf(parts[0].getBytes(StandardCharsets.US_ASCII), 100);
            int at = parts[0].length();
            System.arraycopy(middle, 0, bytes, at, middle.length);
            byte[] tail = parts[1].getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(tail, 0, bytes, at + middle.length, tail.length);
            byte[] text = Arrays.copyOf(bytes, at + middle.length + tail.length);
            MalformedJsonException error = refused(text, Limits.DEFAULT);
            assertEquals(Fault.INVALID_UTF8, error.fault(), hex);
            assertEquals(at, error.position(), hex);
        }
    }

    @Test
    void text_emptyOrBlank_refused() {
        assertEquals(Fault.TRUNCATED, refused("").fault());
        assertEquals(Fault.TRUNCATED, refused(" \n").fault());
    }

    @Test
    void controlCharacter_inString_refusedAtAnyPlace() {
        for (int c = 0; c < 0x20; c++) {
            for (int before = 0; before < 20; before++) {
                MalformedJsonException error = refused("[\"" + "x".repeat(before) + (char) c + "yyyyyyyyyy\"]");
                assertEquals(Fault.CONTROL_CHARACTER, error.fault());
                assertEquals(2 + before, error.position());
            }
        }
        assertEquals("\u007f", parse("\"\u007f\"").root().string());
    }

    @Test
    void message_neverQuotesTheText() {
        for (String text : List.of("{\"secret\":1,\"secret\":2}", "[\"secret\\x\"]", "{\"a\":secret}", "\"secret")) {
            assertFalse(refused(text).getMessage().contains("secret"), text);
        }
    }

    @Test
    void everyPrefix_ofAText_refused() {
        String text = "{\"a\":[1.5e3,true,null,\"x\\u0041é\"],\"b\":{}}";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int length = 0; length < bytes.length; length++) {
            assertEquals(
                    Fault.TRUNCATED,
                    refused(Arrays.copyOf(bytes, length), Limits.DEFAULT).fault());
        }
    }

    @Test
    void loneSurrogate_inValue_keptAndReported() {
        for (String text : List.of(
                "[\"\\ud800\"]",
                "[\"\\udc00x\"]",
                "[\"\\ud800\\ud800\\udc00\"]",
                "[\"\\ud800\\n\"]",
                "[\"\\ud800\\ud800\"]",
                "[\"\\udc00\\udc00\"]")) {
            JsonIndex index = parse(text);
            assertTrue(index.hasLoneSurrogate(), text);
            assertEquals(text, index.root().raw());
        }
        assertEquals("\ud800\n", parse("\"\\ud800\\n\"").root().string());
        assertEquals("\ud800", parse("[\"\\ud800\"]").root().tree().get(0).stringValue());
        assertFalse(parse("[\"\\ud83d\\ude00\"]").hasLoneSurrogate());
    }

    @Test
    void depth_atLimitTakenAndOverItRefused() {
        assertEquals(1, parse("[".repeat(256) + "]".repeat(256)).root().size());
        MalformedJsonException error = refused("[".repeat(257) + "]".repeat(257));
        assertEquals(Fault.TOO_DEEP, error.fault());
        assertEquals(256, error.position());
        assertEquals(
                Fault.TOO_DEEP,
                refused("{\"a\":[]}".getBytes(StandardCharsets.UTF_8), new Limits(1, 10, 10))
                        .fault());
    }

    @Test
    void depth_ofManyLevels_needsNoStack() {
        int levels = 500_000;
        byte[] bytes = ("{\"a\":[".repeat(levels / 2) + "]}".repeat(levels / 2)).getBytes(StandardCharsets.UTF_8);
        JsonIndex index = JsonIndex.parse(bytes, 0, bytes.length, new Limits(levels, 10, levels));
        assertEquals(bytes.length, index.root().end());
        assertTrue(index.root().tree().isObject());
        assertEquals(Fault.TOO_DEEP, refused(bytes, Limits.DEFAULT).fault());
    }

    @Test
    void number_atLimitTakenAndOverItRefused() {
        assertEquals(
                1000,
                parse("1".repeat(1000))
                        .root()
                        .tree()
                        .bigIntegerValue()
                        .toString()
                        .length());
        assertEquals(
                Fault.NUMBER_TOO_LARGE, refused("[" + "1".repeat(1001) + "]").fault());
        assertEquals(Fault.NUMBER_TOO_LARGE, refused("0." + "1".repeat(999)).fault());
        assertEquals(Fault.NUMBER_TOO_LARGE, refused("1e2000000001").fault());
        assertEquals(
                Fault.NUMBER_TOO_LARGE, refused("1e-99999999999999999999999").fault());
        assertEquals(Kind.NUMBER, parse("1e0000000000000000000000003").root().kind());
    }

    @Test
    void values_atLimitTakenAndOverItRefused() {
        Limits four = new Limits(10, 10, 4);
        byte[] taken = "{\"a\":[1,2]}".getBytes(StandardCharsets.UTF_8);
        assertEquals(1, JsonIndex.parse(taken, 0, taken.length, four).root().size());
        MalformedJsonException error = refused("{\"a\":[1,2,3]}".getBytes(StandardCharsets.UTF_8), four);
        assertEquals(Fault.TOO_MANY_VALUES, error.fault());
        assertEquals(10, error.position());
    }

    @Test
    void limits_outOfRange_refused() {
        assertThrows(IllegalArgumentException.class, () -> new Limits(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Limits(1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Limits(1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Limits(1, 1, 100_000_001));
    }

    @Test
    void names_aMillion_readAndADuplicateAmongThemFound() {
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < 1_000_000; i++) {
            text.append('"').append(i).append("\":0,");
        }
        String open = text.toString();
        assertEquals(1_000_001, parse(open + "\"x\":0}").root().size());
        MalformedJsonException plain = refused(open + "\"123456\":0}");
        assertEquals(Fault.DUPLICATE_KEY, plain.fault());
        assertEquals(open.length(), plain.position());
        assertEquals(Fault.DUPLICATE_KEY, refused(open + "\"12345\\u0036\":0}").fault());
    }

    @Test
    void names_withEqualStringHashes_readWithoutSlowing() {
        // "Aa" and "BB" have one String.hashCode, so all 2^17 names here do: a table over it would take hours.
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < 1 << 17; i++) {
            text.append(i == 0 ? "\"" : ",\"");
            for (int bit = 0; bit < 17; bit++) {
                text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            text.append("\":0");
        }
        assertEquals(1 << 17, parse(text + "}").root().size());
    }

    /** Of one length, with the same first, middle and last characters. */
    @Test
    void namesThatLookAlike_areToldApart() {
        String alike = "{\"axbyc\":1,\"aybxc\":2,\"azbzc\":3";
        assertEquals(3, parse(alike + "}").root().size());
        MalformedJsonException error = refused(alike + ",\"aybxc\":4}");
        assertEquals(Fault.DUPLICATE_KEY, error.fault());
        assertEquals(31, error.position());
    }

    @Test
    void duplicate_anywhereAmongNames_found() {
        Random random = new Random(5);
        for (int round = 0; round < 2000; round++) {
            int size = 2 + random.nextInt(40);
            int first = random.nextInt(size - 1);
            int second = first + 1 + random.nextInt(size - first - 1);
            boolean escaped = random.nextBoolean();
            StringBuilder text = new StringBuilder("{");
            int place = 0;
            for (int i = 0; i < size; i++) {
                text.append(i == 0 ? "" : ",");
                place = i == second ? text.length() : place;
                String name = "n" + (i == second ? first : i);
                text.append('"')
                        .append(escaped && i == second ? "\\u006e" + name.substring(1) : name)
                        .append("\":[{}]");
            }
            MalformedJsonException error = refused(text + "}");
            assertEquals(Fault.DUPLICATE_KEY, error.fault());
            assertEquals(place, error.position());
        }
    }

    @Test
    void slice_ofAnArray_indexedInPlace() {
        byte[] bytes = "xx {\"a\":[1]} yy".getBytes(StandardCharsets.UTF_8);
        JsonIndex index = JsonIndex.parse(bytes, 2, 11, Limits.DEFAULT);
        assertEquals(3, index.root().start());
        assertEquals(12, index.root().end());
        assertEquals("[1]", index.root().member("a").orElseThrow().raw());
        assertEquals(
                3,
                assertThrows(MalformedJsonException.class, () -> JsonIndex.parse(bytes, 8, 4, Limits.DEFAULT))
                        .position());
        assertThrows(IndexOutOfBoundsException.class, () -> JsonIndex.parse(bytes, 10, 6, Limits.DEFAULT));
    }

    @Test
    void navigation_givesRangesKindsAndText() {
        String text = " {\"a\" : [1, \"x\\n\\u00e9\", {}, true,false,null] , \"\\u0062\":-2.50}";
        JsonIndex index = parse(text);
        Value root = index.root();
        assertEquals(Kind.OBJECT, root.kind());
        assertEquals(2, root.size());
        List<Member> members = root.members();
        assertEquals(List.of("a", "b"), members.stream().map(Member::name).toList());
        assertEquals(
                "\"\\u0062\"",
                text.substring(members.get(1).keyStart(), members.get(1).keyEnd()));
        Value array = root.member("a").orElseThrow();
        assertEquals(array, members.get(0).value());
        assertEquals(
                List.of(Kind.NUMBER, Kind.STRING, Kind.OBJECT, Kind.TRUE, Kind.FALSE, Kind.NULL),
                array.elements().stream().map(Value::kind).toList());
        assertEquals("x\né", array.elements().get(1).string());
        assertEquals("-2.50", root.member("b").orElseThrow().raw());
        assertArrayEquals(
                "{}".getBytes(StandardCharsets.UTF_8), array.elements().get(2).bytes());
        assertEquals(Optional.empty(), root.member("c"));
        assertEquals(Optional.empty(), array.member("a"));
        assertEquals(List.of(), array.members());
        assertEquals(List.of(), root.elements());
        assertThrows(IllegalStateException.class, array::string);
        assertFalse(array.elements().get(1).toString().contains("x"));
    }

    @Test
    void member_withHalfASurrogatePair_isNotTheQuestionMark() {
        assertEquals(Optional.empty(), parse("{\"?\":1}").root().member("\ud800"));
        assertTrue(parse("{\"\\ud83d\\ude00\":1}").root().member("\ud83d\ude00").isPresent());
    }

    @Test
    void pointer_leadsAsRfc6901Says() {
        // The document and the results of RFC 6901 section 5.
        Value root = parse("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
                        + "\"k\\\"l\":6,\" \":7,\"m~n\":8}")
                .root();
        Map<String, String> expected = Map.ofEntries(
                Map.entry("", root.raw()),
                Map.entry("/foo", "[\"bar\",\"baz\"]"),
                Map.entry("/foo/0", "\"bar\""),
                Map.entry("/", "0"),
                Map.entry("/a~1b", "1"),
                Map.entry("/c%d", "2"),
                Map.entry("/e^f", "3"),
                Map.entry("/g|h", "4"),
                Map.entry("/i\\j", "5"),
                Map.entry("/k\"l", "6"),
                Map.entry("/ ", "7"),
                Map.entry("/m~0n", "8"));
        expected.forEach((pointer, raw) ->
                assertEquals(raw, root.pointer(pointer).orElseThrow().raw(), pointer));
        for (String nowhere : List.of(
                "/foo/2",
                "/foo/-",
                "/foo/00",
                "/foo/01",
                "/foo/-1",
                "/foo/+1",
                "/foo/",
                "/foo/9999999999",
                "/x",
                "/foo/0/x")) {
            assertEquals(Optional.empty(), root.pointer(nowhere), nowhere);
        }
        for (String wrong : List.of("foo", "/m~n", "/m~", "/m~2")) {
            assertThrows(IllegalArgumentException.class, () -> root.pointer(wrong), wrong);
        }
        assertEquals(List.of("a/b", "~1"), JsonPointers.tokens(JsonPointers.step("a/b") + JsonPointers.step("~1")));
    }

    @Test
    void tree_keepsNumbersExact() {
        JsonNode tree = parse(
                        "[1e400,-1e400,0.1,1.10,12345678901234567890123,9223372036854775807,-2147483649,7,1e1000000000]")
                .root()
                .tree();
        assertEquals(new BigDecimal("1e400"), tree.get(0).decimalValue());
        assertEquals(new BigDecimal("-1e400"), tree.get(1).decimalValue());
        assertEquals(new BigDecimal("0.1"), tree.get(2).decimalValue());
        assertEquals(new BigDecimal("1.10"), tree.get(3).decimalValue());
        assertEquals(new BigInteger("12345678901234567890123"), tree.get(4).bigIntegerValue());
        assertEquals(Long.MAX_VALUE, tree.get(5).longValue());
        assertEquals(-2147483649L, tree.get(6).longValue());
        assertTrue(tree.get(7).isInt());
        assertEquals(new BigDecimal("1e1000000000"), tree.get(8).decimalValue());
        assertEquals("1E+1000000000", tree.get(8).toString());
    }
}
