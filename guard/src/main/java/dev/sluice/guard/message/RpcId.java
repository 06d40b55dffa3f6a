package dev.sluice.guard.message;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * The id of a request: its text as written, and a key under which the same id is found however the other side writes it.
 *
 * @param json the id as written
 * @param key equal for equal ids; {@code 1} and {@code 1.0} are one id, {@code 1} and {@code "1"} are two
 */
public record RpcId(String json, String key) {

    static final int LONGEST = 1_000;

    /** Returns the id that {@code value} is: a string or a number, as JSON-RPC 2.0 has it. */
    static RpcId of(JsonIndex.Value value) {
        if (value.kind() != Kind.STRING && value.kind() != Kind.NUMBER) {
            throw new InvalidMessageException("the id must be a string or a number");
        }
        if (value.end() - value.start() > LONGEST) {
            throw new InvalidMessageException("the id is longer than " + LONGEST + " bytes");
        }
        String json = value.raw();
        return new RpcId(json, value.kind() == Kind.STRING ? "s" + value.string() : "n" + number(json));
    }

    /** Returns the id that is the string {@code text}, which needs no escapes. */
    public static RpcId ofText(String text) {
        return new RpcId('"' + text + '"', "s" + text);
    }

    /** Numbers are compared as doubles from 2^53 on, since many peers hold them so. */
    private static String number(String json) {
        double value = Double.parseDouble(json);
        if (Double.isInfinite(value) || Math.abs(value) >= 9.007199254740992E15 || json.length() > 30) {
            return Double.toString(value);
        }
        return new BigDecimal(json).stripTrailingZeros().toString();
    }

    /** Returns the id's bytes as written. */
    public byte[] bytes() {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
