package dev.sluice.guard.message;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Arguments of tools that stand in HTTP headers too, because the tool's schema says so with {@code x-mcp-header}.
 *
 * <p>Whoever stands between a client and a server may read the headers and never the body, so both must say the same.
 *
 * <p>Source: MCP revision 2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters.
 */
public final class ParamHeaders {

    /** What the names of these headers begin with. */
    public static final String PREFIX = "Mcp-Param-";

    private static final String MARK = "x-mcp-header";
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,400}(\\.[0-9]{1,400})?");
    private static final Set<String> TYPES = Set.of("string", "integer", "boolean");
    private static final BigDecimal SAFE = BigDecimal.valueOf((1L << 53) - 1);
    private static final String BEFORE = "=?base64?";
    private static final String AFTER = "?=";

    /** Whose members each hold a schema, where a mark may not stand. */
    private static final Set<String> OF_SCHEMAS =
            Set.of("patternProperties", "dependentSchemas", "$defs", "definitions");

    /** What holds a schema, or a list of them, where a mark may not stand. */
    private static final Set<String> ELSEWHERE = Set.of(
            "items",
            "prefixItems",
            "contains",
            "additionalProperties",
            "unevaluatedProperties",
            "unevaluatedItems",
            "propertyNames",
            "oneOf",
            "anyOf",
            "allOf",
            "not",
            "if",
            "then",
            "else");

    /** An argument that stands in a header: the names that lead to it, and the header's own. */
    private record Marked(List<String> path, String header) {}

    private final List<Marked> marked = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private String fault = "";

    private ParamHeaders(JsonNode inputSchema) {
        walk(inputSchema, List.of(), true);
    }

    private void walk(JsonNode schema, List<String> path, boolean named) {
        if (!schema.isObject() || !fault.isEmpty()) {
            return;
        }
        if (schema.has(MARK)) {
            mark(schema, path, named);
        }
        schema.path("properties").forEachEntry((name, property) -> {
            List<String> longer = new ArrayList<>(path);
            longer.add(name);
            walk(property, longer, named);
        });
        schema.forEachEntry((keyword, value) -> {
            if (OF_SCHEMAS.contains(keyword) || (ELSEWHERE.contains(keyword) && value.isArray())) {
                value.forEach(each -> walk(each, path, false));
            } else if (ELSEWHERE.contains(keyword)) {
                walk(value, path, false);
            }
        });
    }

    private void mark(JsonNode schema, List<String> path, boolean named) {
        String header = schema.path(MARK).isString() ? schema.path(MARK).stringValue() : "";
        if (!named || path.isEmpty()) {
            fault = "`" + MARK + "` stands where no argument is named";
        } else if (!TOKEN.matcher(header).matches()) {
            fault = "an `" + MARK + "` is no name of a header";
        } else if (!schema.path("type").isString()
                || !TYPES.contains(schema.path("type").stringValue())) {
            fault = "`" + MARK + "` `" + header + "` is of an argument that is no string, integer or boolean";
        } else if (!names.add(header.toLowerCase(Locale.ROOT))) {
            fault = "`" + MARK + "` `" + header + "` stands there twice";
        } else {
            marked.add(new Marked(path, PREFIX + header));
        }
    }

    /**
     * Returns why what a schema says of headers can't be followed; empty where it can. A client over HTTP must not offer such
     * a tool.
     */
    public static Optional<String> fault(JsonNode inputSchema) {
        return Optional.of(new ParamHeaders(inputSchema).fault).filter(why -> !why.isEmpty());
    }

    /**
     * Returns the headers of a call, as they are sent: encoded, by name, in the order of the schema. None where the schema
     * has a {@linkplain #fault}.
     */
    public static Map<String, String> of(JsonNode inputSchema, JsonNode arguments) {
        ParamHeaders headers = new ParamHeaders(inputSchema);
        Map<String, String> found = new LinkedHashMap<>();
        if (headers.fault.isEmpty()) {
            headers.marked.forEach(
                    each -> text(at(arguments, each.path())).ifPresent(text -> found.put(each.header(), encode(text))));
        }
        return found;
    }

    /**
     * Returns how the headers of a call differ from its arguments; empty where they don't.
     *
     * @param sent gives all values of the header of a name, whatever its case
     */
    public static Optional<String> mismatch(
            JsonNode inputSchema, JsonNode arguments, Function<String, List<String>> sent) {
        ParamHeaders headers = new ParamHeaders(inputSchema);
        if (!headers.fault.isEmpty()) {
            return Optional.empty();
        }
        return headers.marked.stream()
                .flatMap(each -> mismatch(each, at(arguments, each.path()), sent.apply(each.header())).stream())
                .findFirst();
    }

    private static Optional<String> mismatch(Marked marked, JsonNode argument, List<String> sent) {
        String name = "`" + marked.header() + "`";
        Optional<String> expected = text(argument);
        if (sent.isEmpty()) {
            return expected.map(text -> "send the header " + name + ", the argument `" + String.join(".", marked.path())
                    + "` stands in it");
        }
        if (sent.size() > 1) {
            return Optional.of("send " + name + " at most once");
        }
        Optional<String> decoded = decode(sent.get(0));
        if (decoded.isEmpty()) {
            return Optional.of(name + " holds characters that a header can't have, or Base64 of something else");
        }
        boolean same = argument.isNumber()
                ? NUMBER.matcher(decoded.get()).matches()
                        && new BigDecimal(decoded.get()).compareTo(argument.decimalValue()) == 0
                : expected.equals(decoded);
        return same
                ? Optional.empty()
                : Optional.of(name + " is not the argument `" + String.join(".", marked.path()) + "`");
    }

    private static JsonNode at(JsonNode arguments, List<String> path) {
        JsonNode node = arguments;
        for (String name : path) {
            node = node.path(name);
        }
        return node;
    }

    /** Returns an argument as the text that a header has for it; empty where it has none. */
    private static Optional<String> text(JsonNode argument) {
        if (argument.isString()) {
            return Optional.of(argument.stringValue());
        }
        if (argument.isBoolean()) {
            return Optional.of(argument.booleanValue() ? "true" : "false");
        }
        if (!argument.isNumber()) {
            return Optional.empty();
        }
        BigDecimal number = argument.decimalValue();
        // Compared first: what has many digits must not be written out.
        return number.abs().compareTo(SAFE) <= 0 && isWhole(number)
                ? Optional.of(Long.toString(number.longValue()))
                : Optional.empty();
    }

    private static boolean isWhole(BigDecimal number) {
        return number.signum() == 0
                || (number.precision() - number.scale() > 0
                        && number.compareTo(BigDecimal.valueOf(number.longValue())) == 0);
    }

    /** Returns {@code text} as a header's value: itself where a header can have it, else its UTF-8 in Base64, marked so. */
    public static String encode(String text) {
        return isPlain(text) && !isMarked(text)
                ? text
                : BEFORE + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + AFTER;
    }

    /** Returns the text that a header's value stands for; empty where it is none. */
    public static Optional<String> decode(String value) {
        if (!isMarked(value)) {
            return isPlain(value) ? Optional.of(value) : Optional.empty();
        }
        String base64 = value.substring(BEFORE.length(), value.length() - AFTER.length());
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            return Base64.getEncoder().encodeToString(bytes).equals(base64)
                    ? Optional.of(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString())
                    : Optional.empty(); // one text, one value
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static boolean isMarked(String text) {
        return text.length() >= BEFORE.length() + AFTER.length() && text.startsWith(BEFORE) && text.endsWith(AFTER);
    }

    private static boolean isPlain(String text) {
        return text.equals(text.strip()) && text.chars().allMatch(c -> (c >= ' ' && c <= '~') || c == '\t');
    }
}
