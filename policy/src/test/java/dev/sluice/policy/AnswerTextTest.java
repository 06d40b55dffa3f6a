package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Texts of answers in the format that the operator stated. */
class AnswerTextTest {

    private static Optional<JsonNode> yaml(String text) {
        return AnswerText.parse(ItemRule.Format.YAML, text);
    }

    private static Optional<JsonNode> json(String text) {
        return AnswerText.parse(ItemRule.Format.JSON, text);
    }

    @Test
    void yaml_isReadAsItsValue() {
        assertEquals(
                "[{\"id\":\"1\",\"from\":\"ana@x\",\"to\":[\"b@x\"],\"n\":12,\"text\":\"two\\nlines\\n\"},{\"k\":null}]",
                yaml("- id: '1'\n  from: ana@x\n  to:\n  - b@x\n  n: 12\n  text: |\n    two\n    lines\n- k:\n")
                        .map(JsonNode::toString)
                        .orElse("none"));
    }

    /** YAML 1.2 core schema: what older versions took for truth values, dates and octal numbers are texts and numbers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "yes | \"yes\"",
                "no | \"no\"",
                "on | \"on\"",
                "true | true",
                "FALSE | false",
                "~ | null",
                "null | null",
                "2024-05-01 | \"2024-05-01\"",
                "12:30:45 | \"12:30:45\"",
                "0x1F | 31",
                "0o17 | 15",
                "012 | 12",
                "-7 | -7",
                "1.50 | 1.5",
                "1e3 | 1000.0",
                ".inf | \".inf\"",
                "123456789012345678901234567890 | 123456789012345678901234567890",
                "'12' | \"12\"",
                "{1: a, true: b} | {\"1\":\"a\",\"true\":\"b\"}",
                "!!str 12 | \"12\"",
                "&a x | \"x\"",
            })
    void scalars_areThoseOfTheCoreSchema(String text, String json) {
        assertEquals(json, yaml(text).map(JsonNode::toString).orElse("none"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# only a comment",
                "a: [",
                "a: 1\na: 2",
                "1: x\n'1': y",
                "a: &x [1]\nb: *x",
                "a: &x [*x]",
                "--- 1\n--- 2",
                "? [a]\n: b",
                "!!binary aGk=",
                "!other x",
                "!!int x",
                "!!set {a, b}",
                "a\u0001b",
                "\t- a",
            })
    void textThatIsNotQuiteYaml_isNotRead(String text) {
        assertEquals(Optional.empty(), yaml(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"a\":1,\"a\":2}", "[1,]", "{'a':1}", "1 2", "NaN", "// x\n1", "\"\ud800\""})
    void textThatIsNotQuiteJson_isNotRead(String text) {
        assertEquals(Optional.empty(), json(text));
    }

    @Test
    void json_isReadAsItsValue() {
        assertEquals(
                "{\"a\":[1,2.50]}",
                json(" {\"a\":[1,2.50]}\n").map(JsonNode::toString).orElse("none"));
    }

    @Test
    void depthAndSize_areBounded() {
        assertEquals(Optional.empty(), yaml("[".repeat(65) + "]".repeat(65)));
        assertEquals(Optional.empty(), yaml("[".repeat(1_000_000)));
        assertEquals(Optional.empty(), json("[".repeat(100_000) + "]".repeat(100_000)));
        assertEquals(Optional.empty(), yaml("a".repeat((4 << 20) + 1)));
        assertEquals(Optional.empty(), yaml("9".repeat(401)));
        assertEquals(
                64,
                yaml("[".repeat(64) + "]".repeat(64)).map(AnswerTextTest::depth).orElse(0));
    }

    private static int depth(JsonNode node) {
        int depth = 1;
        for (JsonNode at = node; !at.isEmpty(); at = at.get(0)) {
            depth++;
        }
        return depth;
    }

    @Test
    void formatThatNobodyStated_isNotRead() {
        assertEquals(
                Optional.empty(), new ItemRule("", null, LabelRule.NOTHING, java.util.Map.of(), List.of()).parse("1"));
        assertEquals(
                "1",
                new ItemRule("", ItemRule.Format.YAML, LabelRule.NOTHING, java.util.Map.of(), List.of())
                        .parse("1")
                        .map(JsonNode::toString)
                        .orElse("none"));
    }
}
