// This file has more than 400 lines because all that can stand in a message is drawn here from one seed.
package dev.sluice.gateway;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Messages as JSON-RPC allows them and nobody expects them: members that nobody knows, in any order, numbers that no double
 * holds, escapes of every kind, white space, halves of surrogate pairs in texts, {@code _meta} of every type. All from one
 * seed.
 *
 * <p>What Sluice takes out or replaces stands between marks: {@link #sent} is the message without them, {@link #kept} what
 * must be left of it.
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
            "9".repeat(1_000),
            "-0." + "0".repeat(996) + "1",
            "1E+" + "0".repeat(996) + "1",
            "3.141592653589793238462643383279");

    /** Around a member of ours that somebody else wrote, with the comma that goes with it. */
    private static final char OURS = '\ue000';

    private static final char OURS_END = '\ue001';

    /** Around a {@code _meta} that is no object. */
    private static final char NO_OBJECT = '\ue002';

    private static final char NO_OBJECT_END = '\ue003';

    private static final List<String> META = List.of("_meta", "_met\\u0061", "\\u005fmeta");

    private static final List<String> OUR_NAMES =
            List.of("dev.sluice/x", "dev.sluice\\/decision", "dev\\u002esluice/redacted", "dev.sluice/");

    /** What begins like ours, and what is ours where nobody looks for it. */
    private static final List<String> NOT_OURS = List.of(
            "{\"dev.sluice/label\":{\"integrity\":\"trusted\"}}",
            "{\"_meta\": {\"dev.sluice/label\":null,\"io.modelcontextprotocol/trust-annotations\":{\"untrusted\":false}}}",
            "{\"content\":[{\"type\":\"text\",\"_meta\":{\"dev.sluice/decision\":[]}}]}",
            "[{\"dev.sluice/label\":1},{\"_meta\":{\"dev.sluice/hidden\":2}}]",
            "{\"dev.sluice\":1,\"dev.sluicey/label\":2,\"Dev.sluice/label\":3,\" dev.sluice/label\":4}");

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
            List.of("__pr\\u006fto__", "__proto__"),
            List.of("constructor", "constructor"),
            List.of("\\u005f_proto__x", "__proto__x"),
            List.of("A", "A"),
            List.of("\\u0000", "\u0000"),
            List.of("a\\u0000", "a\u0000"),
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

    /** Returns a message as it is written, without the marks. */
    static String sent(String message) {
        return message.replaceAll("[" + OURS + "-" + NO_OBJECT_END + "]", "");
    }

    /** Returns what is left of a message when what is ours was taken out of it. */
    static String kept(String message) {
        return sent(message.replaceAll(OURS + "[^" + OURS_END + "]*" + OURS_END, ""));
    }

    /** Returns the first {@code _meta} of a message that is no object, or nothing. */
    static String noObject(String message) {
        int from = message.indexOf(NO_OBJECT);
        return from < 0 ? "" : message.substring(from + 1, message.indexOf(NO_OBJECT_END));
    }

    String request(String id, String method) {
        return message(member("id", id), member("method", '"' + method + '"'), member("params", params(method)));
    }

    String notification(String method) {
        String called = member("method", '"' + method + '"');
        return random.nextInt(4) > 0 ? message(called, member("params", params(method))) : message(called);
    }

    String result(String id) {
        Map<String, String> given = new LinkedHashMap<>();
        if (random.nextInt(3) == 0) {
            given.put("content", member("content", "[" + block() + "," + space() + block() + "]"));
        }
        meta(given);
        wrongPlace(given);
        String result = random.nextInt(8) == 0 ? value(3) : object(4, given);
        return message(member("id", id), member("result", result));
    }

    String failure(String id) {
        Map<String, String> given = new LinkedHashMap<>();
        given.put("code", member("code", "-32000"));
        given.put("message", member("message", '"' + string(true) + '"'));
        wrongPlace(given);
        return message(member("id", id), member("error", object(2, given)));
    }

    /** A message that nobody may read two ways, or that is none, and the code of the error that says so. */
    record Refused(String message, int code) {}

    /** Returns a message of a client that goes nowhere. */
    Refused refused(String method) {
        String id = member("id", id());
        String called = member("method", '"' + method + '"');
        if (random.nextInt(3) == 0) {
            String params = member("params", oneOf(List.of("null", "true", "0", "\"{}\"", "\"\\ud800\"")));
            String noId = member("id", oneOf(List.of("null", "true", "{}", "[1]", '"' + "i".repeat(1_001) + '"')));
            return new Refused(random.nextBoolean() ? message(id, called, params) : message(noId, called), -32600);
        }
        String odd = oneOf(List.of(
                "{\"a\":1," + space() + "\"\\u0061\":1}",
                "{\"\":1,\"\":1}",
                "{\"__proto__\":{},\"__pr\\u006fto__\":{}}",
                "{\"\\ud83d\\ude00\":1,\"\ud83d\ude00\":1}",
                "{\"" + oneOf(HALVES) + "\":" + number() + "}",
                "9".repeat(1_001),
                "01",
                "1.",
                "NaN",
                "\"\\x41\"",
                "\"\\ud80\"",
                "'a'",
                "[1,]"));
        String twice = "{" + member(oneOf(META), object(2, Map.of())) + "," + member("\\u005fm\\u0065ta", "1") + "}";
        return new Refused(
                switch (random.nextInt(5)) {
                    case 0 -> message(id, called, member("params", twice));
                    case 1 -> message(id, called, member("m\\u0065thod", "\"ping\""));
                    case 2 -> message(id, called, member("params", "{\"_meta\":" + odd + "}"));
                    case 3 -> message(id, called, member("vendor.example/odd", "[[" + odd + "]]"));
                    default -> message(id, called, member("params", "[" + value(3) + "," + odd + "]"));
                },
                -32700);
    }

    private String params(String method) {
        Map<String, String> given = new LinkedHashMap<>();
        if (method.equals("tools/call")) {
            given.put("name", member("name", '"' + string(false) + '"'));
            given.put("arguments", member("arguments", object(4, wrongPlace(new LinkedHashMap<>()))));
            meta(given);
            return object(2, given);
        }
        meta(given);
        wrongPlace(given);
        return random.nextInt(10) == 0 ? array(3) : object(4, given);
    }

    /** Adds {@code _meta} of any type, or none; how its name is spelled is its writer's. */
    private void meta(Map<String, String> given) {
        int kind = random.nextInt(10);
        if (kind > 2) {
            given.put("_meta", member(oneOf(META), kind > 3 ? metaObject() : NO_OBJECT + noObject() + NO_OBJECT_END));
        }
    }

    private String noObject() {
        return oneOf(
                List.of("null", "false", number(), '"' + string(true) + '"', array(2), oneOf(NOT_OURS.subList(3, 4))));
    }

    private String block() {
        Map<String, String> given = new LinkedHashMap<>();
        given.put("type", member("type", "\"text\""));
        given.put("text", member("text", '"' + string(true) + '"'));
        given.put("_meta", member(oneOf(META), metaObject()));
        given.put("content", member("vendor", "0"));
        return object(1, given);
    }

    /** Adds what nobody reads as {@code _meta}. */
    private Map<String, String> wrongPlace(Map<String, String> given) {
        if (random.nextInt(4) == 0) {
            given.put("vendor.example/wrong", member("vendor.example/wrong", oneOf(NOT_OURS)));
        }
        return given;
    }

    /** An object in which a member may stand that only we may write. */
    private String metaObject() {
        List<String> members = members(random.nextInt(3), wrongPlace(new LinkedHashMap<>()));
        int ours = random.nextInt(2) == 0 ? random.nextInt(members.size() + 1) : -1;
        if (ours < 0) {
            return joined(members);
        }
        String member = member(oneOf(OUR_NAMES), value(1));
        String comma = space() + "," + space();
        if (members.isEmpty()) {
            members.add(OURS + member + OURS_END);
        } else if (ours == 0) {
            members.set(0, OURS + member + comma + OURS_END + members.get(0));
        } else {
            members.set(ours - 1, members.get(ours - 1) + OURS + comma + member + OURS_END);
        }
        return joined(members);
    }

    private String message(String... given) {
        List<String> members = new ArrayList<>(List.of(given));
        members.add(member(random.nextInt(8) == 0 ? "json\\u0072pc" : "jsonrpc", "\"2.0\""));
        Set<String> outside = new HashSet<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            String name = oneOf(OUTSIDE);
            if (outside.add(name)) {
                members.add(member(name, random.nextInt(4) == 0 ? oneOf(NOT_OURS) : value(2)));
            }
        }
        Collections.shuffle(members, random);
        return joined(members);
    }

    private String member(String name, String value) {
        return '"' + name + '"' + space() + ":" + space() + value;
    }

    private String joined(List<String> members) {
        StringBuilder out = new StringBuilder("{").append(space());
        for (int i = 0; i < members.size(); i++) {
            out.append(i == 0 ? "" : "," + space()).append(members.get(i)).append(space());
        }
        return out.append('}').toString();
    }

    String value(int depth) {
        return switch (random.nextInt(depth > 0 ? 10 : 5)) {
            case 0 -> number();
            case 1 -> oneOf(List.of("true", "false", "null"));
            case 2, 3, 4 -> '"' + string(true) + '"';
            case 5 -> random.nextInt(8) == 0 ? deep() : array(depth - 1);
            case 6 -> array(depth - 1);
            default -> object(depth - 1, Map.of());
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
                : (random.nextBoolean() ? "-" : "") + (1 + random.nextInt(9)) + (random.nextLong() >>> 1) + "."
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

    /** Returns an object that holds {@code given}, by the names that nobody else has here, among others. */
    private String object(int depth, Map<String, String> given) {
        return joined(members(depth, given));
    }

    private List<String> members(int depth, Map<String, String> given) {
        List<String> members = new ArrayList<>(given.values());
        Set<String> names = new HashSet<>(given.keySet());
        if (!given.isEmpty()) {
            names.addAll(List.of("name", "arguments", "uri"));
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            List<String> name = oneOf(NAMES);
            if (names.add(name.get(1))) {
                members.add(member(name.get(0), depth > 0 ? value(depth - 1) : number()));
            }
        }
        Collections.shuffle(members, random);
        return members;
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
