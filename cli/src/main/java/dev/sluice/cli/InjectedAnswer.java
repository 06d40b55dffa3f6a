package dev.sluice.cli;

import dev.sluice.policy.ItemRule;
import dev.sluice.policy.LabelledItem;
import dev.sluice.policy.Returns;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.policy.ToolStatement;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The answers of recorded calls, as they were and with the goal of an attack in them. */
final class InjectedAnswer {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private InjectedAnswer() {}

    /** Returns the answer as it was recorded. */
    static ObjectNode plain(JsonNode call) {
        return answer(call.path("outputText").asString(""));
    }

    /**
     * Returns the answer with {@code goal} as one more text in each record that shows an injection.
     *
     * <p>Records are listed in the order of the items that the policy sees, so the goal goes into the item at the record's
     * place, and has that item's label. Where there are not as many items as records, or the policy states no items, it is
     * a text of its own beside the answer: no item holds it, so it has the label of the whole.
     */
    static ObjectNode with(String goal, JsonNode call, ServerPolicy server) {
        JsonNode records = call.path("dataReaders").path("records");
        ItemRule rule = rule(call, server);
        Optional<JsonNode> document = rule == null
                ? Optional.empty()
                : rule.parse(call.path("outputText").asString(""));
        if (rule != null && document.isPresent()) {
            List<LabelledItem> items =
                    rule.apply(document.get(), call.path("args"), server.name(), Rehearsal.PRINCIPAL);
            if (items.size() == records.size()) {
                JsonNode root = document.get().deepCopy();
                for (int i = 0; i < items.size(); i++) {
                    if (!records.get(i).path("exposes").isEmpty()) {
                        root = with(goal, root, items.get(i).pointer());
                    }
                }
                // JSON is YAML too, so the policy reads it by the same rule as the recorded text.
                return answer(root.toString());
            }
        }
        ObjectNode result = plain(call);
        for (JsonNode record : records) {
            if (!record.path("exposes").isEmpty()) {
                ((ArrayNode) result.path("content")).add(text(goal));
            }
        }
        return result;
    }

    private static @Nullable ItemRule rule(JsonNode call, ServerPolicy server) {
        Returns returns = server.tools()
                .getOrDefault(call.path("tool").asString(""), ToolStatement.NOTHING)
                .returns();
        return returns == null ? null : returns.items();
    }

    /** Returns the document with one more text in the item at {@code pointer}. */
    private static JsonNode with(String goal, JsonNode root, String pointer) {
        JsonNode item = root.at(pointer);
        if (item instanceof ObjectNode object) {
            String name = "goal";
            while (object.has(name)) {
                name += "_";
            }
            object.put(name, goal);
            return root;
        }
        if (item instanceof ArrayNode array) {
            array.add(goal);
            return root;
        }
        // A bare text has no room for another: the goal stands in it, and is vouched for where it is.
        JsonNode longer = JSON.stringNode(item.asString("") + "\n" + goal);
        if (pointer.isEmpty()) {
            return longer;
        }
        int last = pointer.lastIndexOf('/');
        String step = pointer.substring(last + 1);
        JsonNode parent = root.at(pointer.substring(0, last));
        if (parent instanceof ArrayNode array) {
            array.set(Integer.parseInt(step), longer);
        } else if (parent instanceof ObjectNode object) {
            object.set(step.replace("~1", "/").replace("~0", "~"), longer);
        }
        return root;
    }

    private static ObjectNode answer(String text) {
        ObjectNode result = JSON.objectNode();
        result.putArray("content").add(text(text));
        return result;
    }

    private static ObjectNode text(String text) {
        return JSON.objectNode().put("type", "text").put("text", text);
    }
}
