package dev.sluice.mcpjava.emit;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A result of the stack up to 2025-11-25. */
final class LegacyOutgoing implements Outgoing<CallToolResult> {

    private final CallToolResult result;

    /**
     * Takes a result. One of structured content alone gets its text here, as MCP asks: the SDK would add it behind the
     * label, and forget the label with it.
     */
    LegacyOutgoing(CallToolResult result) {
        boolean bare = result.content() == null || result.content().isEmpty();
        this.result = bare && result.structuredContent() != null
                ? new CallToolResult(
                        List.of(McpSchema.TextContent.builder(json(result.structuredContent()))
                                .build()),
                        result.isError(),
                        result.structuredContent(),
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
        return tree(result);
    }

    /** Returns what the SDK writes for a value. */
    static JsonNode tree(Object value) {
        return PlainJson.parse(json(value));
    }

    /** Returns the text that the SDK writes for a value. */
    static String json(Object value) {
        try {
            return McpJsonDefaults.getMapper().writeValueAsString(value);
        } catch (IOException e) {
            throw new UncheckedIOException("a result can't be written as JSON: return plain data", e);
        }
    }

    @Override
    public Outgoing<CallToolResult> withBlockMeta(int block, Map<String, Object> meta) {
        List<McpSchema.Content> content = new ArrayList<>(content());
        content.set(block, copy(block, content.get(block), meta));
        return new LegacyOutgoing(
                new CallToolResult(content, result.isError(), result.structuredContent(), result.meta()));
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
        return new CallToolResult(result.content(), result.isError(), result.structuredContent(), meta);
    }
}
