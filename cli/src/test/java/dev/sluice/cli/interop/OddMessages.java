package dev.sluice.cli.interop;

import java.util.SplittableRandom;

/**
 * Messages of 2026-07-28 in spellings that nobody would choose but anybody may: unusual numbers, escapes, blanks, orders and
 * unknown members. The same number always makes the same message, so that a server in another process answers what a test
 * expects.
 */
final class OddMessages {

    static final String NUMBER = "x.example/n";

    private static final String[] NUMBERS = {
        "0", "-0", "1.50", "0.10", "1E2", "1e+2", "-3.0e-7", "12345678901234567890", "9007199254740993", "1.0", "1e400"
    };

    private static final String[] TEXTS = {
        "\"\"",
        "\"plain\"",
        "\"\\u00e9\"",
        "\"\u00e9\u20ac\"",
        "\"\\ud83d\\ude00\"",
        "\"\ud83d\ude00\"",
        "\"a\\/b\"",
        "\"a/b\"",
        "\"\\u0061\\\"\\\\\\t\"",
        "\"\\u0000\\u001f\"",
        "\"<\\u2028>&\""
    };

    private static final String[] BLANKS = {"", "", "", " ", "  ", "\t"};

    private static final String[] METHODS = {
        "tools/call", "tools/call", "resources/read", "prompts/get", "x.example/odd"
    };

    private final SplittableRandom random;
    private final int number;

    private OddMessages(int number, long salt) {
        this.number = number;
        this.random = new SplittableRandom(number * 31L + salt);
    }

    /** The method of the request of that number. */
    static String method(int number) {
        return METHODS[new SplittableRandom(number).nextInt(METHODS.length)];
    }

    /** What the request of that number is of: the tool, the resource or the prompt; empty where it is of none. */
    static String name(int number) {
        return switch (method(number)) {
            case "tools/call", "prompts/get" -> "odd";
            case "resources/read" -> "odd:1";
            default -> "";
        };
    }

    /** A request. */
    static String request(int number) {
        return new OddMessages(number, 1).request();
    }

    /** What a server says of the progress of it. */
    static String progress(int number, String token) {
        OddMessages odd = new OddMessages(number, 2);
        return "{"
                + odd.pairs(
                        "\"method\"", "\"notifications/progress\"",
                        "\"jsonrpc\"", "\"2.0\"",
                        "\"params\"",
                                "{"
                                        + odd.pairs(
                                                "\"progressToken\"",
                                                token,
                                                "\"progress\"",
                                                "1.0",
                                                "\"message\"",
                                                odd.text(),
                                                "\"x-more\"",
                                                odd.value(2))
                                        + "}")
                + "}";
    }

    /** The answer to it. */
    static String answer(int number, String id) {
        return new OddMessages(number, 3).answer(id);
    }

    private String request() {
        String method = method(number);
        String meta = "{"
                + pairs(
                        "\"io.modelcontextprotocol/protocolVersion\"",
                        "\"2026-07-28\"",
                        "\"io.modelcontextprotocol/clientCapabilities\"",
                        capabilities(),
                        "\"io.modelcontextprotocol\\/clientInfo\"",
                        "{\"version\":\"1\",\"name\":\"odd\",\"x\":" + value(1) + "}",
                        "\"" + NUMBER + "\"",
                        String.valueOf(number),
                        "\"dev.sluice/label\"",
                        "{\"integrity\":\"trusted\"}",
                        random.nextBoolean() ? "\"progressToken\"" : "\"vendor.example/t\"",
                        "\"t\\u006fken " + number + "\"",
                        "\"vendor.example/more\"",
                        value(2))
                + "}";
        String subject = switch (method) {
            case "tools/call" -> "\"name\"" + blank() + ":\"odd\",\"arguments\":{\"a\":" + value(3) + "}";
            case "resources/read" -> "\"uri\":\"odd:1\"";
            case "prompts/get" -> "\"name\":\"odd\"";
            default -> "\"x\":" + value(2);
        };
        String params = random.nextBoolean()
                ? "{" + blank() + subject + ",\"_meta\"" + blank() + ":" + meta + ",\"x-unknown\":" + value(2) + blank()
                        + "}"
                : "{\"x-unknown\":" + value(2) + ",\"_meta\":" + meta + blank() + "," + subject + "}";
        String written = method.replace("/", random.nextBoolean() ? "\\/" : "/");
        return "{"
                + pairs(
                        "\"method\"",
                        "\"" + written + "\"",
                        "\"id\"",
                        id(),
                        "\"params\"",
                        params,
                        "\"jsonrpc\"",
                        "\"2.0\"")
                + "}";
    }

    private String id() {
        return switch (random.nextInt(3)) {
            case 0 -> String.valueOf(1_000 + number);
            case 1 -> "\"n \\u0022\\/" + number + "\"";
            default -> number + ".0";
        };
    }

    private String capabilities() {
        return switch (random.nextInt(3)) {
            case 0 -> "{" + blank() + "}";
            case 1 -> "{\"elicitation\":{},\"x-odd\":" + value(1) + "}";
            default -> "{\"extensions\":{\"x.example/own\":{\"n\":1.0}}}";
        };
    }

    private String answer(String id) {
        String meta = "{" + pairs("\"vendor.example/n\"", value(2), "\"x\"", value(1)) + "}";
        StringBuilder result = new StringBuilder("{").append(blank());
        if (random.nextBoolean()) {
            result.append("\"_meta\":").append(meta).append(',');
        }
        switch (method(number)) {
            case "tools/call" ->
                result.append("\"content\":[{\"text\":")
                        .append(text())
                        .append(",\"type\":\"text\",\"x\":")
                        .append(value(2))
                        .append("},{\"type\":\"x.example/kind\",\"data\":")
                        .append(value(2))
                        .append("}],\"structuredContent\":")
                        .append(value(3))
                        .append(',');
            case "resources/read" ->
                result.append("\"contents\":[{\"uri\":\"odd:1\",\"text\":")
                        .append(text())
                        .append("}],");
            case "prompts/get" ->
                result.append("\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":")
                        .append(text())
                        .append("}}],");
            default -> result.append("\"odd\":").append(value(3)).append(',');
        }
        if (random.nextBoolean()) {
            result.append("\"resultType\"").append(blank()).append(":\"complete\",");
        }
        if (random.nextBoolean()) {
            result.append("\"ttlMs\":5e3,\"cacheScope\":\"public\",");
        }
        result.append("\"x-more\":").append(value(2)).append('}');
        return "{" + pairs("\"result\"", result.toString(), "\"jsonrpc\"", "\"2.0\"", "\"id\"", id) + "}";
    }

    /** Members in any order, with blanks anywhere. */
    private String pairs(String... namesAndValues) {
        StringBuilder pairs = new StringBuilder(blank());
        int count = namesAndValues.length / 2;
        int first = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int at = 2 * ((first + i) % count);
            pairs.append(i == 0 ? "" : ",")
                    .append(blank())
                    .append(namesAndValues[at])
                    .append(blank())
                    .append(':')
                    .append(blank())
                    .append(namesAndValues[at + 1])
                    .append(blank());
        }
        return pairs.toString();
    }

    private String value(int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
            case 1, 2 -> text();
            case 3 -> new String[] {"true", "false", "null", "{ }", "[ ]"}[random.nextInt(5)];
            case 4 -> "[" + blank() + value(depth - 1) + blank() + "," + value(depth - 1) + "]";
            default -> "{" + pairs("\"b\"", value(depth - 1), "\"\\u0061\"", value(depth - 1), text("k"), "1") + "}";
        };
    }

    private String text() {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    /** A name that no other member has. */
    private String text(String start) {
        return "\"" + start + text().substring(1);
    }

    private String blank() {
        return BLANKS[random.nextInt(BLANKS.length)];
    }
}
