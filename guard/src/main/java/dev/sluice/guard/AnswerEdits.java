package dev.sluice.guard;

import dev.sluice.policy.ItemRule;
import dev.sluice.policy.Redaction;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The changes of one answer by which those of its parts go that the agent must not see, on each of its projections. */
final class AnswerEdits {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final String META = "/_meta";

    /** An error of our own: outside the range that JSON-RPC keeps, as for refusals. */
    private static final int DENIED = -31403;

    private final Ticket ticket;
    private final JsonNode content;
    private final Fates fates;
    private final KnownShape shape;
    private final Spans spans;
    private final List<Edit> edits = new ArrayList<>();
    private boolean broken;
    private boolean tooMuch;
    private @Nullable JsonNode kept;

    /**
     * Begins with none.
     *
     * @param spans the texts around what belongs to documents of which only stretches go
     */
    AnswerEdits(Ticket ticket, JsonNode content, Fates fates, KnownShape shape, Spans spans) {
        this.spans = spans;
        this.ticket = ticket;
        this.shape = shape;
        this.content = content;
        this.fates = fates;
    }

    List<Edit> edits() {
        return edits;
    }

    /** Returns whether what is left is no answer that the tool could give, and so all of it was replaced. */
    boolean isBroken() {
        return broken || kept != null;
    }

    /**
     * Takes parts out of {@code structuredContent}.
     *
     * @param shown what would be left of it if nothing were hidden
     */
    void structured(Pruning pruning, Supplier<Optional<JsonNode>> shown) {
        if (pruning.edits().isEmpty() && pruning.left().isPresent()) {
            return;
        }
        tooMuch |= pruning.isTooMuch();
        if (pruning.isTooMuch() || !fits(pruning.left())) {
            Optional<JsonNode> value = fates.hidden().flatMap(hidden -> shown.get());
            broken = value.isEmpty() || !fits(value);
            kept = broken ? null : value.orElse(null);
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
        if (pruning.isTooMuch()) {
            tooMuch = true;
            broken |= kept == null;
            return;
        }
        String left = pruning.gone()
                .map(Fates::text)
                .or(pruning::handle)
                .orElseGet(() -> format == ItemRule.Format.JSON
                        ? pruning.json(text)
                        // JSON is YAML too, and how a text in YAML was laid out is of no account.
                        : pruning.left().orElseThrow().toString());
        edits.add(new Edit("/content/" + block + "/text", JSON.stringNode(left)));
    }

    /** Takes stretches and single parts out of what belongs to no document and stays. */
    void inside(Pruning pruning) {
        if (pruning.isTooMuch()) {
            tooMuch = true;
            broken |= kept == null;
        }
        Set<String> gone = new LinkedHashSet<>();
        for (Edit edit : pruning.edits()) {
            int meta = edit.pointer().indexOf(META + "/");
            if (meta < 0) {
                edits.add(edit);
            } else if (gone.add(edit.pointer().substring(0, meta + META.length()))) {
                fates.leftOut(); // claims stand there, which are read and written again: all of it goes
            }
        }
        gone.forEach(pointer -> edits.add(new Edit(pointer, null)));
    }

    /** A client refuses structured content that its schema does not allow, or that is missing. */
    private boolean fits(Optional<JsonNode> left) {
        if (!ticket.isOfTool() || content.path("isError").asBoolean(false)) {
            return true;
        }
        Optional<OutputSchema> schema = ticket.upstream().outputSchema(ticket.name());
        return schema.isEmpty() || (left.isPresent() && schema.get().fits(left.get()));
    }

    /** Takes out what belongs to no document. */
    void around(Fate fate, Part whole, Set<Integer> documents) {
        Redaction rule = fate.rule();
        content.forEachEntry((name, value) -> {
            if (name.equals("content")) {
                blocks(value, fate, whole, documents);
            } else if (!name.equals("structuredContent") && !(name.equals("isError") && value.isBoolean())) {
                if (rule != null) {
                    fates.removed(rule);
                }
                edits.add(new Edit("/" + name.replace("~", "~0").replace("/", "~1"), null));
            }
        });
    }

    private void blocks(JsonNode blocks, Fate fate, Part whole, Set<Integer> documents) {
        Redaction rule = fate.rule();
        if (!blocks.isArray()) {
            JsonNode block = rule != null ? Fates.block(fates.marker(rule)) : hidden(blocks, "/content", whole);
            edits.add(new Edit("/content", JSON.arrayNode().add(block)));
            return;
        }
        boolean marked = false;
        for (int i = 0; i < blocks.size(); i++) {
            String at = "/content/" + i;
            if (documents.contains(i)) {
                blocks.path(i).forEachEntry((name, value) -> {
                    if (name.equals("type") && !value.asString("").equals("text")) {
                        edits.add(new Edit(at + "/type", JSON.stringNode("text"))); // a word of the server's own
                    } else if (!name.equals("type") && !name.equals("text")) {
                        edits.add(new Edit(at + "/" + name.replace("~", "~0").replace("/", "~1"), null));
                    }
                });
            } else if (rule == null) {
                edits.add(new Edit(at, hidden(blocks.path(i), at, whole)));
            } else {
                // How many there were says something too.
                edits.add(new Edit(at, marked ? null : Fates.block(fates.marker(rule))));
                marked = true;
            }
        }
    }

    /** Returns a text with the handle of a content block, or of its text where it has one. */
    private ObjectNode hidden(JsonNode block, String pointer, Part whole) {
        return Fates.block(JSON.stringNode(handle(block, pointer, whole)));
    }

    private String handle(JsonNode block, String pointer, Part whole) {
        boolean plain = block.path("text").isString();
        String at = plain ? pointer + "/text" : pointer;
        return fates.hidden()
                .map(hidden -> hidden.described(
                        spans.redacted(plain ? block.path("text") : block, at, fates),
                        spans.joined(whole, at, fates),
                        "",
                        new KnownShape(),
                        ticket.name()))
                .orElse(Hidden.WITHHELD);
    }

    /** Puts an empty answer of its kind in the place of the whole, or one with handles. */
    void everything(Fate fate, Part whole, JsonNode error) {
        Redaction rule = fate.rule();
        if (!error.isMissingNode()) {
            String message = rule != null
                    ? fates.marker(rule).stringValue()
                    : error.has("data") ? handle(error, "", whole) : handle(error.path("message"), "/message", whole);
            edits.add(new Edit("", JSON.objectNode().put("code", DENIED).put("message", message)));
        } else if (content.isMissingNode() && !ticket.call().isEmpty()) {
            return;
        } else if (rule == null && ticket.isOfTool() && content.isObject()) {
            around(fate, whole, Set.of());
        } else if (rule == null) {
            edits.add(new Edit("", handles(whole)));
        } else {
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

    /** Returns an answer of another method than a tool call, each of its texts a handle. */
    private ObjectNode handles(Part whole) {
        ObjectNode answer = JSON.objectNode();
        switch (ticket.method()) {
            case "tools/call" -> answer.putArray("content").add(hidden(content, "", whole));
            case "resources/read" -> {
                ArrayNode contents = answer.putArray("contents");
                for (int i = 0; i < content.path("contents").size(); i++) {
                    contents.addObject()
                            .put("uri", "sluice:hidden/" + i)
                            .put("text", handle(content.path("contents").path(i), "/contents/" + i, whole));
                }
            }
            case "prompts/get" -> {
                ArrayNode messages = answer.putArray("messages");
                for (int i = 0; i < content.path("messages").size(); i++) {
                    JsonNode message = content.path("messages").path(i);
                    messages.addObject()
                            .put("role", "user")
                            .set("content", hidden(message.path("content"), "/messages/" + i + "/content", whole));
                }
            }
            case "completion/complete" -> answer.putObject("completion").putArray("values");
            default -> {}
        }
        return answer;
    }

    /** The value itself would do, but its handles do not: it is told of as one, though the call went well. */
    private ObjectNode keptWhole(JsonNode value, Part whole, Fate fate, Set<Integer> documents) {
        ObjectNode answer = JSON.objectNode();
        ArrayNode blocks = answer.putArray("content");
        fates.hidden().ifPresent(hidden -> {
            hidden.clear();
            blocks.add(Fates.block(JSON.stringNode((content.path("isError").asBoolean(false)
                            ? "The server says that the call failed. There is one handle only because "
                            : "The call was made and went well. This counts as an error only because ")
                    + (tooMuch
                            ? "it has more parts than there are handles for."
                            : "handles do not fit what the tool says of its answers.")
                    + " What it gave is kept under one handle: "
                    + hidden.described(value, whole, "", shape, ticket.name()))));
        });
        JsonNode own = content.path("content");
        for (int i = 0; i < own.size() && fate.hidden(); i++) {
            if (!documents.contains(i)) {
                blocks.add(hidden(own.path(i), "/content/" + i, whole));
            }
        }
        return answer.put("isError", true);
    }

    /** Returns what takes the place of an answer of which nothing can be shown; it says why. */
    private ObjectNode explained() {
        ObjectNode answer = JSON.objectNode();
        if (tooMuch) {
            answer.putArray("content")
                    .add(Fates.block(
                            JSON.stringNode("More parts of this answer must be taken out than can be one by one,"
                                    + " so all of it is held back. The call itself was made.")));
            return answer.put("isError", true);
        }
        answer.putArray("content")
                .add(Fates.block(JSON.stringNode(fates.told()
                        + ", and the rest does not fit what the tool says of its answers, so it is held back too."
                        + " The call itself was made.")));
        return answer.put("isError", true);
    }

    /** Tells the model what it can't see from what is left. */
    void tell(Fate fate, Part whole, Set<Integer> documents) {
        if (edits.size() > Pruning.MOST) {
            tooMuch = true;
            broken |= kept == null;
        }
        JsonNode value = kept;
        if (broken || value != null) {
            edits.clear();
            if (value == null) {
                fates.hidden().ifPresent(Hidden::clear);
            }
            edits.add(new Edit("", value == null ? explained() : keptWhole(value, whole, fate, documents)));
            return;
        }
        StringJoiner words = new StringJoiner("\n");
        if (fates.isSilent()) {
            words.add(fates.told() + ".");
        }
        fates.hidden().filter(Hidden::mustBeTold).ifPresent(hidden -> words.add(hidden.told(ticket.name())));
        boolean replaced = edits.stream().anyMatch(each -> each.pointer().isEmpty());
        if (words.length() > 0 && ticket.isOfTool() && !replaced) {
            append(Fates.block(JSON.stringNode(words.toString())));
        }
    }

    private void append(ObjectNode block) {
        Optional<ArrayNode> ours = edits.stream()
                .filter(each -> each.pointer().equals("/content") && each.value() instanceof ArrayNode)
                .map(each -> (ArrayNode) each.value())
                .findFirst();
        if (ours.isPresent()) {
            ours.get().add(block);
        } else if (content.path("content").isArray()) {
            edits.add(new Edit("/content/-", block));
        } else {
            edits.removeIf(each -> each.pointer().startsWith("/content")); // it was no list
            edits.add(new Edit("/content", JSON.arrayNode().add(block)));
        }
    }
}
