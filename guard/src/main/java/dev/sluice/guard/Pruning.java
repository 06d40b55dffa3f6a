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
 * Takes those parts out of one document that must not reach the agent.
 *
 * <p>A text becomes a marker. Everything else is taken out and not made null: a list without an element and an object
 * without a member still fit most schemas, and null would say that there was something. What holds a part with a label of
 * its own stays as far as that part needs it.
 */
final class Pruning {

    /** A name that a program would give a member. */
    static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,31}");

    private final TreeMap<String, Part> parts;
    private final Fates fates;
    private final List<Edit> edits = new ArrayList<>();
    private final Optional<JsonNode> left;
    private @Nullable Redaction gone;

    /**
     * Prunes a document.
     *
     * @param parts what is said of it, by JSON Pointer
     * @param whole what is said of the rest
     */
    Pruning(JsonNode root, Map<String, Part> parts, Part whole, Fates fates) {
        this.parts = new TreeMap<>(parts);
        this.fates = fates;
        this.left = pruned(root, "", whole, !parts.containsKey(""));
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

    private Optional<JsonNode> pruned(JsonNode node, String pointer, Part nearest, boolean isRest) {
        Part own = parts.getOrDefault(pointer, nearest);
        boolean rest = isRest && !parts.containsKey(pointer);
        Fate fate = fates.of(own.label());
        // From "pointer/" to before "pointer0", the next sign after the slash.
        Map<String, Part> below = parts.subMap(pointer + "/", pointer + "0");
        boolean uniform =
                below.values().stream().allMatch(part -> fates.of(part.label()).equals(fate));
        if (uniform && (fate.isKept() || !rest || below.isEmpty())) {
            Redaction rule = fate.rule();
            return rule == null ? Optional.of(node) : replaced(node, pointer, rule);
        }
        if (node.isObject()) {
            return Optional.of(members(node, pointer, own, rest));
        }
        ArrayNode elements = JsonNodeFactory.instance.arrayNode();
        int i = 0;
        for (JsonNode element : node) {
            pruned(element, pointer + "/" + i++, own, rest).ifPresent(elements::add);
        }
        return Optional.of(elements);
    }

    private ObjectNode members(JsonNode node, String pointer, Part own, boolean rest) {
        ObjectNode members = JsonNodeFactory.instance.objectNode();
        node.forEachEntry((name, value) -> {
            String at = pointer + JsonPointers.step(name);
            Redaction rule = fates.of(parts.getOrDefault(at, own).label()).rule();
            if (rule != null && !PLAIN.matcher(name).matches()) {
                remove(at, rule); // the name is a text too
            } else {
                pruned(value, at, own, rest).ifPresent(left -> members.set(name, left));
            }
        });
        return members;
    }

    private Optional<JsonNode> replaced(JsonNode node, String pointer, Redaction rule) {
        if (node.isString()) {
            JsonNode marker = fates.marker(rule);
            edits.add(new Edit(pointer, marker));
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
        edits.add(new Edit(pointer, null));
    }
}
