package dev.sluice.guard;

import dev.sluice.labels.Label;
import dev.sluice.policy.Redaction;
import dev.sluice.wire.json.JsonPointers;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The texts of one tree that have spans, by JSON Pointer; numbers and names of members too, which go as a whole.
 */
final class Spans {

    private final TreeMap<String, Spanned> texts = new TreeMap<>();
    private final TreeMap<String, Label> members = new TreeMap<>();

    void put(String pointer, Spanned text) {
        texts.put(pointer, text);
    }

    /** Takes note that the name of the member at {@code pointer} has a span. */
    void putName(String pointer, Label label) {
        members.put(pointer, label);
    }

    /** Returns whether the member at {@code pointer} goes for what it is called. */
    boolean isNamed(String pointer) {
        return members.containsKey(pointer);
    }

    Optional<Spanned> at(String pointer) {
        return Optional.ofNullable(texts.get(pointer));
    }

    /** Returns whether there is none at or below {@code pointer}. */
    boolean areNoneIn(String pointer) {
        // From "pointer/" to before "pointer0", the next sign after the slash.
        return !texts.containsKey(pointer)
                && texts.subMap(pointer + "/", pointer + "0").isEmpty()
                && members.subMap(pointer + "/", pointer + "0").isEmpty();
    }

    /** Returns {@code node}, which stands at {@code pointer}, without the stretches that a rule takes out. */
    JsonNode redacted(JsonNode node, String pointer, Fates fates) {
        if (areNoneIn(pointer)) {
            return node;
        }
        if (node.isObject()) {
            ObjectNode left = JsonNodeFactory.instance.objectNode();
            node.forEachEntry((name, value) -> {
                String at = pointer + JsonPointers.step(name);
                Optional<Redaction> rule = Optional.ofNullable(members.get(at)).flatMap(label -> rule(label, fates));
                rule.ifPresent(fates::removed);
                if (rule.isEmpty()) {
                    left.set(name, redacted(value, at, fates));
                }
            });
            return left;
        }
        if (node.isArray()) {
            ArrayNode elements = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < node.size(); i++) {
                elements.add(redacted(node.path(i), pointer + "/" + i, fates));
            }
            return elements;
        }
        return at(pointer)
                .map(text -> text.redacted(fates))
                .filter(text -> !text.equals(node.asString("")))
                .<JsonNode>map(JsonNodeFactory.instance::stringNode)
                .orElse(node);
    }

    private static Optional<Redaction> rule(Label label, Fates fates) {
        return Optional.ofNullable(fates.of(label).rule());
    }

    /** Returns {@code part}, which stands at {@code pointer}, as what it is with those of its stretches that stay. */
    Part joined(Part part, String pointer, Fates fates) {
        Label label = part.label();
        Label all = label;
        if (texts.containsKey(pointer)) {
            all = all.join(texts.get(pointer).notRedacted(fates));
        }
        for (Label named : members.subMap(pointer + "/", pointer + "0").values()) {
            all = rule(named, fates).isPresent() ? all : all.join(named);
        }
        for (Spanned text : texts.subMap(pointer + "/", pointer + "0").values()) {
            all = all.join(text.notRedacted(fates));
        }
        boolean same = all.integrity() == label.integrity();
        return all.equals(label) ? part : new Part(part.text(), all, part.vouched() && same, part.named() && same);
    }
}
