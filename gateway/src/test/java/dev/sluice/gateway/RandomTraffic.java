package dev.sluice.gateway;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Messages as JSON-RPC allows them and nobody expects them: members that nobody knows, in any order, numbers that no double
 * holds, escapes of every kind, white space, halves of surrogate pairs in texts. All from one seed.
 */
final class RandomTraffic {

    private static final List<String> PIECES = List.of(
            "a",
            "secret",
            " ",
            "é",
            "漢字",
            "\ud83d\ude00",
            "\u2028",
            "\u007f",
            "\ufeff",
            "\uffff",
            "e\u0301",
            "'",
            "<b>",
            "\\\"",
            "\\\\",
            "\\/",
            "/",
            "\\b",
            "\\f",
            "\\n",
            "\\r",
            "\\t",
            "\\u0000",
            "\\u0041",
            "\\u00E9",
            "\\u000a",
            "\\ud83d\\ude00",
            "\\uD83D\\uDE00");

    /** In names these are refused. */
    private static final List<String> HALVES = List.of("\\ud800", "\\uDFFF", "\\udc00x", "\\ud83d\\ud83d");

    private static final List<String> NUMBERS = List.of(
            "0",
            "-0",
            "-0.0",
            "1.10",
            "1E+2",
            "1e-7",
            "0e0",
            "1e400",
            "-1e400",
            "1e-400",
            "9007199254740993",
            "-9223372036854775809",
            "123456789012345678901234567890.1234567890",
            "3.141592653589793238462643383279");

    /** As they stand in a text, each with the name that it is. */
    private static final List<List<String>> NAMES = List.of(
            List.of("", ""),
            List.of("a", "a"),
            List.of("\\u0061", "a"),
            List.of("name", "name"),
            List.of("n\\u0061me", "name"),
            List.of("arguments", "arguments"),
            List.of("content", "content"),
            List.of("structuredContent", "structuredContent"),
            List.of("isError", "isError"),
            List.of("uri", "uri"),
            List.of("id", "id"),
            List.of("jsonrpc", "jsonrpc"),
            List.of("method", "method"),
            List.of("__proto__", "__proto__"),
            List.of("vendor.example/x", "vendor.example/x"),
            List.of("vendor.example\\/y", "vendor.example/y"),
            List.of("é", "é"),
            List.of("\\u00e9", "é"),
            List.of("\\ud83d\\ude00", "\ud83d\ude00"),
            List.of("~1", "~1"),
            List.of("a b", "a b"),
            List.of("\\n", "\n"));

    private static final List<String> OUTSIDE =
            List.of("vendor", "x-trace", "", "\\u00e9", "_meta", "Method", "results");

    private final Random random;
    private final List<String> lineEnds;
    private final int deepest;
    private int ids;

    /**
     * Takes what decides everything.
     *
     * @param lineEnds those that white space may hold
     * @param deepest how many levels a message may have
     */
    RandomTraffic(long seed, List<String> lineEnds, int deepest) {
        this.random = new Random(seed);
        this.lineEnds = lineEnds;
        this.deepest = deepest;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** Returns an id that no other is equal to, however it is read. */
    String id() {
        ids++;
        return switch (random.nextInt(8)) {
            case 0 -> "\"" + ids + "\"";
            case 1 -> "\"\\u0061\\/" + ids + "\"";
            case 2 -> "\"" + oneOf(PIECES) + oneOf(HALVES) + ids + "\"";
            case 3 -> ids + ".0";
            case 4 -> "-" + ids + "e0";
            case 5 -> ids + "0E-1";
            case 6 -> "\"" + "i".repeat(900) + ids + "\"";
            default -> Integer.toString(ids);
        };
    }

    String request(String id, String method) {
        List<String> members = new ArrayList<>(List.of(member("id", id), member("method", '"' + method + '"')));
        members.add(member("params", params(method)));
        return message(members);
    }

    String notification(String method) {
        List<String> members = new ArrayList<>(List.of(member("method", '"' + method + '"')));
        if (random.nextInt(4) > 0) {
            members.add(member("params", params(method)));
        }
        return message(members);
    }

    String result(String id) {
        String result = random.nextInt(8) == 0 ? value(3) : object(4, meta());
        return message(new ArrayList<>(List.of(member("id", id), member("result", result))));
    }

    String failure(String id) {
        String error = object(2, List.of(member("code", "-32000"), member("message", '"' + string(true) + '"')));
        return message(new ArrayList<>(List.of(member("id", id), member("error", error))));
    }

    private String params(String method) {
        if (method.equals("tools/call")) {
            return object(
                    2,
                    List.of(
                            member("name", '"' + string(false) + '"'),
                            member("arguments", object(4, List.of())),
                            member("_meta", object(2, List.of()))));
        }
        return random.nextInt(10) == 0 ? array(3) : object(4, meta());
    }

    private List<String> meta() {
        return random.nextBoolean() ? List.of() : List.of(member("_meta", object(random.nextInt(3), List.of())));
    }

    private String message(List<String> members) {
        members.add(member(random.nextInt(8) == 0 ? "json\\u0072pc" : "jsonrpc", "\"2.0\""));
        Set<String> outside = new HashSet<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            String name = oneOf(OUTSIDE);
            if (outside.add(name)) {
                members.add(member(name, value(2)));
            }
        }
        Collections.shuffle(members, random);
        return "{" + space() + String.join("," + space(), members) + "}";
    }

    private String member(String name, String value) {
        return '"' + name + '"' + space() + ":" + space() + value + space();
    }

    String value(int depth) {
        return switch (random.nextInt(depth > 0 ? 10 : 5)) {
            case 0 -> number();
            case 1 -> oneOf(List.of("true", "false", "null"));
            case 2, 3, 4 -> '"' + string(true) + '"';
            case 5 -> random.nextInt(8) == 0 ? deep() : array(depth - 1);
            case 6 -> array(depth - 1);
            default -> object(depth - 1, List.of());
        };
    }

    private String deep() {
        int levels = deepest - 8;
        return random.nextBoolean()
                ? "[".repeat(levels) + space() + "]".repeat(levels)
                : "{\"a\":".repeat(levels) + number() + "}".repeat(levels);
    }

    private String number() {
        return random.nextInt(6) > 0
                ? oneOf(NUMBERS)
                : (random.nextBoolean() ? "-" : "") + (1 + random.nextInt(9)) + Math.abs(random.nextLong()) + "."
                        + random.nextInt(1_000) + "0";
    }

    private String string(boolean mayBeHalf) {
        if (random.nextInt(200) == 0) {
            return "long\\u0020".repeat(5_000);
        }
        StringBuilder out = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            out.append(mayBeHalf && random.nextInt(20) == 0 ? oneOf(HALVES) : oneOf(PIECES));
        }
        return out.toString();
    }

    private String array(int depth) {
        List<String> elements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            elements.add(value(depth) + space());
        }
        return "[" + space() + String.join("," + space(), elements) + "]";
    }

    /** Returns an object that holds {@code given}, whose names nobody else uses here, among others. */
    private String object(int depth, List<String> given) {
        List<String> members = new ArrayList<>(given);
        Set<String> names = new HashSet<>(Set.of("name", "arguments", "uri"));
        if (given.isEmpty()) {
            names.clear();
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            List<String> name = oneOf(NAMES);
            if (names.add(name.get(1))) {
                members.add(member(name.get(0), depth > 0 ? value(depth - 1) : number()));
            }
        }
        Collections.shuffle(members, random);
        return "{" + space() + String.join("," + space(), members) + "}";
    }

    /** Returns what may stand between any two parts of a text. */
    String space() {
        return switch (random.nextInt(lineEnds.isEmpty() ? 10 : 12)) {
            case 0, 1 -> " ";
            case 2 -> "\t";
            case 3 -> " \t  ";
            case 10, 11 -> oneOf(lineEnds) + " ".repeat(random.nextInt(3));
            default -> "";
        };
    }
}
