package dev.sluice.guard.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Arguments in headers: which, how they are written, and when they differ from the body. */
final class ParamHeadersTest {

    private static final JsonNode SCHEMA = json("""
            {'type':'object','properties':{
              'region':{'type':'string','x-mcp-header':'Region'},
              'rows':{'type':'integer','x-mcp-header':'Rows'},
              'options':{'type':'object','properties':{'dry':{'type':'boolean','x-mcp-header':'Dry-Run'}}},
              'query':{'type':'string'}}}""");

    private static JsonNode json(String text) {
        return JsonIndex.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8))
                .root()
                .tree();
    }

    private static Optional<String> mismatch(String arguments, Map<String, String> sent) {
        return ParamHeaders.mismatch(
                SCHEMA,
                json(arguments),
                name -> Optional.ofNullable(sent.get(name)).stream().toList());
    }

    @Test
    void argumentsThatAreMarked_haveHeaders_atAnyDepth() {
        assertEquals(
                Map.of("Mcp-Param-Region", "us-west1", "Mcp-Param-Rows", "-7", "Mcp-Param-Dry-Run", "true"),
                ParamHeaders.of(SCHEMA, json("{'region':'us-west1','rows':-7,'options':{'dry':true},'query':'x'}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'region':null,'rows':null,'options':null}",
                "{'region':['a'],'rows':{},'options':'dry'}",
                "{'rows':9007199254740992}",
                "{'rows':-1e99999999}",
                "{'rows':1e-99999999}",
                "{'rows':0.5}",
                "[]",
                "null"
            })
    void whatIsNoValueForAHeader_hasNone(String arguments) {
        assertEquals(Map.of(), ParamHeaders.of(SCHEMA, json(arguments)));
        assertEquals(Optional.empty(), mismatch(arguments, Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"9007199254740991,9007199254740991", "4.20e1,42", "42.0,42", "-0,0", "0e99999999,0", "1e3,1000"})
    void wholeNumber_isWrittenPlain_howeverItIsSpelt(String number, String header) {
        assertEquals(Map.of("Mcp-Param-Rows", header), ParamHeaders.of(SCHEMA, json("{'rows':" + number + "}")));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "us-west1, us-west1",
                "`Hello, 世界`, =?base64?SGVsbG8sIOS4lueVjA==?=",
                "` padded `, =?base64?IHBhZGRlZCA=?=",
                "=?base64?literal?=, =?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
                "=?base64?, =?base64?",
                "=?base64?=, =?base64?=",
                "`a  b`, `a  b`",
                "``, ``"
            })
    void text_isEncodedWhereAHeaderCannotHaveIt(String text, String encoded) {
        assertEquals(encoded, ParamHeaders.encode(text));
        assertEquals(Optional.of(text), ParamHeaders.decode(encoded));
    }

    @Test
    void lineBreak_isNeverPlain() {
        assertEquals("=?base64?bGluZTEKbGluZTI=?=", ParamHeaders.encode("line1\nline2"));
    }

    @Test
    void anyText_comesBack() {
        SplittableRandom random = new SplittableRandom(20);
        for (int i = 0; i < 2_000; i++) {
            String text = random.ints(random.nextInt(12), 0, 0x11000)
                    .filter(c -> c < 0xd800 || c > 0xdfff)
                    .map(c -> random.nextInt(3) == 0 ? c : c % 0x60 + 0x1f)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String encoded = ParamHeaders.encode(text);

            assertEquals(Optional.of(text), ParamHeaders.decode(encoded));
            assertTrue(encoded.chars().allMatch(c -> (c >= ' ' && c <= '~') || c == '\t'), encoded);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=?base64?SGVsbG8?=",
                "=?base64?SGVs bG8=?=",
                "=?base64?_-==?=",
                "=?base64?SGVsbG9=?=",
                "=?base64?/w==?=",
                "=?base64?=SGVsbG8=?=",
                "世界",
                "a\u0007"
            })
    void whatIsNoValue_isNotDecoded(String value) {
        assertEquals(Optional.empty(), ParamHeaders.decode(value));
    }

    @Test
    void headersThatSayTheSame_areNoMismatch() {
        assertEquals(
                Optional.empty(),
                mismatch(
                        "{'region':'世界','rows':42,'options':{'dry':false}}",
                        Map.of(
                                "Mcp-Param-Region",
                                "=?base64?5LiW55WM?=",
                                "Mcp-Param-Rows",
                                "42.0",
                                "Mcp-Param-Dry-Run",
                                "false",
                                "Mcp-Param-Unknown",
                                "x")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'region':'a'} | Region | b | `Mcp-Param-Region` is not the argument `region`",
                "{'region':'a'} | Region | A | `Mcp-Param-Region` is not the argument `region`",
                "{'region':null} | Region | a | `Mcp-Param-Region` is not the argument `region`",
                "{} | Rows | 1 | `Mcp-Param-Rows` is not the argument `rows`",
                "{'rows':1} | Rows | 2 | `Mcp-Param-Rows` is not the argument `rows`",
                "{'rows':1} | Rows | 1e0 | `Mcp-Param-Rows` is not the argument `rows`",
                "{'rows':'1'} | Rows | 1.0 | `Mcp-Param-Rows` is not the argument `rows`",
                "{'options':{'dry':true}} | Dry-Run | True | `Mcp-Param-Dry-Run` is not the argument `options.dry`",
                "{'region':'a'} | Region | =?base64?YQ?= | `Mcp-Param-Region` holds characters that a header can't"
                        + " have, or Base64 of something else",
                "{'region':'a'} | Other | a | send the header `Mcp-Param-Region`, the argument `region` stands in it"
            })
    void headerThatSaysAnotherThing_isAMismatch(String arguments, String header, String value, String why) {
        assertEquals(Optional.of(why), mismatch(arguments, Map.of("Mcp-Param-" + header, value)));
    }

    @Test
    void headerThatIsThereTwice_isAMismatch() {
        assertEquals(
                Optional.of("send `Mcp-Param-Region` at most once"),
                ParamHeaders.mismatch(SCHEMA, json("{'region':'a'}"), name -> List.of("a", "a")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'properties':{'a':{'type':'number','x-mcp-header':'A'}}}"
                        + " | `x-mcp-header` `A` is of an argument that is no string, integer or boolean",
                "{'properties':{'a':{'x-mcp-header':'A'}}}"
                        + " | `x-mcp-header` `A` is of an argument that is no string, integer or boolean",
                "{'properties':{'a':{'type':'string','x-mcp-header':''}}}"
                        + " | an `x-mcp-header` is no name of a header",
                "{'properties':{'a':{'type':'string','x-mcp-header':'a b'}}}"
                        + " | an `x-mcp-header` is no name of a header",
                "{'properties':{'a':{'type':'string','x-mcp-header':7}}}"
                        + " | an `x-mcp-header` is no name of a header",
                "{'properties':{'a':{'type':'string','x-mcp-header':'X'},'b':{'type':'string','x-mcp-header':'x'}}}"
                        + " | `x-mcp-header` `x` stands there twice",
                "{'type':'string','x-mcp-header':'X'} | `x-mcp-header` stands where no argument is named",
                "{'properties':{'a':{'items':{'type':'string','x-mcp-header':'X'}}}}"
                        + " | `x-mcp-header` stands where no argument is named",
                "{'anyOf':[{'properties':{'a':{'type':'string','x-mcp-header':'X'}}}]}"
                        + " | `x-mcp-header` stands where no argument is named",
                "{'$defs':{'d':{'properties':{'a':{'type':'string','x-mcp-header':'X'}}}}}"
                        + " | `x-mcp-header` stands where no argument is named"
            })
    void schemaThatCannotBeFollowed_hasAFault_andNoHeaders(String schema, String why) {
        assertEquals(Optional.of(why), ParamHeaders.fault(json(schema)));
        assertEquals(Map.of(), ParamHeaders.of(json(schema), json("{'a':'x','b':'y'}")));
        assertEquals(Optional.empty(), ParamHeaders.mismatch(json(schema), json("{'a':'x'}"), name -> List.of()));
    }

    @Test
    void argumentThatIsCalledLikeTheMark_isNoMark() {
        assertEquals(Optional.empty(), ParamHeaders.fault(json("{'properties':{'x-mcp-header':{'type':'string'}}}")));
    }
}
