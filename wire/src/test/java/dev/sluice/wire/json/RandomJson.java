package dev.sluice.wire.json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Random JSON texts in every spelling that RFC 8259 allows: white space, escapes, number forms. */
public final class RandomJson {

    private static final String[] TEXTS = {
        "",
        "a",
        "b",
        "name",
        "_meta",
        "content",
        "é",
        "漢字",
        "\uD83D\uDE00",
        "a\"b",
        "back\\slash",
        "\n\t",
        "\u0001",
        "/",
        "~",
        "twenty characters ok",
        "\u007f\u0080\u07ff\u0800\uffff"
    };
    private static final String[] NUMBERS = {
        "0",
        "-0",
        "1",
        "-1",
        "1.0",
        "1.10",
        "0.1",
        "1e3",
        "1E+3",
        "-2.5e-7",
        "2147483648",
        "-2147483648",
        "9223372036854775807",
        "9223372036854775808",
        "12345678901234567890",
        "1e400",
        "-1e-400",
        "123456789.123456789123456789"
    };

    private final Random random;
    private final Supplier<String> numbers;

    /** Takes where everything comes from; numbers are of all sorts. */
    public RandomJson(Random random) {
        this(random, () -> NUMBERS[random.nextInt(NUMBERS.length)]);
    }

    /** Takes where numbers come from, as texts. */
    public RandomJson(Random random, Supplier<String> numbers) {
        this.random = random;
        this.numbers = numbers;
    }

    /** Returns the same value in another spelling: members in another order, other white space, other escapes. */
    public String respelled(JsonIndex.Value value) {
        switch (value.kind()) {
            case OBJECT -> {
                List<JsonIndex.Member> members = new ArrayList<>(value.members());
                Collections.shuffle(members, random);
                return members.stream()
                        .map(member -> space() + string(member.name()) + space() + ":" + respelled(member.value()))
                        .collect(Collectors.joining(",", space() + "{", "}" + space()));
            }
            case ARRAY -> {
                return value.elements().stream()
                        .map(this::respelled)
                        .collect(Collectors.joining(",", space() + "[", "]" + space()));
            }
            case STRING -> {
                return space() + string(value.string()) + space();
            }
            case NUMBER, TRUE, FALSE, NULL -> {
                return space() + value.raw() + space();
            }
        }
        throw new IllegalStateException("a kind that JSON does not have");
    }

    String text(int depth) {
        return space() + value(depth) + space();
    }

    String value(int depth) {
        switch (random.nextInt(depth > 0 ? 9 : 5)) {
            case 0 -> {
                return numbers.get();
            }
            case 1 -> {
                return random.nextBoolean() ? "true" : "false";
            }
            case 2 -> {
                return "null";
            }
            case 3, 4 -> {
                return string(TEXTS[random.nextInt(TEXTS.length)]);
            }
            case 5, 6 -> {
                StringBuilder out = new StringBuilder("[").append(space());
                int size = size();
                for (int i = 0; i < size; i++) {
                    out.append(i == 0 ? "" : "," + space())
                            .append(value(depth - 1))
                            .append(space());
                }
                return out.append("]").toString();
            }
            default -> {
                return object(depth);
            }
        }
    }

    /** Returns an object with at most so many levels below it. */
    public String object(int depth) {
        StringBuilder out = new StringBuilder("{").append(space());
        Set<String> names = new LinkedHashSet<>();
        int size = size();
        for (int i = 0; i < size; i++) {
            String name = TEXTS[random.nextInt(TEXTS.length)] + (random.nextInt(4) == 0 ? random.nextInt(40) : "");
            if (names.add(name)) {
                out.append(names.size() == 1 ? "" : "," + space());
                out.append(string(name)).append(space()).append(":").append(space());
                out.append(value(depth - 1)).append(space());
            }
        }
        return out.append("}").toString();
    }

    private int size() {
        return random.nextInt(10) == 0 ? 25 + random.nextInt(10) : random.nextInt(5);
    }

    String space() {
        return switch (random.nextInt(6)) {
            case 0 -> " ";
            case 1 -> "\n\t";
            case 2 -> "\r\n  ";
            default -> "";
        };
    }

    String string(String text) {
        StringBuilder out = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            boolean must = c < 0x20 || c == '"' || c == '\\';
            if (!must && random.nextInt(5) > 0) {
                out.appendCodePoint(c);
            } else if (c == '/' || c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (c == '\n' && random.nextBoolean()) {
                out.append("\\n");
            } else {
                for (char unit : Character.toChars(c)) {
                    out.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) unit));
                }
            }
        });
        return out.append('"').toString();
    }

    /** Returns what every part of these tests takes as the oracle: Jackson, strict, with exact numbers. */
    static JsonNode jackson(byte[] bytes) {
        return ORACLE.readTree(bytes);
    }

    private static final JsonMapper ORACLE = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
}
