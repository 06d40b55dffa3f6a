package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Where spans are found, and what is said of them. */
class SpanSearchTest {

    private static final JsonNode NO_ITEM = MissingNode.getInstance();

    private static SpanSearch search(String... spans) {
        Policy policy = PolicyParser.parse(
                "policy.yaml",
                "version: 1\nservers:\n  mail:\n    tools:\n      read:\n        returns:\n          spans:\n            - "
                        + String.join("\n            - ", spans) + "\n");
        Returns returns = policy.servers().get("mail").tools().get("read").returns();
        return new SpanSearch(
                returns == null ? List.of() : returns.spans(),
                JsonMapper.shared().readTree("{\"q\":\"x\"}"),
                "mail",
                "ana");
    }

    private static List<String> found(String text, String... spans) {
        return search(spans).find(text, NO_ITEM).stream()
                .map(each -> text.substring(each.from(), each.to()))
                .toList();
    }

    @Test
    void matches_areFoundBehindPairs() {
        assertEquals(
                List.of("b7", "b8"), found("\uD83D\uDE00b7 \uD83D\uDE00\uD83D\uDE00b8", "{match: 'b\\d', classes: x}"));
        assertEquals(List.of("\uD83D\uDE00"), found("a\uD83D\uDE00b", "{match: '[^a-z]', classes: x}"), "a whole pair");
        assertEquals(
                List.of("\uD83D"), found("a\uD83Db", "{match: '[^a-z]', classes: x}"), "half a pair is a sign too");
    }

    /** Most servers answer with JSON in a text, and whoever reads it reads what stands behind the escapes. */
    @Test
    void whatStandsBehindAnEscape_makesTheWholeTextASpan() {
        String card = "{match: '\\b\\d{16}\\b', classes: x}";
        String hidden = "{\"body\":\"Card:\\n4111111111111111\"}";
        assertEquals(List.of(hidden), found(hidden, card));
        String spelled = "{\"body\":\"\\u0034111111111111111\"}";
        assertEquals(List.of(spelled), found(spelled, card));
        String mail = "{match: '[a-z.]+@[a-z.]+', readers: '[match]'}";
        String wrong = "\"hello\\nana@x.org\"";
        assertEquals(List.of(wrong), found(wrong, mail));
        assertEquals(
                Integrity.UNTRUSTED,
                search(mail).find(wrong, NO_ITEM).get(0).said().integrity(),
                "and is nobody's to read");
        assertEquals(
                List.of("4111111111111111"),
                found("{\"a\":\"say \\\"4111111111111111\\\"\"}", card),
                "the same either way");
    }

    @Test
    void group_isTheSpan_andOneThatTookNoPartIsNone() {
        assertEquals(List.of("1", "3"), found("a1 b2 a3", "{match: 'a(\\d)|b\\d', group: 1, classes: x}"));
        assertEquals(List.of(), found("ab", "{match: 'a(x*)b', group: 1, classes: x}"));
    }

    @Test
    void expression_seesTheSpanItsGroupsAndTheRest() {
        SpanSearch search = search(
                "{match: '(\\w+)@(\\w+)', group: 1, classes: \"[match, groups[0], groups[2], item.a, args.q, server, principal]\"}");
        JsonNode item = JsonMapper.shared().readTree("{\"a\":\"it\"}");

        assertEquals(6, search.find("to bo@x", item).get(0).said().classes().size());
        assertTrue(search.find("to bo@y", item).get(0).said().classes().contains(DataClass.of("bo@y")));
    }

    @Test
    void readersMayBeTheMatchItself() {
        Returns said = search("{match: '[a-z]+@[a-z.]+', readers: '[match]'}")
                .find("to bo@x.example", NO_ITEM)
                .get(0)
                .said();

        assertEquals("Known[readers=[bo@x.example]]", String.valueOf(said.confidentiality()));
    }

    @Test
    void expressionThatErrs_isStrict() {
        SpanSearch search = search("{match: x, classes: item.kind}");
        Returns said = search.find("x", NO_ITEM).get(0).said();

        assertEquals(
                new Returns(Integrity.UNTRUSTED, new Returns.Privacy.Private(), Set.of(LabelRule.UNKNOWN_CLASS)), said);
        assertTrue(search.findings().get(0).startsWith("a span counts as untrusted and private: `item.kind`"));
    }

    @Test
    void tooManySpans_areOneOfEveryRule() {
        SpanSearch search = search("{match: x, classes: [a]}", "{match: never, integrity: untrusted}");
        String text = "x".repeat(SpanSearch.MOST_OF_A_TEXT);

        assertEquals(SpanSearch.MOST_OF_A_TEXT, search.find(text, NO_ITEM).size());
        List<SpanSearch.Found> more = search.find(text + "x", NO_ITEM);

        assertEquals(
                List.of(
                        new SpanSearch.Found(0, 1_001, new Returns(null, null, Set.of(DataClass.of("a")))),
                        new SpanSearch.Found(0, 1_001, new Returns(Integrity.UNTRUSTED, null, null))),
                more);
        assertEquals(List.of("a text with too many spans counts as one"), search.findings());
    }

    @Test
    void tooManySpansOfAnAnswer_likewise() {
        SpanSearch search = search("{match: x, classes: [a]}");
        for (int i = 0; i < SpanSearch.MOST; i++) {
            assertEquals(0, search.find("x.", NO_ITEM).get(0).from());
        }

        assertEquals(2, search.find("x.", NO_ITEM).get(0).to());
        assertEquals(List.of(), search.find("none", NO_ITEM), "where none is, none is counted");
    }
}
