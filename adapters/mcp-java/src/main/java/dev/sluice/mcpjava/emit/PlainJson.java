package dev.sluice.mcpjava.emit;

import dev.sluice.wire.json.JsonIndex;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON as maps, lists, texts, numbers and booleans: the SDK's mapper may be one of another Jackson than ours. */
final class PlainJson {

    private PlainJson() {}

    /** Returns an object as a map. */
    static Map<String, Object> map(JsonNode object) {
        Map<String, Object> map = new LinkedHashMap<>();
        object.properties().forEach(each -> map.put(each.getKey(), value(each.getValue())));
        return map;
    }

    private static @Nullable Object value(JsonNode node) {
        if (node.isObject()) {
            return map(node);
        }
        if (node.isArray()) {
            List<@Nullable Object> list = new ArrayList<>();
            node.forEach(each -> list.add(value(each)));
            return list;
        }
        if (node.isString()) {
            return node.stringValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        return node.isNumber() ? node.numberValue() : null;
    }

    /** Returns what was read as a map, as a tree. */
    static JsonNode tree(@Nullable Object value) {
        return JsonMapper.shared().valueToTree(value);
    }

    /**
     * Returns a JSON text as a tree.
     *
     * @throws dev.sluice.wire.json.MalformedJsonException where it is no strict JSON
     */
    static JsonNode parse(String json) {
        return JsonIndex.parse(json.getBytes(StandardCharsets.UTF_8)).root().tree();
    }
}
