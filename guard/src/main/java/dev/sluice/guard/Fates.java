package dev.sluice.guard;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.policy.Obligations;
import dev.sluice.policy.Redaction;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What becomes of the parts of one answer, by their labels, and what was done so far. */
final class Fates {

    private static final Set<String> ASKING = Set.of("sampling/createMessage", "elicitation/create");

    private static final Set<String> QUESTION = Set.of("resultType", "inputRequests", "requestState");
    private static final Set<String> ASKED = Set.of("method", "params");

    private final Obligations.Redactor redactor;
    private final @Nullable Hidden hidden;
    private final Map<Redaction, Integer> redacted = new LinkedHashMap<>();
    private boolean silent;

    private Fates(Obligations.Redactor redactor, @Nullable Hidden hidden) {
        this.redactor = redactor;
        this.hidden = hidden;
    }

    /**
     * Returns the fates of the parts of what {@code ticket} is answered with.
     *
     * @param content the answer
     * @param room where values are kept that are hidden
     */
    static Fates of(Ticket ticket, JsonNode content, Obligations obligations, Hidden room) {
        String server = ticket.upstream().name();
        String tool = ticket.isOfTool() ? ticket.name() : "";
        // What a server asks of the client's model or user is no answer to the agent.
        boolean asks = ASKING.contains(ticket.method()) || isNothingButAQuestion(content);
        return new Fates(
                obligations.redactor(server, tool, ticket.principal()),
                !asks && obligations.hiding().hides(server, tool) ? room : null);
    }

    /** Since 2026-07-28 servers ask in answers; one that holds anything else beside that is an answer like any other. */
    private static boolean isNothingButAQuestion(JsonNode content) {
        JsonNode requests = content.path("inputRequests");
        return content.path("resultType").asString("").equals("input_required")
                && QUESTION.containsAll(content.propertyNames())
                && requests.isObject()
                && !requests.isEmpty()
                && requests.values().stream()
                        .allMatch(each -> ASKED.containsAll(each.propertyNames())
                                && ASKING.contains(each.path("method").asString("")));
    }

    /** Returns the same, where nothing is hidden, and without what was done so far. */
    Fates withoutHiding() {
        return new Fates(redactor, null);
    }

    /** Returns where hidden values go; empty where nothing is hidden. */
    Optional<Hidden> hidden() {
        return Optional.ofNullable(hidden);
    }

    /** Returns whether every part is kept, whatever its label. */
    boolean isIdle() {
        return redactor.isIdle() && hidden == null;
    }

    Fate of(Label label) {
        return redactor.of(label)
                .map(Fate::redacted)
                .orElse(hidden != null && label.integrity() == Integrity.UNTRUSTED ? Fate.HIDDEN : Fate.KEPT);
    }

    /** Returns what stands for a part that is taken out, and counts it. */
    JsonNode marker(Redaction rule) {
        redacted.merge(rule, 1, Integer::sum);
        return JsonNodeFactory.instance.stringNode(text(rule));
    }

    static String text(Redaction rule) {
        return "[redacted: " + rule.id() + "]";
    }

    /** Counts a part that leaves no trace, so that the model must be told in another place. */
    void removed(Redaction rule) {
        redacted.merge(rule, 1, Integer::sum);
        silent = true;
    }

    /** Takes note that more goes with what was counted, and leaves no trace. */
    void leftOut() {
        silent |= !redacted.isEmpty();
    }

    /** Returns whether a part was taken out of which the agent sees nothing. */
    boolean isSilent() {
        return silent;
    }

    /** Returns how many parts each rule took out, by its id. */
    Map<String, Integer> redacted() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        redacted.forEach((rule, count) -> counts.put(rule.id(), count));
        return counts;
    }

    /** Returns what was taken out and why, for the model. */
    String told() {
        StringJoiner rules = new StringJoiner("; ");
        redacted.keySet()
                .forEach(rule -> rules.add(
                        "the rule `" + rule.id() + "`" + (rule.because().isEmpty() ? "" : ": " + rule.because())));
        int count = redacted.values().stream().mapToInt(Integer::intValue).sum();
        return "sluice took " + count + (count == 1 ? " part" : " parts") + " of this answer out (" + rules + ")";
    }

    /** Returns a content block with {@code text}. */
    static ObjectNode block(JsonNode text) {
        ObjectNode block = JsonNodeFactory.instance.objectNode();
        block.put("type", "text");
        block.set("text", text);
        return block;
    }
}
