package dev.sluice.wire.json;

import dev.sluice.wire.json.JsonIndex.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Jackson nodes built from the tape, without recursion.
 *
 * <p>Numbers stay exact: integers become int, long or big integer nodes, all others decimal nodes, whose exponent is
 * never spelled out.
 */
final class JsonTree {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonTree() {}

    static JsonNode build(JsonIndex index, int root) {
        JsonNode result = node(index, root);
        Deque<Open> open = new ArrayDeque<>();
        if (result.isContainer()) {
            open.push(new Open(result, index.next(root)));
        }
        int id = root + 1;
        while (!open.isEmpty()) {
            Open parent = open.element();
            if (id == parent.end) {
                open.pop();
                continue;
            }
            JsonNode child;
            if (parent.node.isObject()) {
                String name = index.text(id++);
                child = node(index, id);
                ((ObjectNode) parent.node).set(name, child);
            } else {
                child = node(index, id);
                ((ArrayNode) parent.node).add(child);
            }
            if (child.isContainer()) {
                open.push(new Open(child, index.next(id)));
            }
            id++;
        }
        return result;
    }

    private static JsonNode node(JsonIndex index, int id) {
        Kind kind = index.kind(id);
        return switch (kind) {
            case OBJECT -> NODES.objectNode();
            case ARRAY -> NODES.arrayNode();
            case STRING -> NODES.stringNode(index.text(id));
            case NUMBER -> number(index, id);
            case TRUE -> NODES.booleanNode(true);
            case FALSE -> NODES.booleanNode(false);
            case NULL -> NODES.nullNode();
        };
    }

    private static JsonNode number(JsonIndex index, int id) {
        int start = index.start(id);
        int length = index.end(id) - start;
        String text = new String(index.array(), start, length, StandardCharsets.ISO_8859_1);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c == '.' || c == 'e' || c == 'E') {
                return NODES.numberNode(new BigDecimal(text));
            }
        }
        if (length < 10) {
            return NODES.numberNode(Integer.parseInt(text));
        }
        if (length < 20) {
            long value = 0;
            try {
                value = Long.parseLong(text);
            } catch (NumberFormatException e) {
                return NODES.numberNode(new BigInteger(text));
            }
            return (int) value == value ? NODES.numberNode((int) value) : NODES.numberNode(value);
        }
        BigInteger big = new BigInteger(text);
        return big.bitLength() < Long.SIZE ? NODES.numberNode(big.longValue()) : NODES.numberNode(big);
    }

    private record Open(JsonNode node, int end) {}
}
