package dev.sluice.guard.approval;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Label;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Reach;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.LabelCodec;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** How arguments are shown that are deeper than a message may be, since handles in them stand for more. */
class ApprovalTextTest {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private static List<String> lines(String arguments) {
        ObjectNode question = JsonNodeFactory.instance
                .objectNode()
                .put("server", "mail")
                .put("name", "send")
                .put("session", "one")
                .put("arguments", arguments);
        question.set("label", LabelCodec.encode(Label.BOTTOM));
        question.putArray("values")
                .addObject()
                .put("member", 1)
                .put("steers", false)
                .put("named", true);
        Approval approval = new Approval(
                "a1",
                "call",
                "flow",
                "ana",
                "s1",
                question.toString(),
                NOW,
                NOW.plusSeconds(60),
                Status.PENDING,
                Reach.CALL,
                0);
        return new ApprovalText(approval).lines(NOW);
    }

    private static String quoted(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith("  | ") || line.startsWith("  |   "))
                .map(line -> line.startsWith("  |   ") ? line.substring(6) : line.substring(4))
                .collect(Collectors.joining());
    }

    private static String nested(int depth) {
        return "[".repeat(depth) + "7" + "]".repeat(depth);
    }

    @Test
    void argumentsAsDeepAsTwoMessages_areShownWithWhereTheyCameFrom() {
        for (int depth : new int[] {2, 255, 256, 520, 1000}) {
            List<String> lines = lines("{\"deep\":" + nested(depth) + ",\"to\":\"bo\"}");
            assertEquals("\"deep\": " + nested(depth) + "\"to\": \"bo\"", quoted(lines));
            assertEquals("      the user typed it", lines.get(lines.indexOf("  | \"to\": \"bo\"") + 1));
        }
    }

    @Test
    void argumentsThatAreDeeperStill_areShownWhole() {
        String arguments = "{\"deep\":" + nested(5_000) + "}";
        List<String> lines = lines(arguments);
        assertEquals(arguments, quoted(lines));
        assertTrue(
                lines.contains("      they can't be taken apart, so it is not said where their values came from"),
                lines.toString());
    }
}
