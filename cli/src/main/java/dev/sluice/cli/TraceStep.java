package dev.sluice.cli;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * One call of a trace, as a line of it writes it.
 *
 * @param number the line, the first is 1
 * @param server the name of the server
 * @param tool the name of the tool
 * @param arguments what the call is made with; an object
 * @param result what {@code tools/call} answered; missing where the line has none
 * @param definition the tool, as {@code tools/list} names it; missing where the line has none
 * @param prompt what the user typed before the call; empty where the line has none
 */
record TraceStep(
        int number,
        String server,
        String tool,
        JsonNode arguments,
        JsonNode result,
        JsonNode definition,
        String prompt) {

    /**
     * Returns the calls of a trace, which is JSON Lines; blank lines are skipped.
     *
     * @throws Main.InputFailure where a line is no call; it names the first such line
     */
    static List<TraceStep> read(byte[] trace) {
        List<TraceStep> steps = new ArrayList<>();
        int number = 0;
        for (int from = 0; from < trace.length; ) {
            int to = from;
            while (to < trace.length && trace[to] != '\n') {
                to++;
            }
            number++;
            byte[] line = Arrays.copyOfRange(trace, from, to);
            if (!new String(line, StandardCharsets.UTF_8).isBlank()) {
                steps.add(of(line, number));
            }
            from = to + 1;
        }
        return steps;
    }

    private static TraceStep of(byte[] line, int number) {
        JsonNode step;
        try {
            step = JsonIndex.parse(line).root().tree();
        } catch (MalformedJsonException e) {
            throw new Main.InputFailure("line " + number + " is no strict JSON: " + e.getMessage());
        }
        if (!step.path("server").isString()
                || !step.path("tool").isString()
                || !step.path("arguments").isObject()) {
            throw new Main.InputFailure(
                    "line " + number + " is no call: give the texts `server` and `tool`, and the object `arguments`");
        }
        JsonNode definition = object(step, "definition", number);
        if (!definition.isMissingNode() && !definition.path("name").isString()) {
            throw new Main.InputFailure("line " + number
                    + " has a `definition` without a name: write there the tool, as `tools/list` names it");
        }
        JsonNode prompt = step.path("prompt");
        if (!prompt.isString() && !prompt.isNull() && !prompt.isMissingNode()) {
            throw new Main.InputFailure(
                    "line " + number + " has a `prompt` that is no text: write there what the user typed");
        }
        return new TraceStep(
                number,
                step.path("server").stringValue(),
                step.path("tool").stringValue(),
                step.path("arguments"),
                object(step, "result", number),
                definition,
                prompt.isString() ? prompt.stringValue() : "");
    }

    /** A member that may be left out, or be null. */
    private static JsonNode object(JsonNode step, String member, int number) {
        JsonNode value = step.path(member);
        if (value.isMissingNode() || value.isNull()) {
            return MissingNode.getInstance();
        }
        if (!value.isObject()) {
            throw new Main.InputFailure("line " + number + " has a `" + member
                    + "` that is no object: write an object there, or leave it out");
        }
        return value;
    }
}
