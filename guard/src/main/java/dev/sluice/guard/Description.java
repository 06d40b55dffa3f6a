package dev.sluice.guard;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What may be said of a value without saying the value: its kind, its size, and members by names that its schema states.
 *
 * @param kind {@code text}, {@code number}, {@code true or false}, {@code null}, {@code list} or {@code object}
 * @param length characters of a text, elements of a list, members of an object
 * @param shape the description of elements and known members; an empty object where there are none
 */
record Description(String kind, int length, ObjectNode shape) {

    private static final int DEEPEST = 8;
    private static final int MOST_ELEMENTS = 20;

    static Description of(JsonNode value, KnownShape shape) {
        return of(value, shape, 0);
    }

    private static Description of(JsonNode value, KnownShape shape, int depth) {
        ObjectNode inside = JsonNodeFactory.instance.objectNode();
        if (value.isObject() && depth < DEEPEST) {
            ObjectNode members = inside.putObject("members");
            value.forEachEntry((name, member) -> shape.member(name)
                    .ifPresent(known ->
                            members.set(name, of(member, known, depth + 1).json())));
        } else if (value.isArray() && depth < DEEPEST) {
            ArrayNode elements = inside.putArray("elements");
            for (int i = 0; i < Math.min(value.size(), MOST_ELEMENTS); i++) {
                elements.add(of(value.path(i), shape.elements().orElseGet(KnownShape::new), depth + 1)
                        .json());
            }
        }
        return new Description(kind(value), length(value), inside);
    }

    private static String kind(JsonNode value) {
        return value.isString()
                ? "text"
                : value.isNumber()
                        ? "number"
                        : value.isBoolean()
                                ? "true or false"
                                : value.isArray() ? "list" : value.isObject() ? "object" : "null";
    }

    private static int length(JsonNode value) {
        return value.isString() ? value.stringValue().length() : value.isContainer() ? value.size() : 0;
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("kind", kind);
        if (kind.equals("text") || kind.equals("list") || kind.equals("object")) {
            json.put("length", length);
        }
        json.setAll(shape);
        return json;
    }
}
