package dev.sluice.mcpjava.emit;

import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A result of the stack of 2026-07-28. */
final class ModernOutgoing implements Outgoing<CallToolResult> {

    private final CallToolResult result;

    /** Takes a result; as in {@link LegacyOutgoing}, so that a signature holds for what is sent. */
    ModernOutgoing(CallToolResult result) {
        boolean bare = result.content() == null || result.content().isEmpty();
        this.result = bare && result.structuredContent() != null
                ? new CallToolResult(
                        List.of(TextContent.builder(LegacyOutgoing.json(result.structuredContent()))
                                .build()),
                        result.structuredContent(),
                        result.isError(),
                        result.resultType(),
                        result.meta())
                : result;
    }

    @Override
    public @Nullable Map<String, Object> meta() {
        return result.meta();
    }

    private List<McpSchema.Content> content() {
        List<McpSchema.Content> content = result.content();
        return content == null ? List.of() : content;
    }

    @Override
    public List<@Nullable Map<String, Object>> blockMetas() {
        List<@Nullable Map<String, Object>> metas = new ArrayList<>();
        content().forEach(each -> metas.add(each.meta()));
        return metas;
    }

    @Override
    public List<@Nullable Map<String, Object>> embeddedMetas() {
        List<@Nullable Map<String, Object>> metas = new ArrayList<>();
        content()
                .forEach(each -> metas.add(
                        each instanceof McpSchema.EmbeddedResource embedded && embedded.resource() != null
                                ? embedded.resource().meta()
                                : null));
        return metas;
    }

    @Override
    public JsonNode tree() {
        return LegacyOutgoing.tree(result);
    }

    @Override
    public Outgoing<CallToolResult> withBlockMeta(int block, Map<String, Object> meta) {
        List<McpSchema.Content> content = new ArrayList<>(content());
        content.set(block, copy(block, content.get(block), meta));
        return new ModernOutgoing(new CallToolResult(
                content, result.structuredContent(), result.isError(), result.resultType(), result.meta()));
    }

    private static McpSchema.Content copy(int block, McpSchema.Content content, Map<String, Object> meta) {
        if (content instanceof McpSchema.TextContent text) {
            return new McpSchema.TextContent(text.annotations(), text.text(), meta);
        }
        if (content instanceof McpSchema.EmbeddedResource embedded) {
            return new McpSchema.EmbeddedResource(embedded.annotations(), embedded.resource(), meta);
        }
        if (content instanceof McpSchema.ImageContent image) {
            return new McpSchema.ImageContent(image.annotations(), image.data(), image.mimeType(), meta);
        }
        if (content instanceof McpSchema.AudioContent audio) {
            return new McpSchema.AudioContent(audio.annotations(), audio.data(), audio.mimeType(), meta);
        }
        if (content instanceof McpSchema.ResourceLink link) {
            return new McpSchema.ResourceLink(
                    link.name(),
                    link.title(),
                    link.uri(),
                    link.description(),
                    link.mimeType(),
                    link.size(),
                    link.annotations(),
                    meta);
        }
        throw new IllegalArgumentException("block " + block
                + " is of a kind that can't be labelled from here: give it its `_meta` when you build it, or label the"
                + " whole result");
    }

    @Override
    public CallToolResult result() {
        return result;
    }

    @Override
    public CallToolResult withMeta(Map<String, Object> meta) {
        return new CallToolResult(
                result.content(), result.structuredContent(), result.isError(), result.resultType(), meta);
    }
}
