package dev.sluice.cli;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** One audit record as a line for a person. */
final class AuditLine {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.systemDefault());

    private AuditLine() {}

    static String of(long seq, JsonNode event) {
        String what = text(event, "name") + " of " + text(event, "server");
        String line = switch (text(event, "kind")) {
            case "decision" -> decision(event) + "  " + what + reasons(event);
            case "answer" -> "answered  " + what + label(event) + details(event);
            case "failure" -> "failed    " + what + label(event);
            case "lost" -> "lost      " + what + label(event);
            case "message" -> "message   " + what + label(event);
            case "variable" -> text(event, "event") + "  " + what + label(event);
            case "pin" -> String.format("%-8s", text(event, "result")) + "  " + text(event, "what") + " " + what;
            case "approval" -> String.format("%-8s", text(event, "event")) + "  " + what + "  by " + text(event, "by");
            case "policy" -> "policy    " + text(event, "what") + " " + text(event, "digest") + because(event);
            case "typed" ->
                "typed     " + event.path("characters").asInt(0) + " characters, in session " + text(event, "session");
            case "session" ->
                "session   " + text(event, "event") + " " + text(event, "session") + " " + text(event, "display");
            default -> text(event, "kind");
        };
        return String.format("%5d  %s  %s", seq, time(event), line);
    }

    private static String decision(JsonNode event) {
        String word = switch (text(event, "decision")) {
            case "allow" -> "allowed";
            case "ask" -> "asked";
            default -> "denied";
        };
        if (text(event.path("approval"), "state").equals("approved")) {
            return "approved (" + text(event.path("approval"), "id") + ")";
        }
        boolean held = text(event, "done").equals("refused") || word.equals("allowed");
        return String.format("%-8s", held ? word : word + " (not held, mode " + text(event, "mode") + ")");
    }

    private static String reasons(JsonNode event) {
        List<String> reasons = new ArrayList<>();
        for (JsonNode violation : event.path("violations")) {
            reasons.add(text(violation, "control") + ": " + text(violation, "because"));
        }
        return reasons.isEmpty() ? "" : "\n" + " ".repeat(17) + String.join("\n" + " ".repeat(17), reasons);
    }

    private static String because(JsonNode event) {
        StringBuilder lines = new StringBuilder();
        event.path("because")
                .forEach(each -> lines.append("\n").append(" ".repeat(17)).append(each.asString("")));
        return lines.toString();
    }

    private static String label(JsonNode event) {
        JsonNode label = event.path("label");
        return "  [" + text(label, "integrity") + ", "
                + (label.path("confidentiality").isEmpty() ? "public" : "private") + "]";
    }

    private static String details(JsonNode event) {
        StringBuilder details = new StringBuilder();
        event.path("ignoredClaims")
                .forEach(claim ->
                        details.append("  ignored `").append(claim.asString("")).append('`'));
        event.path("findings")
                .forEach(finding -> details.append("  malformed at ").append(text(finding, "pointer")));
        return details.toString();
    }

    private static String time(JsonNode event) {
        try {
            return TIME.format(Instant.parse(text(event, "at")));
        } catch (RuntimeException e) {
            return "        ";
        }
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }
}
