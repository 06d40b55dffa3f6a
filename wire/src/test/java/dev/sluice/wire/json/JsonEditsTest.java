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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class JsonEditsTest {

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String edited(String text, BiConsumer<JsonEdits, Value> edit) {
        JsonIndex index = JsonIndex.parse(utf8(text));
        JsonEdits edits = new JsonEdits(index);
        edit.accept(edits, index.root());
        return new String(edits.apply(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{}|{\"x\":1}",
                " { \t } | {\"x\":1 \t } ",
                "{\"a\":0}|{\"a\":0,\"x\":1}",
                "{ \"a\" : 0 }|{ \"a\" : 0,\"x\":1 }",
                "{ \"x\" : [2] , \"a\":0}|{ \"x\" : 1 , \"a\":0}",
                "{\"\\u0078\":2}|{\"\\u0078\":1}",
            })
    void setMember_replacesOrAppends(String before, String after) {
        assertEquals(after, edited(before, (edits, root) -> edits.setMember(root, "x", utf8("1"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{\"x\":1}|{}",
                "{ \"x\":1 }|{  }",
                "{\"x\":1, \"a\":0}|{\"a\":0}",
                "{\"a\":0 , \"x\":1 }|{\"a\":0 }",
                "{\"a\":0 , \"x\":1 , \"b\":2}|{\"a\":0 , \"b\":2}",
                "{\"x\":1, \"y\":1 , \"b\":2}|{\"b\":2}",
                "{\"a\":0, \"x\":1, \"y\":1 , \"b\":2}|{\"a\":0 , \"b\":2}",
                "{\"x\":1,\"a\":0,\"y\":1}|{\"a\":0}",
                "{\"x\":1,\"y\":1}|{}",
                "{\"a\":0}|{\"a\":0}",
            })
    void removeMember_takesItsComma(String before, String after) {
        assertEquals(
                after,
                edited(before, (edits, root) -> edits.removeMember(root, "y").removeMember(root, "x")));
    }

    @Test
    void elements_removedAndInsertedTogether() {
        assertEquals(
                "[9,1,8,7,3,6]",
                edited(
                        "[0, 1 , 2,3, 4]",
                        (edits, root) -> edits.removeElement(root, 4)
                                .insertElement(root, 2, utf8("8"))
                                .removeElement(root, 0)
                                .insertElement(root, 0, utf8("9"))
                                .removeElement(root, 2)
                                .insertElement(root, 3, utf8("7"))
                                .appendElement(root, utf8("6"))));
    }

    @Test
    void laterEdit_ofTheSameMember_wins() {
        assertEquals(
                "{\"a\":2}",
                edited(
                        "{\"a\":0}",
                        (edits, root) -> edits.removeMember(root, "a").setMember(root, "a", utf8("2"))));
        assertEquals(
                "{}",
                edited(
                        "{\"a\":0}",
                        (edits, root) -> edits.setMember(root, "a", utf8("2")).removeMember(root, "a")));
        assertEquals(
                "{\"b\":2}",
                edited(
                        "{}",
                        (edits, root) -> edits.setMember(root, "b", utf8("1")).setMember(root, "b", utf8("2"))));
        assertEquals(
                "{}",
                edited(
                        "{}",
                        (edits, root) -> edits.setMember(root, "b", utf8("1")).removeMember(root, "b")));
    }

    @Test
    void laterEdit_ofTheSameElement_wins() {
        assertEquals(
                "[0]",
                edited(
                        "[0,1]",
                        (edits, root) ->
                                edits.replace(root.elements().get(1), utf8("2")).removeElement(root, 1)));
        assertEquals(
                "[0,2]",
                edited(
                        "[0,1]",
                        (edits, root) -> edits.removeElement(root, 1)
                                .replace(root.elements().get(1), utf8("2"))));
    }

    @Test
    void insertMember_ofAPresentName_refused() {
        assertEquals("{\"a\":0,\"b\":1}", edited("{\"a\":0}", (e, root) -> e.insertMember(root, "b", utf8("1"))));
        assertThrows(
                IllegalArgumentException.class,
                () -> edited("{\"a\":0}", (e, root) -> e.insertMember(root, "a", utf8("1"))));
        assertThrows(
                IllegalArgumentException.class,
                () -> edited(
                        "{}", (e, root) -> e.setMember(root, "a", utf8("1")).insertMember(root, "a", utf8("1"))));
    }

    @Test
    void memberName_isEscaped() {
        assertEquals(
                "{\"q\\\"\\\\\\u000a\\u001fé\":1}",
                edited("{}", (edits, root) -> edits.setMember(root, "q\"\\\n\u001fé", utf8("1"))));
        assertThrows(
                IllegalArgumentException.class,
                () -> edited("{}", (e, root) -> e.setMember(root, "\ud800", utf8("1"))));
    }

    @Test
    void whatIsPutIn_mustBeOneJsonValue() {
        for (String wrong : List.of("", "1,2", "{", "\"\u0001\"", "{\"a\":1,\"a\":1}")) {
            assertThrows(IllegalArgumentException.class, () -> edited("{}", (e, root) -> e.replace(root, utf8(wrong))));
            assertThrows(
                    IllegalArgumentException.class, () -> edited("{}", (e, r) -> e.setMember(r, "a", utf8(wrong))));
            assertThrows(IllegalArgumentException.class, () -> edited("[]", (e, r) -> e.appendElement(r, utf8(wrong))));
        }
    }

    @Test
    void editInsideAReplacedOrRemovedValue_refused() {
        assertThrows(
                IllegalStateException.class,
                () -> edited(
                        "{\"a\":{\"b\":1}}",
                        (edits, root) -> edits.setMember(root, "a", utf8("2"))
                                .setMember(root.member("a").orElseThrow(), "b", utf8("2"))));
        assertThrows(
                IllegalStateException.class,
                () -> edited(
                        "{\"a\":{}}",
                        (edits, root) -> edits.removeMember(root, "a")
                                .setMember(root.member("a").orElseThrow(), "b", utf8("2"))));
    }

    @Test
    void edits_ofAnotherTextOrKind_refused() {
        Value foreign = JsonIndex.parse(utf8("{}")).root();
        assertThrows(IllegalArgumentException.class, () -> edited("{}", (e, root) -> e.replace(foreign, utf8("1"))));
        assertThrows(IllegalArgumentException.class, () -> edited("{}", (e, root) -> e.removeMember(foreign, "a")));
        assertThrows(
                IllegalArgumentException.class, () -> edited("[]", (e, root) -> e.setMember(root, "a", utf8("1"))));
        assertThrows(IllegalArgumentException.class, () -> edited("{}", (e, root) -> e.removeElement(root, 0)));
        assertThrows(IndexOutOfBoundsException.class, () -> edited("[1]", (e, root) -> e.removeElement(root, 1)));
        assertThrows(IndexOutOfBoundsException.class, () -> edited("[1]", (e, r) -> e.insertElement(r, 2, utf8("1"))));
    }

    @Test
    void noEdit_givesTheSliceItself() {
        byte[] bytes = utf8("## [ 1 ] ##");
        JsonIndex index = JsonIndex.parse(bytes, 2, 7, Limits.DEFAULT);
        JsonEdits edits = new JsonEdits(index);
        assertTrue(edits.isEmpty());
        assertArrayEquals(utf8(" [ 1 ] "), edits.apply());
        edits.appendElement(index.root(), utf8("2"));
        assertFalse(edits.isEmpty());
        assertArrayEquals(utf8(" [ 1,2 ] "), edits.apply());
    }

    /**
     * Random edits on random texts: the edited bytes read as the same edits of a Jackson tree, and every value that no
     * edit touched keeps its exact spelling.
     */
    @Test
    void randomEdits_readAsTheSameEditsOfATree() {
        Random random = new Random(3);
        RandomJson json = new RandomJson(random);
        for (int round = 0; round < 30_000; round++) {
            String text = json.text(3);
            JsonIndex index = JsonIndex.parse(utf8(text));
            JsonEdits edits = new JsonEdits(index);
            List<String> untouched = new ArrayList<>();
            JsonNode expected = edit(index.root(), edits, random, json, untouched);
            byte[] result = edits.apply();
            assertEquals(
                    expected,
                    RandomJson.jackson(result),
                    () -> text + " -> " + new String(result, StandardCharsets.UTF_8));
            assertEquals(expected, JsonIndex.parse(result).root().tree());
            String edited = new String(result, StandardCharsets.UTF_8);
            int from = 0;
            for (String range : untouched) {
                int at = edited.indexOf(range, from);
                assertTrue(at >= 0, () -> range + " is not in " + edited);
                from = at + range.length();
            }
            if (edits.isEmpty()) {
                assertEquals(text, edited);
            }
        }
    }

    /** Edits a value or leaves it; returns its tree afterwards, and adds the ranges left alone in their order. */
    private static JsonNode edit(Value value, JsonEdits edits, Random random, RandomJson json, List<String> untouched) {
        if (random.nextInt(8) == 0) {
            byte[] other = utf8(json.value(1));
            edits.replace(value, other);
            return RandomJson.jackson(other);
        }
        if (value.kind() == Kind.OBJECT && value.size() + random.nextInt(2) > 0) {
            return editObject(value, edits, random, json, untouched);
        }
        if (value.kind() == Kind.ARRAY && value.size() + random.nextInt(2) > 0) {
            return editArray(value, edits, random, json, untouched);
        }
        untouched.add(value.raw());
        return value.tree();
    }

    private static JsonNode editObject(
            Value value, JsonEdits edits, Random random, RandomJson json, List<String> untouched) {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        int removals = random.nextInt(4);
        for (Member member : value.members()) {
            if (random.nextInt(4) < removals && removals > 1) {
                edits.removeMember(value, member.name());
            } else if (random.nextInt(6) == 0) {
                byte[] other = utf8(json.text(1));
                edits.setMember(value, member.name(), other);
                tree.set(member.name(), RandomJson.jackson(other));
            } else {
                tree.set(member.name(), edit(member.value(), edits, random, json, untouched));
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            String name = "new \"" + random.nextInt(3);
            byte[] other = utf8(json.text(1));
            if (value.member(name).isEmpty()) {
                edits.setMember(value, name, other);
                tree.set(name, RandomJson.jackson(other));
            }
        }
        return tree;
    }

    private static JsonNode editArray(
            Value value, JsonEdits edits, Random random, RandomJson json, List<String> untouched) {
        ArrayNode tree = JsonNodeFactory.instance.arrayNode();
        int removals = random.nextInt(4);
        List<Value> elements = value.elements();
        for (int i = 0; i <= elements.size(); i++) {
            while (random.nextInt(5) == 0) {
                byte[] other = utf8(json.text(1));
                edits.insertElement(value, i, other);
                tree.add(RandomJson.jackson(other));
            }
            if (i < elements.size()) {
                if (random.nextInt(4) < removals && removals > 1) {
                    edits.removeElement(value, i);
                } else {
                    tree.add(edit(elements.get(i), edits, random, json, untouched));
                }
            }
        }
        return tree;
    }

    @Test
    void pointers_leadToWhatIsEdited() {
        JsonIndex index = JsonIndex.parse("{ \"a\":[1, 2,3], \"b~/\":{\"c\":4} }".getBytes(StandardCharsets.UTF_8));
        JsonEdits edits = new JsonEdits(index)
                .removeAt(index.root(), "/a/1")
                .removeAt(index.root(), "/b~0~1/c")
                .removeAt(index.root(), "/a/7")
                .removeAt(index.root(), "/none/7")
                .replaceAt(index.root(), "/a/0", bytes("9"))
                .replaceAt(index.root(), "/a/-", bytes("8"))
                .replaceAt(index.root(), "/none/-", bytes("8"))
                .replaceAt(index.root(), "/none/c", bytes("8"))
                .replaceAt(index.root(), "/d~1", bytes("7"));

        assertEquals("{ \"a\":[9,3,8], \"b~/\":{},\"d/\":7 }", new String(edits.apply(), StandardCharsets.UTF_8));
        assertThrows(IllegalArgumentException.class, () -> edits.removeAt(index.root(), ""));
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    /** Each list and each object is gone through once, however many of its parts are edited. */
    @Test
    void editsOfAllPartsOfALongText_areMade() {
        int most = 200_000;
        StringBuilder text = new StringBuilder("{\"list\":[0");
        StringBuilder wanted = new StringBuilder("{\"list\":[0");
        for (int i = 1; i < most; i++) {
            text.append(',').append(i);
            wanted.append(i % 2 == 0 ? ",\"x\"" : "");
        }
        text.append("],\"object\":{\"0\":0");
        wanted.append("],\"object\":{\"0\":0");
        for (int i = 1; i < most; i++) {
            text.append(",\"").append(i).append("\":0");
            wanted.append(i % 2 == 0 ? ",\"" + i + "\":\"x\"" : "");
        }
        JsonIndex index = JsonIndex.parse((text + "}}").getBytes(StandardCharsets.UTF_8));
        JsonEdits edits = new JsonEdits(index);
        byte[] word = "\"x\"".getBytes(StandardCharsets.UTF_8);
        for (int i = 1; i < most; i++) {
            for (String holder : List.of("/list/", "/object/")) {
                if (i % 2 == 0) {
                    edits.replaceAt(index.root(), holder + i, word);
                } else {
                    edits.removeAt(index.root(), holder + i);
                }
            }
        }

        assertEquals(wanted + "}}", new String(edits.apply(), StandardCharsets.UTF_8));
    }
}
