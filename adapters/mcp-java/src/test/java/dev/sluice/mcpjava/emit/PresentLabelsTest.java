package dev.sluice.mcpjava.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.wire.TrustAnnotations;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Labels that a result has already when it is labelled. */
class PresentLabelsTest {

    private static final String KEY = TrustAnnotations.KEY;

    private static JsonNode label(CallToolResult result) {
        return PlainJson.tree(result.meta()).path(KEY);
    }

    private static final Map<String, Object> SENSITIVE = Map.of(KEY, Map.of("sensitive", true));

    private static CallToolResult with(McpSchema.Content block) {
        return CallToolResult.builder().addContent(block).build();
    }

    private static McpSchema.Content embedding(Map<String, Object> meta) {
        return McpSchema.EmbeddedResource.builder(
                        new McpSchema.TextResourceContents("file:///x", "text/plain", "x", meta))
                .build();
    }

    @Test
    void labelsThatStandInTheResult_count() {
        for (CallToolResult result : List.of(
                with(new McpSchema.TextContent(null, "t", SENSITIVE)),
                with(new McpSchema.TextContent(null, "t", Map.of("ifc", Map.of("confidentiality", "private")))),
                with(new McpSchema.TextContent(null, "t", Map.of("annotations", Map.of("privateHint", true)))),
                with(embedding(SENSITIVE)))) {
            Exception e = assertThrows(
                    IllegalArgumentException.class,
                    () -> Labels.of(result).notSensitive().trusted().build());
            assertEquals(
                    "the result is called `notSensitive()`, and a part of it `sensitive()`: leave `notSensitive()` out, the"
                            + " whole is what its parts are",
                    e.getMessage());
            assertEquals(
                    "{\"sensitive\":true,\"untrusted\":false}",
                    label(Labels.of(result).trusted().build()).toString());
        }
        CallToolResult outside = with(new McpSchema.TextContent(null, "t", Map.of(KEY, Map.of("untrusted", true))));
        assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(outside).trusted().build());
        assertEquals(
                "{\"sensitive\":true,\"untrusted\":true}",
                label(Labels.of(outside).sensitive().build()).toString());
    }

    @Test
    void labelsThatStandInTheOtherStack_count() {
        var contents = new io.modelcontextprotocol.modern.McpSchema.TextResourceContents(
                "file:///x", "text/plain", "x", SENSITIVE);
        for (io.modelcontextprotocol.modern.McpSchema.Content block :
                List.<io.modelcontextprotocol.modern.McpSchema.Content>of(
                        new io.modelcontextprotocol.modern.McpSchema.TextContent(null, "t", SENSITIVE),
                        new io.modelcontextprotocol.modern.McpSchema.EmbeddedResource(null, contents, null))) {
            var result = io.modelcontextprotocol.modern.McpSchema.CallToolResult.builder()
                    .addContent(block)
                    .build();
            assertThrows(
                    IllegalArgumentException.class,
                    () -> ModernLabels.of(result).notSensitive().trusted().build());
        }
    }

    @Test
    void blockWithWhatItEmbeds_isNeverLess() {
        CallToolResult result = with(embedding(SENSITIVE));

        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(result).block(0, PartLabel::notSensitive).build());
        assertEquals(
                "block 0 is called `notSensitive()`, and a part of it `sensitive()`: leave `notSensitive()` out, the whole is"
                        + " what its parts are",
                e.getMessage());
        CallToolResult raised = Labels.of(result).block(0, PartLabel::trusted).build();
        assertEquals(
                "{\"sensitive\":true,\"untrusted\":false}",
                PlainJson.tree(raised.content().get(0).meta()).path(KEY).toString());
    }

    @Test
    void labelBesideAnIfc_mustNotContradictIt() {
        CallToolResult open = CallToolResult.builder()
                .addTextContent("x")
                .meta(Map.of("ifc", Map.of("integrity", "trusted", "confidentiality", "public")))
                .build();
        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(open).sensitive().build());
        assertEquals(
                "the result is `sensitive`, and its `ifc` says that it is not: leave out which of them is wrong",
                e.getMessage());
        Exception part = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(open).block(0, PartLabel::untrusted).build());
        assertEquals(
                "the result is `untrusted`, and its `ifc` says that it is not: leave out which of them is wrong",
                part.getMessage());

        CallToolResult closed = CallToolResult.builder()
                .addTextContent("x")
                .meta(Map.of("ifc", Map.of("integrity", "untrusted", "confidentiality", "private")))
                .build();
        Exception denied = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(closed).trusted().build());
        assertEquals(
                "the result is called `trusted()`, and its `ifc` says `untrusted`: leave out which of them is wrong",
                denied.getMessage());
        assertEquals(
                "{\"sensitive\":true,\"untrusted\":true}",
                label(Labels.of(closed).sensitive().build()).toString());
    }
}
