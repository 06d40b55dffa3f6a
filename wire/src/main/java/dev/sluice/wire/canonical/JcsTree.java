package dev.sluice.wire.canonical;

import dev.sluice.wire.canonical.JcsCanonicalizer.LargeIntegers;
import dev.sluice.wire.json.JsonPointers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A Jackson tree written as RFC 8785 has it; the same bytes and refusals as for the text that it stands for. */
final class JcsTree {

    /** An integer of more bits is too large for a double. */
    private static final int MOST_BITS = 1024;

    private final JcsOutput output = new JcsOutput(256, LargeIntegers.REFUSED);
    private final Bytes out = output.bytes;
    private final List<Object> path = new ArrayList<>();

    private JcsTree() {}

    static Bytes write(JsonNode value) {
        JcsTree tree = new JcsTree();
        tree.value(value);
        return tree.out;
    }

    private void value(JsonNode value) {
        switch (value.getNodeType()) {
            case OBJECT -> object(value);
            case ARRAY -> array(value);
            case STRING -> string(value.stringValue());
            case BOOLEAN -> out.ascii(value.booleanValue() ? "true" : "false");
            case NULL -> out.ascii("null");
            case NUMBER -> number(value);
            case BINARY, MISSING, POJO -> throw refused("it is nothing that JSON has a form for; write it as a string");
        }
    }

    private void object(JsonNode object) {
        enter();
        List<Map.Entry<String, JsonNode>> members = new ArrayList<>(object.properties());
        members.sort(Map.Entry.comparingByKey()); // String order is UTF-16 code unit order
        out.put('{');
        boolean first = true;
        for (Map.Entry<String, JsonNode> member : members) {
            if (!first) {
                out.put(',');
            }
            first = false;
            path.add(member.getKey());
            string(member.getKey());
            out.put(':');
            value(member.getValue());
            path.remove(path.size() - 1);
        }
        out.put('}');
    }

    private void array(JsonNode array) {
        enter();
        out.put('[');
        for (int i = 0; i < array.size(); i++) {
            if (i > 0) {
                out.put(',');
            }
            path.add(i);
            value(array.path(i));
            path.remove(path.size() - 1);
        }
        out.put(']');
    }

    private void enter() {
        if (path.size() == Refusals.DEEPEST) {
            throw refused(Refusals.TOO_DEEP);
        }
    }

    private void string(String text) {
        out.put('"');
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw refused(Refusals.LONE_SURROGATE);
            }
            output.character(codePoint);
            i += Character.charCount(codePoint);
        }
        out.put('"');
    }

    private void number(JsonNode value) {
        if (value.isBigInteger() && value.bigIntegerValue().bitLength() > MOST_BITS) {
            throw refused(Refusals.TOO_LARGE);
        }
        String text;
        if (value.isIntegralNumber()) {
            text = value.bigIntegerValue().toString();
        } else if (value.isBigDecimal()) {
            // A decimal comes from a number with a fraction or an exponent, even where it has lost both.
            String decimal = value.decimalValue().toString();
            text = decimal.indexOf('.') < 0 && decimal.indexOf('E') < 0 ? decimal + "e0" : decimal;
        } else {
            text = value.isFloat() ? Float.toString(value.floatValue()) : Double.toString(value.doubleValue());
        }
        if (!Character.isDigit(text.charAt(text.length() - 1))) {
            throw refused("it is `" + text + "`, which JSON has no form for; write it as a string");
        }
        byte[] ascii = text.getBytes(StandardCharsets.ISO_8859_1);
        String fault = output.number(ascii, 0, ascii.length);
        if (fault != null) {
            throw refused(fault);
        }
    }

    private CanonicalizationException refused(String fault) {
        StringBuilder pointer = new StringBuilder();
        path.forEach(step -> pointer.append(JsonPointers.step(step.toString())));
        return Refusals.at(pointer.toString(), fault);
    }
}
