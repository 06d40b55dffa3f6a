package dev.sluice.gateway.proxy;

import dev.sluice.guard.approval.ApprovalText;
import dev.sluice.store.ApprovalStore.Approval;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A question about a call as a form of the client's, and what a person says in it.
 *
 * <p>Source: MCP revisions 2025-11-25 and 2026-07-28, Client Features, Elicitation.
 */
final class AskForm {

    /** By what method a client is asked. */
    static final String METHOD = "elicitation/create";

    /** A question that is longer, in characters, is not shown in a form: nobody may approve what was cut. */
    static final int LONGEST = 8_000;

    private AskForm() {}

    /** Returns whether a client can show forms that says {@code elicitation} of itself; a missing node for nothing. */
    static boolean isFor(JsonNode elicitation) {
        return elicitation.isObject() && (elicitation.isEmpty() || elicitation.has("form"));
    }

    /** Returns the parameters of the request that asks; empty where the question is too long. */
    static Optional<ObjectNode> of(Approval asked, Instant now) {
        String text = new ApprovalText(asked).form(now);
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        ObjectNode params = JsonNodeFactory.instance.objectNode().put("message", text);
        ObjectNode schema = params.putObject("requestedSchema").put("type", "object");
        schema.putObject("properties")
                .putObject("answer")
                .put("type", "string")
                .put("title", "Your answer")
                .put("description", "approve lets exactly this call through, once")
                .putArray("enum")
                .add("approve")
                .add("deny");
        schema.putArray("required").add("answer");
        return Optional.of(params);
    }

    /**
     * Returns whether a person said yes; empty where nothing was said: whoever only closed the form leaves the question open.
     *
     * @param result the client's answer; null for an error
     */
    static Optional<Boolean> said(@Nullable JsonNode result) {
        if (result == null) {
            return Optional.empty();
        }
        return switch (result.path("action").asString("")) {
            case "accept" ->
                Optional.of(result.path("content").path("answer").asString("").equals("approve"));
            case "decline" -> Optional.of(false);
            default -> Optional.empty();
        };
    }
}
