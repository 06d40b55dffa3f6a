package dev.sluice.mcpjava.emit;

import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a tool of the stack of 2026-07-28 asks back before it has a result. Whoever words the question may put data of the
 * tool into it, so it is labelled as a result is.
 */
final class ModernQuestion implements Outgoing<InputRequiredResult> {

    private final InputRequiredResult question;

    ModernQuestion(InputRequiredResult question) {
        this.question = question;
    }

    @Override
    public @Nullable Map<String, Object> meta() {
        return question.meta();
    }

    @Override
    public List<@Nullable Map<String, Object>> blockMetas() {
        return List.of();
    }

    @Override
    public List<@Nullable Map<String, Object>> embeddedMetas() {
        return List.of();
    }

    @Override
    public JsonNode tree() {
        return LegacyOutgoing.tree(question);
    }

    @Override
    public Outgoing<InputRequiredResult> withBlockMeta(int block, Map<String, Object> meta) {
        throw new IllegalArgumentException("there is no block " + block + ": a question has none");
    }

    @Override
    public InputRequiredResult result() {
        return question;
    }

    @Override
    public InputRequiredResult withMeta(Map<String, Object> meta) {
        return new InputRequiredResult(question.inputRequests(), question.requestState(), question.resultType(), meta);
    }
}
