package dev.sluice.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** JSON Pointers (RFC 6901) in which {@code *} stands for every element of a list and every member of an object. */
final class Pointers {

    private Pointers() {}

    /** Returns whether {@code text} is a pointer: empty, or steps that each begin with {@code /}. */
    static boolean isPointer(String text) {
        return text.isEmpty()
                || (text.startsWith("/")
                        && text.replace("~0", "").replace("~1", "").indexOf('~') < 0);
    }

    /** Returns the values at {@code pointer} below {@code root}, by where each stands. */
    static Map<String, JsonNode> find(JsonNode root, String pointer) {
        return find(root, pointer, Integer.MAX_VALUE).orElseThrow();
    }

    /** Returns the values at {@code pointer} below {@code root}, by where each stands; empty if more than {@code most}. */
    static Optional<Map<String, JsonNode>> find(JsonNode root, String pointer, int most) {
        Map<String, JsonNode> found = Map.of("", root);
        if (pointer.isEmpty()) {
            return Optional.of(found);
        }
        for (String step : pointer.substring(1).split("/", -1)) {
            Map<String, JsonNode> next = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> each : found.entrySet()) {
                if (step.equals("*")) {
                    if (next.size() + each.getValue().size() > most) {
                        return Optional.empty();
                    }
                    every(each.getKey(), each.getValue(), next);
                } else {
                    JsonNode child = child(each.getValue(), step);
                    if (!child.isMissingNode()) {
                        next.put(each.getKey() + "/" + step, child);
                    }
                }
            }
            found = next;
        }
        return Optional.of(found);
    }

    private static void every(String at, JsonNode node, Map<String, JsonNode> into) {
        if (node.isObject()) {
            node.properties().forEach(member -> into.put(at + "/" + escaped(member.getKey()), member.getValue()));
        } else {
            for (int i = 0; i < node.size(); i++) {
                into.put(at + "/" + i, node.path(i));
            }
        }
    }

    private static JsonNode child(JsonNode node, String step) {
        return node.isArray() && step.matches("0|[1-9][0-9]{0,8}")
                ? node.path(Integer.parseInt(step))
                : node.path(step.replace("~1", "/").replace("~0", "~"));
    }

    static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
