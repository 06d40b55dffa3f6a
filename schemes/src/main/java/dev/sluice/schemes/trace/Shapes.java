package dev.sluice.schemes.trace;

import dev.sluice.wire.Finding;
import dev.sluice.wire.Finding.Code;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** What members of a record must look like; what does not is reported with its place and the mend. */
final class Shapes {

    private Shapes() {}

    static boolean isObject(JsonNode record, String what, List<Finding> findings) {
        if (!record.isObject()) {
            findings.add(new Finding(Code.NOT_AN_OBJECT, "", what + " is an object"));
        }
        return record.isObject();
    }

    static void text(JsonNode record, String member, List<Finding> findings) {
        if (!record.path(member).isString()) {
            findings.add(new Finding(
                    Code.NOT_A_STRING, "/" + member, "`" + member + "` is missing or no string: write a string"));
        }
    }

    static void texts(JsonNode record, String member, List<Finding> findings) {
        JsonNode node = record.path(member);
        boolean texts = node.isArray();
        for (JsonNode each : node) {
            texts &= each.isString();
        }
        if (!texts) {
            findings.add(new Finding(
                    Code.NOT_A_STRING,
                    "/" + member,
                    "`" + member + "` is missing or no array of strings: write an array of strings"));
        }
    }

    /** A member that may be left out. */
    static void count(JsonNode record, String member, int largest, List<Finding> findings) {
        JsonNode node = record.get(member);
        if (node == null) {
            return;
        }
        if (!node.isIntegralNumber() || !node.canConvertToInt() || node.intValue() < 0 || node.intValue() > largest) {
            findings.add(new Finding(
                    Code.UNKNOWN_VALUE,
                    "/" + member,
                    "`" + member + "` is no whole number from 0 to " + largest + ": write one"));
        }
    }
}
