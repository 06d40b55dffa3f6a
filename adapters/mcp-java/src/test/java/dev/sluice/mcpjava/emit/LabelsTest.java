package dev.sluice.mcpjava.emit;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;
import static dev.sluice.mcpjava.emit.EvidenceRecord.fides;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.Claim;
import dev.sluice.wire.TrustAnnotations;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What labels say, what they imply, and what they refuse. */
class LabelsTest {

    private static final String KEY = TrustAnnotations.KEY;

    private static CallToolResult result() {
        return CallToolResult.builder()
                .addTextContent("one")
                .structuredContent(Map.of("items", List.of("a", "b"), "x/y", 1))
                .build();
    }

    private static JsonNode label(CallToolResult result) {
        return PlainJson.tree(result.meta()).path(KEY);
    }

    @Test
    void recordOfAClassThatIsNotPublic_makesTheResultSensitive() {
        for (String name : List.of("internal", "confidential", "highly_confidential", "pii", "com.acme.secret")) {
            assertTrue(
                    label(Labels.of(result()).evidence(dataClass(name)).build())
                            .path("sensitive")
                            .booleanValue(),
                    name);
        }
    }

    @Test
    void recordOfIntegrityAndConfidentiality_makesBothClaims() {
        JsonNode label = label(
                Labels.of(result()).evidence(fides("untrusted", "private")).build());
        assertEquals("true true", label.path("sensitive") + " " + label.path("untrusted"));

        label = label(Labels.of(result()).evidence(fides("trusted", "public")).build());
        assertEquals("false false", label.path("sensitive") + " " + label.path("untrusted"));
    }

    @Test
    void severalRecords_standInTheOneSlotAndBesideIt() {
        JsonNode label = label(Labels.of(result())
                .untrusted()
                .evidence(dataClass("restricted", "HIPAA", "GDPR").labels("com.acme.ward7"))
                .evidence(dataClass("pii").policyRef("urn:sluice:vocabulary:sep-2061"))
                .build());

        assertEquals(
                "{\"class\":\"restricted\",\"regulatory\":[\"HIPAA\",\"GDPR\"],\"labels\":[\"com.acme.ward7\"]}",
                label.path("evidenceRef").path("dev.sluice/record").toString());
        assertEquals(
                "{\"class\":\"pii\",\"policyRef\":\"urn:sluice:vocabulary:sep-2061\"}",
                label.path("dev.sluice/evidence")
                        .path(0)
                        .path("dev.sluice/record")
                        .toString());
    }

    @Test
    void otherThanResults_getAMetaOfTheirOwn() {
        Map<String, Object> meta = Labels.meta(part -> part.untrusted().evidence(dataClass("pii")));

        JsonNode contents = LegacyOutgoing.tree(McpSchema.ReadResourceResult.builder(
                        List.of(new McpSchema.TextResourceContents("file:///x", "text/plain", "x", meta)))
                .build());
        var claims = TrustAnnotations.decodeResult(contents).value().claims();
        assertEquals("TRUE TRUE", claims.untrusted() + " " + claims.sensitive());
        Exception e = assertThrows(IllegalArgumentException.class, () -> Labels.meta(part -> {}));
        assertTrue(e.getMessage().startsWith("the label of the part says nothing: "), e.getMessage());
    }

    @Test
    void nothingElseOfAResult_isTouched() {
        Map<String, Object> data = Map.of("exact", new BigDecimal("1.10"));
        CallToolResult before = CallToolResult.builder()
                .addTextContent("one")
                .structuredContent(data)
                .isError(true)
                .meta(Map.of("a", 1))
                .build();

        CallToolResult after = Labels.of(before).sensitive().build();

        assertSame(data, after.structuredContent());
        assertEquals(before.content(), after.content());
        assertEquals(true, after.isError());
        assertEquals(Map.of("a", 1, KEY, Map.of("sensitive", true)), after.meta());
    }

    @Test
    void blocksOfEveryKind_keepAllButTheirMeta() {
        McpSchema.Annotations annotations =
                McpSchema.Annotations.builder().priority(0.5).build();
        Map<String, Object> meta = Map.of("a", 1);
        List<McpSchema.Content> blocks = List.of(
                new McpSchema.TextContent(annotations, "t", meta),
                new McpSchema.ImageContent(annotations, "aW1n", "image/png", meta),
                new McpSchema.AudioContent(annotations, "YXVk", "audio/wav", meta),
                new McpSchema.EmbeddedResource(
                        annotations,
                        McpSchema.TextResourceContents.builder("file:///x", "x").build(),
                        meta),
                new McpSchema.ResourceLink("n", "t", "file:///x", "d", "text/plain", 3L, annotations, meta));
        Labels<CallToolResult> labels =
                Labels.of(CallToolResult.builder().content(blocks).build());
        for (int i = 0; i < blocks.size(); i++) {
            labels.block(i, PartLabel::untrusted);
        }

        CallToolResult after = labels.build();

        for (int i = 0; i < blocks.size(); i++) {
            JsonNode expected = LegacyOutgoing.tree(blocks.get(i));
            ((tools.jackson.databind.node.ObjectNode) expected.path("_meta"))
                    .putObject(KEY)
                    .put("untrusted", true);
            assertEquals(expected, LegacyOutgoing.tree(after.content().get(i)));
        }
    }

    @Test
    void blocksOfTheOtherStack_keepAllButTheirMeta() {
        var annotations =
                io.modelcontextprotocol.modern.McpSchema.Annotations.builder().build();
        Map<String, Object> meta = Map.of("a", 1);
        List<io.modelcontextprotocol.modern.McpSchema.Content> blocks = List.of(
                new io.modelcontextprotocol.modern.McpSchema.TextContent(annotations, "t", meta),
                new io.modelcontextprotocol.modern.McpSchema.ImageContent(annotations, "aW1n", "image/png", meta),
                new io.modelcontextprotocol.modern.McpSchema.AudioContent(annotations, "YXVk", "audio/wav", meta),
                new io.modelcontextprotocol.modern.McpSchema.EmbeddedResource(
                        annotations,
                        io.modelcontextprotocol.modern.McpSchema.TextResourceContents.builder("file:///x", "x")
                                .build(),
                        meta),
                new io.modelcontextprotocol.modern.McpSchema.ResourceLink(
                        "n", "t", "file:///x", "d", "text/plain", 3L, annotations, meta));
        var labels = ModernLabels.of(io.modelcontextprotocol.modern.McpSchema.CallToolResult.builder()
                .content(blocks)
                .build());
        for (int i = 0; i < blocks.size(); i++) {
            labels.block(i, PartLabel::untrusted);
        }

        var after = labels.build();

        for (int i = 0; i < blocks.size(); i++) {
            JsonNode expected = LegacyOutgoing.tree(blocks.get(i));
            ((tools.jackson.databind.node.ObjectNode) expected.path("_meta"))
                    .putObject(KEY)
                    .put("untrusted", true);
            assertEquals(expected, LegacyOutgoing.tree(after.content().get(i)));
        }
    }

    private static Arguments bad(String fault, Consumer<Labels<CallToolResult>> label, String message) {
        return Arguments.of(fault, label, message);
    }

    static List<Arguments> badLabels() {
        return List.of(
                bad(
                        "nothing-said",
                        labels -> {},
                        "the label of the result says nothing: call `sensitive()` or `notSensitive()`, `untrusted()` or"
                                + " `trusted()`, or leave it out"),
                bad(
                        "both-said",
                        labels -> labels.sensitive().notSensitive(),
                        "the result is called `sensitive()` and `notSensitive()`: say one of them"),
                bad(
                        "both-said-of-trust",
                        labels -> labels.trusted().untrusted(),
                        "the result is called `untrusted()` and `trusted()`: say one of them"),
                bad(
                        "denied-though-the-record-says-it",
                        labels -> labels.notSensitive().evidence(dataClass("confidential")),
                        "the result is called `notSensitive()`, and its record `data-class.v1` says `sensitive`: leave out"
                                + " which of them is wrong"),
                bad(
                        "trusted-though-the-record-says-otherwise",
                        labels -> labels.trusted().evidence(fides("untrusted", "public")),
                        "the result is called `trusted()`, and its record `ifc.fides.v1` says `untrusted`: leave out which of"
                                + " them is wrong"),
                bad(
                        "sensitive-though-the-record-says-public",
                        labels -> labels.sensitive().evidence(dataClass("public")),
                        "the result is `sensitive`, and its record `data-class.v1` says that it is not: leave out which of"
                                + " them is wrong"),
                bad(
                        "records-that-contradict-each-other",
                        labels -> labels.evidence(dataClass("confidential")).evidence(fides("trusted", "public")),
                        "the result is `sensitive`, and its record `ifc.fides.v1` says that it is not: leave out which of"
                                + " them is wrong"),
                bad(
                        "whole-less-than-its-block",
                        labels -> labels.trusted().block(0, PartLabel::untrusted),
                        "the result is called `trusted()`, and a part of it `untrusted()`: leave `trusted()` out, the whole"
                                + " is what its parts are"),
                bad(
                        "whole-less-than-its-item",
                        labels -> labels.notSensitive().item("/items/0", PartLabel::sensitive),
                        "the result is called `notSensitive()`, and a part of it `sensitive()`: leave `notSensitive()` out,"
                                + " the whole is what its parts are"),
                bad(
                        "empty-part",
                        labels -> labels.sensitive().block(0, part -> {}),
                        "the label of block 0 says nothing: call `sensitive()` or `notSensitive()`, `untrusted()` or"
                                + " `trusted()`, or leave it out"),
                bad(
                        "no-such-block",
                        labels -> labels.block(1, PartLabel::untrusted),
                        "there is no block 1: the result has 1, counted from 0"),
                bad(
                        "block-before-the-first",
                        labels -> labels.block(-1, PartLabel::untrusted),
                        "there is no block -1: the result has 1, counted from 0"),
                bad(
                        "no-such-item",
                        labels -> labels.item("/items/2", PartLabel::untrusted),
                        "the item `/items/2` leads to nothing in `structuredContent`: give a JSON Pointer that starts"
                                + " there"),
                bad(
                        "half-of-a-scheme",
                        labels -> labels.sensitive().fides(),
                        "`fides()` of the result needs both claims: call `untrusted()` or `trusted()` too"),
                bad(
                        "half-of-a-bare-label",
                        labels -> labels.untrusted().bareIfc(),
                        "`bareIfc()` of the result needs both claims: call `sensitive()` or `notSensitive()` too"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badLabels")
    void badLabel_isRefused(String fault, Consumer<Labels<CallToolResult>> say, String message) {
        Labels<CallToolResult> labels = Labels.of(result());

        Exception e = assertThrows(IllegalArgumentException.class, () -> {
            say.accept(labels);
            labels.build();
        });

        assertEquals(message, e.getMessage(), fault);
    }

    @Test
    void pointerThatIsNone_isRefused() {
        Labels<CallToolResult> labels = Labels.of(result()).item("items", PartLabel::untrusted);

        Exception e = assertThrows(IllegalArgumentException.class, labels::build);

        assertTrue(e.getMessage().contains("`items`"), e.getMessage());
    }

    @Test
    void pointerWithAnEscapedStep_leadsToItsItem() {
        JsonNode label =
                label(Labels.of(result()).item("/x~1y", PartLabel::trusted).build());

        assertEquals("{\"dev.sluice/items\":{\"/x~1y\":{\"untrusted\":false}}}", label.toString());
    }

    @Test
    void labelledTwice_isRefused() {
        CallToolResult once =
                Labels.of(result()).sensitive().block(0, PartLabel::sensitive).build();

        Exception whole = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(once).untrusted().build());
        assertEquals("the result has a label already: label it once", whole.getMessage());
        CallToolResult bare = CallToolResult.builder().content(once.content()).build();
        Exception block = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(bare).block(0, PartLabel::untrusted).build());
        assertEquals("block 0 has a label already: label it once", block.getMessage());
    }

    @Test
    void blockOfAnUnknownKind_isRefused() {
        McpSchema.Content strange = () -> Map.of();
        CallToolResult result = CallToolResult.builder().addContent(strange).build();

        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(result).block(0, PartLabel::untrusted).build());

        assertEquals(
                "block 0 is of a kind that can't be labelled from here: give it its `_meta` when you build it, or label the"
                        + " whole result",
                e.getMessage());
    }

    @Test
    void resultWithItsOwnIfc_isNotGivenAnother() {
        CallToolResult result =
                CallToolResult.builder().meta(Map.of("ifc", Map.of())).build();

        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> Labels.of(result).sensitive().trusted().bareIfc().build());

        assertEquals("the result has an `ifc` of its own: leave `bareIfc()` out", e.getMessage());
    }

    /** Whatever is said in whichever order: a label that is built never says less than a record or a part of it. */
    @Test
    void anyLabel_neverSaysLessThanItsRecordsAndParts() {
        SplittableRandom random = new SplittableRandom(7);
        List<String> outcomes = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            boolean sensitive = random.nextInt(4) == 0;
            boolean untrusted = random.nextInt(4) == 0;
            boolean denied = random.nextInt(4) == 0;
            Labels<CallToolResult> labels = Labels.of(result());
            if (denied) {
                labels.notSensitive().trusted();
            }
            switch (random.nextInt(3)) {
                case 0 -> {
                    labels.evidence(fides(untrusted ? "untrusted" : "trusted", sensitive ? "private" : "public"));
                }
                case 1 -> {
                    labels.block(0, part -> say(part, sensitive, untrusted));
                }
                default -> {
                    labels.item("/items/0", part -> say(part, sensitive, untrusted));
                }
            }
            boolean contradiction = denied && (sensitive || untrusted);
            if (contradiction) {
                assertThrows(IllegalArgumentException.class, labels::build);
            } else {
                var claims = TrustAnnotations.decodeResult(LegacyOutgoing.tree(labels.build()))
                        .value()
                        .claims();
                assertTrue(!sensitive || claims.sensitive() == Claim.TRUE);
                assertTrue(!untrusted || claims.untrusted() == Claim.TRUE);
            }
            outcomes.add(contradiction + " " + sensitive + " " + untrusted);
        }
        assertEquals(7, outcomes.stream().distinct().count(), "every case was met");
    }

    private static void say(PartLabel part, boolean sensitive, boolean untrusted) {
        if (sensitive) {
            part.sensitive();
        } else {
            part.notSensitive();
        }
        if (untrusted) {
            part.untrusted();
        } else {
            part.trusted();
        }
    }
}
