package dev.sluice.wire.json;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Edits of any text that the index reads make a text that it reads too, with what was put in and without the rest. */
final class JsonEditsFuzzTest {

    private static final byte[] NEW = "[\"new\",1e-315]".getBytes(StandardCharsets.UTF_8);
    private static final String NAME = "dev.sluice/\"n\u00e4me\"";

    @FuzzTest
    void apply(byte[] bytes) {
        JsonIndex index;
        try {
            index = JsonIndex.parse(bytes);
        } catch (MalformedJsonException refused) {
            return;
        }
        JsonIndex.Value root = index.root();
        assertArrayEquals(bytes, new JsonEdits(index).apply());
        if (root.kind() == Kind.OBJECT) {
            object(index, root);
        } else if (root.kind() == Kind.ARRAY) {
            array(index, root);
        } else {
            assertArrayEquals(
                    NEW,
                    JsonIndex.parse(new JsonEdits(index).replace(root, NEW).apply())
                            .root()
                            .bytes());
        }
    }

    private static void object(JsonIndex index, JsonIndex.Value root) {
        JsonIndex.Value with = edited(new JsonEdits(index).setMember(root, NAME, NEW));
        assertArrayEquals(NEW, with.member(NAME).orElseThrow().bytes());
        assertEquals(root.size() + (root.member(NAME).isPresent() ? 0 : 1), with.size());
        JsonEdits none = new JsonEdits(index);
        for (JsonIndex.Member member : root.members()) {
            if (JsonStrings.isWellFormed(member.name())) {
                JsonIndex.Value without = edited(new JsonEdits(index).removeMember(root, member.name()));
                assertEquals(Optional.empty(), without.member(member.name()));
                assertEquals(root.size() - 1, without.size());
            }
            none.removeMember(root, member.name());
        }
        assertEquals(0, edited(none).size());
    }

    private static void array(JsonIndex index, JsonIndex.Value root) {
        List<JsonIndex.Value> elements = root.elements();
        JsonEdits none = new JsonEdits(index);
        for (int i = 0; i < elements.size(); i++) {
            none.removeElement(root, i);
        }
        assertEquals(0, edited(none).size());
        JsonIndex.Value longer =
                edited(new JsonEdits(index).insertElement(root, 0, NEW).appendElement(root, NEW));
        assertEquals(elements.size() + 2, longer.size());
        assertArrayEquals(NEW, longer.elements().get(0).bytes());
        assertArrayEquals(NEW, longer.elements().get(longer.size() - 1).bytes());
    }

    private static JsonIndex.Value edited(JsonEdits edits) {
        return JsonIndex.parse(edits.apply()).root();
    }
}
