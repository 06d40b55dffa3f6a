package dev.sluice.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the operator says of the parts of an answer: which they are, and for each who wrote it, who may read it and what
 * kinds of data it holds.
 *
 * <p>Fails closed: an item whose rule errs is untrusted and private, all of it, and so is an answer of too many parts.
 *
 * @param pointer where the items stand, with {@code *}; empty for the whole answer
 * @param format how the text of an answer is read that has no {@code structuredContent}; null where nobody said
 * @param rule what is said of each item
 * @param fields what is said of members of an item, by their pointers inside it, with {@code *}
 * @param vouched pointers inside an item to values that the service itself made
 */
public record ItemRule(
        String pointer, @Nullable Format format, LabelRule rule, Map<String, LabelRule> fields, List<String> vouched) {

    /** More items than this are not told apart. */
    public static final int MOST_ITEMS = 10_000;

    /** More members with something said of them than this are not told apart. */
    static final int MOST_FIELDS = 100_000;

    /** How the text of an answer is read. */
    public enum Format {
        /** RFC 8259, strictly: no duplicate names, one value. */
        JSON,
        /** YAML 1.2, core schema, one document, no aliases. */
        YAML
    }

    public ItemRule {
        fields = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        vouched = List.copyOf(vouched);
    }

    /** Returns the value that {@code text} writes in the stated format; empty where none is stated or it is no such text. */
    public Optional<JsonNode> parse(String text) {
        return format == null ? Optional.empty() : AnswerText.parse(format, text);
    }

    /**
     * Returns the items of an answer in their order, each with its label; none where the answer has none.
     *
     * @param document {@code structuredContent}, or the value of the text
     * @param args what the tool was called with
     * @param server the upstream
     * @param principal who calls; empty where nobody says
     */
    public List<LabelledItem> apply(JsonNode document, JsonNode args, String server, String principal) {
        Optional<Map<String, JsonNode>> items = Pointers.find(document, pointer, MOST_ITEMS);
        if (items.isEmpty()) {
            return List.of(strict("", document, "the answer has more than " + MOST_ITEMS + " items"));
        }
        boolean evaluates = rule.hasExpression() || fields.values().stream().anyMatch(LabelRule::hasExpression);
        Map<String, Object> variables = new HashMap<>();
        if (evaluates) {
            variables.put("server", server);
            variables.put("principal", principal);
            variables.put("args", Expression.value(args));
        }
        List<LabelledItem> labelled = new ArrayList<>();
        int room = MOST_FIELDS;
        for (Map.Entry<String, JsonNode> item : items.get().entrySet()) {
            if (evaluates) {
                variables.put("item", Expression.value(item.getValue()));
            }
            LabelledItem one = labelled(item.getKey(), item.getValue(), variables, room);
            room -= one.fields().size();
            labelled.add(one);
        }
        return labelled;
    }

    private LabelledItem labelled(String at, JsonNode item, Map<String, Object> variables, int room) {
        try {
            Returns whole = rule.of(item, variables);
            Map<String, Returns> said = new TreeMap<>();
            Map<String, JsonNode> values = new TreeMap<>();
            for (Map.Entry<String, LabelRule> field : fields.entrySet()) {
                Map<String, JsonNode> found = found(item, field.getKey(), room - values.size());
                if (!found.isEmpty()) {
                    Returns returns = field.getValue().of(item, variables);
                    // Two pointers with `*` may lead to one member: the one that was written first speaks first.
                    found.keySet().forEach(where -> said.merge(where, returns, Returns::orElse));
                    values.putAll(found);
                }
            }
            Map<String, JsonNode> made = new TreeMap<>();
            for (String each : vouched) {
                made.putAll(found(item, each, room - values.size() - made.size()));
            }
            values.putAll(made);
            List<LabelledField> labelled = new ArrayList<>();
            values.forEach((where, value) -> labelled.add(
                    new LabelledField(at + where, value, nearest(where, said, whole), made.containsKey(where))));
            return new LabelledItem(at, item, whole, labelled, List.of());
        } catch (Expression.Failure e) {
            return strict(at, item, e.getMessage());
        }
    }

    private static Map<String, JsonNode> found(JsonNode item, String pointer, int room) throws Expression.Failure {
        Optional<Map<String, JsonNode>> found = Pointers.find(item, pointer, room);
        if (found.isEmpty() || found.get().size() > room) {
            throw new Expression.Failure(
                    "the answer has more than " + MOST_FIELDS + " members that the rule says something of");
        }
        return found.get();
    }

    /** Returns what is said of the member at {@code where}: by its own field, then by those around it, then by its item. */
    private static Returns nearest(String where, Map<String, Returns> said, Returns whole) {
        Returns nearest = Returns.NOTHING;
        for (String at = where; !at.isEmpty(); at = at.substring(0, at.lastIndexOf('/'))) {
            nearest = nearest.orElse(said.getOrDefault(at, Returns.NOTHING));
        }
        return nearest.orElse(whole);
    }

    private LabelledItem strict(String at, JsonNode value, @Nullable String why) {
        String place = at.isEmpty() ? "the answer" : "the item `" + PlainName.of(at) + "`";
        return new LabelledItem(
                at, value, rule.strict(), List.of(), List.of(place + " counts as untrusted and private: " + why));
    }
}
