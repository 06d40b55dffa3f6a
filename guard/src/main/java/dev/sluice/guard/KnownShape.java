package dev.sluice.guard;

import dev.sluice.policy.ItemRule;
import dev.sluice.wire.json.JsonPointers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The names of members that the pinned schema of a tool or the operator states. They may be shown: all others are words of
 * whoever wrote the data.
 */
final class KnownShape {

    private static final int DEEPEST = 16;
    private static final int MOST = 10_000;

    private final Map<String, KnownShape> members = new HashMap<>();
    private @Nullable KnownShape elements;

    /** Returns what is known of a document that {@code schema} describes and that {@code rule} speaks of. */
    static KnownShape of(JsonNode schema, @Nullable ItemRule rule) {
        KnownShape shape = new KnownShape();
        shape.read(schema, schema, 0, new int[] {MOST});
        if (rule != null) {
            shape.point(rule.pointer());
            rule.fields().keySet().forEach(field -> shape.point(rule.pointer() + field));
            rule.vouched().forEach(field -> shape.point(rule.pointer() + field));
        }
        return shape;
    }

    /** Returns what is known of the member {@code name}; empty where that is no known name. */
    Optional<KnownShape> member(String name) {
        return Optional.ofNullable(members.get(name));
    }

    /** Returns what is known of the elements of a list; empty where no list is known here. */
    Optional<KnownShape> elements() {
        return Optional.ofNullable(elements);
    }

    /** Returns whether every member of an object, or the list that it is, is known. */
    boolean knows(JsonNode value) {
        return value.isObject() ? members.keySet().containsAll(value.propertyNames()) : elements != null;
    }

    private KnownShape into(String name) {
        return members.computeIfAbsent(name, none -> new KnownShape());
    }

    private KnownShape intoElements() {
        KnownShape known = elements;
        if (known == null) {
            known = new KnownShape();
            elements = known;
        }
        return known;
    }

    private void point(String pointer) {
        KnownShape at = this;
        List<String> tokens = JsonPointers.tokens(pointer);
        for (String token : tokens) {
            at = token.equals("*") ? at.intoElements() : at.into(token);
        }
    }

    private void read(JsonNode schema, JsonNode root, int depth, int[] room) {
        if (depth > DEEPEST || room[0]-- <= 0) {
            return;
        }
        schema.path("properties").forEachEntry((name, each) -> {
            if (Pruning.PLAIN.matcher(name).matches()) { // whatever else is a sentence and no name
                into(name).read(each, root, depth + 1, room);
            }
        });
        JsonNode items = schema.path("items");
        if (items.isObject() || items.isBoolean()) {
            intoElements().read(items, root, depth + 1, room);
        }
        schema.path("prefixItems").forEach(each -> intoElements().read(each, root, depth + 1, room));
        for (String word : List.of("allOf", "anyOf", "oneOf")) {
            schema.path(word).forEach(each -> read(each, root, depth + 1, room));
        }
        String reference = schema.path("$ref").asString("");
        if (reference.startsWith("#/")) {
            try {
                read(root.at(reference.substring(1)), root, depth + 1, room);
            } catch (IllegalArgumentException e) {
                return; // no pointer, so it names nothing
            }
        }
    }
}
