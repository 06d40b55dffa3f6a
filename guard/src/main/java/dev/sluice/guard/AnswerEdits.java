package dev.sluice.guard;

import dev.sluice.policy.ItemRule;
import dev.sluice.policy.Redaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The changes of one answer by which those of its parts go that the agent must not see, on each of its projections. */
final class AnswerEdits {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** An error of our own: outside the range that JSON-RPC keeps, as for refusals. */
    private static final int DENIED = -31403;

    private final Ticket ticket;
    private final JsonNode content;
    private final Fates fates;
    private final List<Edit> edits = new ArrayList<>();
    private boolean broken;

    AnswerEdits(Ticket ticket, JsonNode content, Fates fates) {
        this.ticket = ticket;
        this.content = content;
        this.fates = fates;
    }

    List<Edit> edits() {
        return edits;
    }

    /** Returns whether what is left is no answer that the tool could give, and so all of it was replaced. */
    boolean isBroken() {
        return broken;
    }

    /** Takes parts out of {@code structuredContent}. */
    void structured(Pruning pruning) {
        if (pruning.edits().isEmpty() && pruning.left().isPresent()) {
            return;
        }
        if (!fits(pruning.left())) {
            broken = true;
        } else if (pruning.left().isEmpty()) {
            edits.add(new Edit("/structuredContent", null));
        } else {
            pruning.edits().forEach(each -> edits.add(new Edit("/structuredContent" + each.pointer(), each.value())));
        }
    }

    /** Takes the same parts out of a text that writes the document in {@code format}. */
    void text(int block, String text, ItemRule.Format format, Pruning pruning) {
        if (pruning.edits().isEmpty() && pruning.left().isPresent()) {
            return;
        }
        String left = pruning.gone()
                .map(Fates::text)
                .orElseGet(() -> format == ItemRule.Format.JSON
                        ? pruning.json(text)
                        // JSON is YAML too, and how a text in YAML was laid out is of no account.
                        : pruning.left().orElseThrow().toString());
        edits.add(new Edit("/content/" + block + "/text", JSON.stringNode(left)));
    }

    /** A client refuses structured content that its schema does not allow, or that is missing. */
    private boolean fits(Optional<JsonNode> left) {
        if (!ticket.method().equals("tools/call") || content.path("isError").asBoolean(false)) {
            return true;
        }
        Optional<OutputSchema> schema = ticket.upstream().outputSchema(ticket.name());
        return schema.isEmpty() || (left.isPresent() && schema.get().fits(left.get()));
    }

    /** Takes out what belongs to no document. */
    void around(Redaction rule, List<Integer> documents) {
        content.forEachEntry((name, value) -> {
            if (name.equals("content")) {
                blocks(value, rule, documents);
            } else if (!name.equals("structuredContent") && !(name.equals("isError") && value.isBoolean())) {
                fates.removed(rule);
                edits.add(new Edit("/" + name.replace("~", "~0").replace("/", "~1"), null));
            }
        });
    }

    private void blocks(JsonNode blocks, Redaction rule, List<Integer> documents) {
        if (!blocks.isArray()) {
            edits.add(new Edit("/content", JSON.arrayNode().add(Fates.block(fates.marker(rule)))));
            return;
        }
        boolean marked = false;
        for (int i = 0; i < blocks.size(); i++) {
            String at = "/content/" + i;
            if (documents.contains(i)) {
                blocks.path(i).forEachEntry((name, value) -> {
                    if (!name.equals("type") && !name.equals("text")) {
                        edits.add(new Edit(at + "/" + name.replace("~", "~0").replace("/", "~1"), null));
                    }
                });
            } else {
                // How many there were says something too.
                edits.add(new Edit(at, marked ? null : Fates.block(fates.marker(rule))));
                marked = true;
            }
        }
    }

    /** Puts an empty answer of its kind in the place of the whole. */
    void everything(Redaction rule, JsonNode error) {
        if (!error.isMissingNode()) {
            edits.add(new Edit(
                    "",
                    JSON.objectNode()
                            .put("code", DENIED)
                            .put("message", fates.marker(rule).stringValue())));
        } else if (!content.isMissingNode()) {
            edits.add(new Edit("", empty(fates.marker(rule))));
            if (!content.path("structuredContent").isMissingNode() && !fits(Optional.empty())) {
                broken = true;
            }
        }
    }

    private ObjectNode empty(JsonNode marker) {
        ObjectNode answer = JSON.objectNode();
        switch (ticket.method()) {
            case "tools/call" -> {
                answer.putArray("content").add(Fates.block(marker));
                if (content.path("isError").isBoolean()) {
                    answer.set("isError", content.path("isError"));
                }
            }
            case "resources/read" -> {
                ObjectNode resource = answer.putArray("contents").addObject();
                resource.put("uri", "sluice:redacted");
                resource.set("text", marker);
            }
            case "prompts/get" -> {
                ObjectNode message = answer.putArray("messages").addObject();
                message.put("role", "user");
                message.set("content", Fates.block(marker));
            }
            case "completion/complete" -> answer.putObject("completion").putArray("values");
            default -> {}
        }
        return answer;
    }

    /** Tells the model what it can't see from what is left. */
    void tell() {
        if (broken) {
            edits.clear();
            ObjectNode answer = JSON.objectNode();
            answer.putArray("content")
                    .add(Fates.block(JSON.stringNode(fates.told()
                            + ", and the rest does not fit what the tool says of its answers, so it is held back too."
                            + " The call itself was made.")));
            answer.put("isError", true);
            edits.add(new Edit("", answer));
        } else if (fates.isSilent() && ticket.method().equals("tools/call") && !isReplaced()) {
            ObjectNode told = Fates.block(JSON.stringNode(fates.told() + "."));
            @Nullable
            Edit all = edits.stream()
                    .filter(each -> each.pointer().equals("/content"))
                    .findFirst()
                    .orElse(null);
            if (all != null && all.value() instanceof ArrayNode blocks) {
                blocks.add(told);
            } else if (content.path("content").isArray()) {
                edits.add(new Edit("/content/-", told));
            }
        }
    }

    private boolean isReplaced() {
        return edits.stream().anyMatch(each -> each.pointer().isEmpty());
    }
}
