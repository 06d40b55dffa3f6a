package dev.sluice.guard;

import dev.sluice.policy.Redaction;
import dev.sluice.wire.json.JsonEdits;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes those parts out of one document that must not reach the agent, or puts handles in their place.
 *
 * <p>A text becomes a marker. Everything else is taken out and not made null: a list without an element and an object
 * without a member still fit most schemas, and null would say that there was something. What holds a part with a label of
 * its own stays as far as that part needs it. What is hidden keeps its form as far as the tool's schema and the operator
 * state it.
 */
final class Pruning {

    /** A name that a program would give a member. */
    static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,31}");

    /** More parts than this are not taken out of one answer one by one. */
    static final int MOST = 20_000;

    private final TreeMap<String, Part> parts;
    private final Part whole;
    private final Fate around;
    private final Fates fates;
    private final Spans spans;
    private final List<Edit> edits = new ArrayList<>();
    private final Optional<JsonNode> left;
    private @Nullable Redaction gone;
    private @Nullable String handle;
    private boolean tooMuch;

    /**
     * Prunes a document.
     *
     * @param parts what is said of it, by JSON Pointer
     * @param whole what is said of the rest
     * @param around what becomes of the rest
     * @param shape the names in it that may be shown where it is hidden
     * @param spans the texts in it of which only stretches go
     */
    Pruning(
            JsonNode root,
            Map<String, Part> parts,
            Part whole,
            Fate around,
            Fates fates,
            KnownShape shape,
            Spans spans) {
        this.spans = spans;
        this.whole = whole;
        this.around = around;
        this.parts = new TreeMap<>(parts);
        this.fates = fates;
        this.left = pruned(root, new Place("", Optional.of(shape)), whole, !parts.containsKey(""));
    }

    /** Where a value stands, and what is known of its form; nothing where a name on the way is the server's own word. */
    private record Place(String pointer, Optional<KnownShape> shape) {

        Place member(String name) {
            return new Place(pointer + JsonPointers.step(name), shape.flatMap(known -> known.member(name)));
        }

        Place element(int i) {
            return new Place(pointer + "/" + i, shape.flatMap(KnownShape::elements));
        }
    }

    /** Returns the changes, by pointers into the document. */
    List<Edit> edits() {
        return edits;
    }

    /** Returns the document with the changes made; empty where nothing of it is left. */
    Optional<JsonNode> left() {
        return left;
    }

    /** Returns the rule that took all of the document out; empty where something is left. */
    Optional<Redaction> gone() {
        return Optional.ofNullable(gone);
    }

    /** Returns the handle of the whole document; empty where it has none. */
    Optional<String> handle() {
        return Optional.ofNullable(handle);
    }

    /** Returns {@code text}, which writes the document as JSON, with the changes made, and else as it was. */
    String json(String text) {
        JsonIndex index = JsonIndex.parse(text.getBytes(StandardCharsets.UTF_8));
        JsonEdits made = new JsonEdits(index);
        for (Edit edit : edits) {
            JsonNode value = edit.value();
            if (value == null) {
                made.removeAt(index.root(), edit.pointer());
            } else {
                made.replaceAt(index.root(), edit.pointer(), value.toString().getBytes(StandardCharsets.UTF_8));
            }
        }
        return new String(made.apply(), StandardCharsets.UTF_8);
    }

    /** Returns whether there would be more changes than one answer may have: then those noted are not all. */
    boolean isTooMuch() {
        return tooMuch;
    }

    private void change(Edit edit) {
        tooMuch |= edits.size() >= MOST;
        if (!tooMuch) {
            edits.add(edit);
        }
    }

    private Optional<JsonNode> pruned(JsonNode node, Place place, Part nearest, boolean isRest) {
        String pointer = place.pointer;
        Part own = parts.getOrDefault(pointer, nearest);
        boolean rest = isRest && !parts.containsKey(pointer);
        Fate fate = fate(own);
        // From "pointer/" to before "pointer0", the next sign after the slash.
        Map<String, Part> below = parts.subMap(pointer + "/", pointer + "0");
        boolean uniform = below.values().stream().allMatch(part -> fate(part).equals(fate));
        // Where the operator names parts of what is hidden, each has its own handle.
        if (uniform && (fate.isKept() || below.isEmpty() || (!rest && !fate.hidden()))) {
            Redaction rule = fate.rule();
            return rule != null
                    ? replaced(node, pointer, rule)
                    : fate.hidden() ? hidden(node, place, own) : Optional.of(kept(node, place));
        }
        if (node.isObject()) {
            return Optional.of(members(node, place, own, rest));
        }
        ArrayNode elements = JsonNodeFactory.instance.arrayNode();
        int i = 0;
        for (JsonNode element : node) {
            pruned(element, place.element(i++), own, rest).ifPresent(elements::add);
        }
        return Optional.of(elements);
    }

    /** What stays may hold a stretch that does not. */
    private JsonNode kept(JsonNode node, Place place) {
        if (spans.areNoneIn(place.pointer)) {
            return node;
        }
        if (node.isObject()) {
            ObjectNode members = JsonNodeFactory.instance.objectNode();
            node.forEachEntry((name, value) -> members.set(name, kept(value, place.member(name))));
            return members;
        }
        if (node.isArray()) {
            ArrayNode elements = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < node.size(); i++) {
                elements.add(kept(node.path(i), place.element(i)));
            }
            return elements;
        }
        Optional<String> left = spans.at(place.pointer)
                .filter(text -> node.isString())
                .map(text -> text.left(fates, place.shape.isPresent() ? place.pointer : ""))
                .filter(text -> !text.equals(node.stringValue()));
        if (left.isEmpty()) {
            return node;
        }
        JsonNode text = JsonNodeFactory.instance.stringNode(left.get());
        change(new Edit(place.pointer, text));
        return text;
    }

    @SuppressWarnings("ReferenceEquality") // a part may be like the whole and yet not be it
    private Fate fate(Part part) {
        return part == whole ? around : fates.of(part.label());
    }

    private ObjectNode members(JsonNode node, Place place, Part own, boolean rest) {
        ObjectNode members = JsonNodeFactory.instance.objectNode();
        node.forEachEntry((name, value) -> {
            Place inside = place.member(name);
            String at = inside.pointer;
            Fate fate = fate(parts.getOrDefault(at, own));
            Redaction rule = fate.rule();
            if (rule != null && (spans.isNamed(at) || !PLAIN.matcher(name).matches())) {
                remove(at, rule); // the name is a text too
            } else if (fate.hidden() && inside.shape.isEmpty()) {
                fates.hidden().ifPresent(Hidden::leftOut);
                change(new Edit(at, null));
            } else {
                pruned(value, inside, own, rest).ifPresent(left -> members.set(name, left));
            }
        });
        return members;
    }

    private Optional<JsonNode> hidden(JsonNode node, Place place, Part own) {
        if (node.isNull()) {
            return Optional.of(node); // as much as a member that is not there
        }
        KnownShape known = place.shape.orElseGet(KnownShape::new);
        if (node.isContainer() && known.knows(node)) {
            return Optional.of(hiddenParts(node, place, own));
        }
        Optional<String> given = fates.hidden()
                .map(hidden -> hidden.handle(
                        spans.redacted(node, place.pointer, fates),
                        spans.joined(own, place.pointer, fates),
                        place.shape.isPresent() ? place.pointer : "",
                        known));
        if (place.pointer.isEmpty()) {
            handle = given.orElse(null);
            return Optional.empty(); // a document that is no text is no structured content
        }
        JsonNode text = JsonNodeFactory.instance.stringNode(given.orElse(Hidden.WITHHELD));
        change(new Edit(place.pointer, text));
        return Optional.of(text);
    }

    private JsonNode hiddenParts(JsonNode node, Place place, Part own) {
        if (node.isObject()) {
            ObjectNode members = JsonNodeFactory.instance.objectNode();
            node.forEachEntry(
                    (name, value) -> hidden(value, place.member(name), own).ifPresent(left -> members.set(name, left)));
            return members;
        }
        ArrayNode elements = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < node.size(); i++) {
            hidden(node.path(i), place.element(i), own).ifPresent(elements::add);
        }
        return elements;
    }

    private Optional<JsonNode> replaced(JsonNode node, String pointer, Redaction rule) {
        if (node.isString()) {
            JsonNode marker = fates.marker(rule);
            change(new Edit(pointer, marker));
            return Optional.of(marker);
        }
        if (!pointer.isEmpty()) {
            remove(pointer, rule);
        } else {
            fates.removed(rule);
            gone = rule;
        }
        return Optional.empty();
    }

    private void remove(String pointer, Redaction rule) {
        fates.removed(rule);
        change(new Edit(pointer, null));
    }
}
