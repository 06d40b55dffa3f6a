package dev.sluice.wire.canonical;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The JSON Canonicalization Scheme, RFC 8785: one sequence of bytes for one JSON value.
 *
 * <p>Takes strings, booleans, null, arrays, objects, and integers between -(2^53-1) and 2^53-1, which is what Sluice's
 * own records hold. Members are ordered by the UTF-16 code units of their names (section 3.2.3), not by code points.
 * Everything that has no single canonical form, or none yet, is refused: digests must never be guessed.
 */
public final class JcsCanonicalizer {

    private static final long LARGEST_EXACT = (1L << 53) - 1;
    private static final int DEEPEST = 512;

    private JcsCanonicalizer() {}

    /**
     * Returns the canonical bytes of {@code value}.
     *
     * @throws IllegalArgumentException for another kind of number, a lone surrogate, or more than 512 levels
     */
    public static byte[] canonicalize(JsonNode value) {
        return text(value).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the canonical text of {@code value}; refuses what {@link #canonicalize} refuses. */
    public static String text(JsonNode value) {
        StringBuilder out = new StringBuilder();
        write(value, out, 0);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("a record is nested deeper than " + DEEPEST + " levels");
        }
        switch (value.getNodeType()) {
            case OBJECT -> {
                List<Map.Entry<String, JsonNode>> members = new ArrayList<>(value.properties());
                members.sort(Map.Entry.comparingByKey()); // String order is UTF-16 code unit order
                out.append('{');
                String separator = "";
                for (Map.Entry<String, JsonNode> member : members) {
                    out.append(separator);
                    writeString(member.getKey(), out);
                    out.append(':');
                    write(member.getValue(), out, depth + 1);
                    separator = ",";
                }
                out.append('}');
            }
            case ARRAY -> {
                out.append('[');
                String separator = "";
                for (JsonNode element : value) {
                    out.append(separator);
                    write(element, out, depth + 1);
                    separator = ",";
                }
                out.append(']');
            }
            case STRING -> writeString(value.stringValue(), out);
            case BOOLEAN -> out.append(value.booleanValue());
            case NULL -> out.append("null");
            case NUMBER -> writeInteger(value, out);
            case BINARY, MISSING, POJO ->
                throw new IllegalArgumentException("a record holds something that JSON has no form for");
        }
    }

    private static void writeInteger(JsonNode value, StringBuilder out) {
        if (!value.isIntegralNumber() || !value.canConvertToLong() || Math.abs(value.longValue()) > LARGEST_EXACT) {
            throw new IllegalArgumentException(
                    "`" + value
                            + "` can't be canonicalised: only integers up to 9007199254740991 have one form; write it as a string");
        }
        out.append(value.longValue());
    }

    private static void writeString(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else if (Character.isHighSurrogate(c)
                            && i + 1 < text.length()
                            && Character.isLowSurrogate(text.charAt(i + 1))) {
                        out.append(c).append(text.charAt(++i));
                    } else if (Character.isSurrogate(c)) {
                        throw new IllegalArgumentException(
                                "a string holds half a surrogate pair, which UTF-8 can't carry");
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
