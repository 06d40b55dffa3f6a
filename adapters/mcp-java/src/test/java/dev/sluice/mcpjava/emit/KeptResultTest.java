package dev.sluice.mcpjava.emit;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity.Kind;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Results whose label is held against what their tool declares, and against itself. */
class KeptResultTest {

    private static final String LABEL = "io.modelcontextprotocol/trust-annotations";
    private static final Tool TOOL = Tool.builder("t", Map.of("type", "object")).build();

    private static Declaration.Builder whole() {
        return Declaration.builder()
                .destination(Destination.PUBLIC)
                .accepts(Kind.NONE)
                .outcome(Outcome.IRREVERSIBLE)
                .source(DataSource.UNTRUSTED_PUBLIC)
                .returns(Kind.PII);
    }

    private static CallToolResult sent(Declaration declaration, CallToolResult result) {
        return LabelledTools.declare(declaration, new SyncToolSpecification(TOOL, (exchange, r) -> result))
                .callHandler()
                .apply(null, CallToolRequest.builder("t").arguments(Map.of()).build());
    }

    private static Labels<CallToolResult> label() {
        return Labels.of(CallToolResult.builder()
                .addTextContent("x")
                .structuredContent(Map.of("a", 1))
                .build());
    }

    private static CallToolResult marked(Map<String, Object> meta) {
        return CallToolResult.builder().addTextContent("x").meta(meta).build();
    }

    static List<Arguments> undeclaredKinds() {
        return List.of(
                Arguments.of(
                        "class", label().evidence(dataClass("credentials")).build(), "`credentials`", "`sensitivity`"),
                Arguments.of(
                        "class-in-capitals", label().evidence(dataClass("USER")).build(), "`user`", "`sensitivity`"),
                Arguments.of(
                        "class-of-the-vocabulary",
                        label().evidence(dataClass("financial").policyRef("urn:sluice:vocabulary:sep-2061"))
                                .build(),
                        "`financial`",
                        "`sensitivity`"),
                Arguments.of(
                        "regime-of-a-class-that-is-declared",
                        label().evidence(dataClass("pii", "GDPR", "HIPAA")).build(),
                        "`HIPAA`",
                        "`regulated`"),
                Arguments.of(
                        "regime-of-an-organisation's-class",
                        label().evidence(dataClass("restricted", "HIPAA")).build(),
                        "`HIPAA`",
                        "`regulated`"),
                Arguments.of(
                        "second-record",
                        label().evidence(dataClass("pii"))
                                .evidence(dataClass("credentials"))
                                .build(),
                        "`credentials`",
                        "`sensitivity`"),
                Arguments.of(
                        "record-of-a-block",
                        label().block(0, part -> part.evidence(dataClass("credentials")))
                                .build(),
                        "`credentials`",
                        "`sensitivity`"),
                Arguments.of(
                        "record-of-an-item",
                        label().item("/a", part -> part.evidence(dataClass("credentials")))
                                .build(),
                        "`credentials`",
                        "`sensitivity`"),
                Arguments.of(
                        "kind-in-the-words-of-sep-1913",
                        marked(Map.of(
                                "annotations",
                                Map.of("returnMetadata", Map.of("source", "user", "sensitivity", "financial")))),
                        "`financial`",
                        "`sensitivity`"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("undeclaredKinds")
    void resultOfAKindThatIsNotDeclared_isNotSent(String fault, CallToolResult result, String word, String member) {
        Declaration declaration = whole().returnsRegulated("gdpr").build();

        Exception e = assertThrows(IllegalStateException.class, () -> sent(declaration, result));

        assertEquals(
                "`t` does not declare that it returns " + word
                        + ", and the label of this result names it: declare it in " + member
                        + "; the result is not sent",
                e.getMessage(),
                fault);
    }

    @Test
    void resultWhoseClassesAreDeclaredOrOfOtherVocabularies_isSent() {
        Declaration declaration = whole().returnsRegulated("HIPAA").build();
        for (EvidenceRecord record : List.of(
                dataClass("personal"),
                dataClass("confidential"),
                dataClass("com.acme.secret").labels("com.acme.ward7"),
                dataClass("pii", "hipaa"),
                dataClass("regulated", "HIPAA"),
                dataClass("user", "rule 7").policyRef("https://acme.example/classes"),
                EvidenceRecord.fides("untrusted", "private"))) {
            CallToolResult labelled = label().untrusted().evidence(record).build();

            assertEquals(labelled, sent(declaration, labelled));
        }
    }

    @Test
    void resultOfTwoMinds_isNotSent() {
        Map<String, Object> sensitive = Map.of(LABEL, Map.of("sensitive", true));
        Map<String, Object> denied = Map.of(LABEL, Map.of("sensitive", false));
        McpSchema.Content embedded = McpSchema.EmbeddedResource.builder(
                        new McpSchema.TextResourceContents("file:///x", "text/plain", "x", sensitive))
                .build();
        for (CallToolResult result : List.of(
                marked(Map.of(LABEL, Map.of("sensitive", true), "ifc", Map.of("confidentiality", "public"))),
                marked(Map.of(LABEL, Map.of("sensitive", false), "ifc", Map.of("confidentiality", "private"))),
                CallToolResult.builder()
                        .addContent(new McpSchema.TextContent(null, "x", sensitive))
                        .meta(denied)
                        .build(),
                CallToolResult.builder().addContent(embedded).meta(denied).build(),
                marked(Map.of(
                        LABEL, Map.of("sensitive", false, Labels.ITEMS, Map.of("/a", Map.of("sensitive", true))))))) {
            Exception e = assertThrows(IllegalStateException.class, () -> sent(whole().build(), result));
            assertEquals(
                    "a result of `t` calls itself not sensitive, and itself or a part of it sensitive in another of its"
                            + " labels: leave out which of them is wrong; the result is not sent",
                    e.getMessage());
        }
        Exception e = assertThrows(
                IllegalStateException.class,
                () -> sent(
                        whole().build(),
                        marked(Map.of(LABEL, Map.of("untrusted", true), "ifc", Map.of("integrity", "trusted")))));
        assertEquals(
                "a result of `t` calls itself trusted, and itself or a part of it untrusted in another of its labels: leave"
                        + " out which of them is wrong; the result is not sent",
                e.getMessage());
    }

    @Test
    void sensitiveContentsOfAnEmbeddedResource_contradictADeclarationOfNone() {
        Declaration none = Declaration.builder()
                .destination(Destination.EPHEMERAL)
                .accepts(Kind.NONE)
                .outcome(Outcome.BENIGN)
                .source(DataSource.INTERNAL)
                .returns(Kind.NONE)
                .build();
        CallToolResult result = CallToolResult.builder()
                .addContent(McpSchema.EmbeddedResource.builder(new McpSchema.TextResourceContents(
                                "file:///x", "text/plain", "x", Map.of(LABEL, Map.of("sensitive", true))))
                        .build())
                .build();

        Exception e = assertThrows(IllegalStateException.class, () -> sent(none, result));

        assertTrue(e.getMessage().startsWith("`t` declares that it returns nothing sensitive, "), e.getMessage());
    }

    /** What its author says in an {@code ifc} is a label: nothing is put beside it that says the opposite. */
    @Test
    void resultWithAnIfc_isFilledWithWhatThatLeavesOpen() {
        CallToolResult both = marked(Map.of("ifc", Map.of("integrity", "trusted", "confidentiality", "public")));
        assertEquals(both, sent(whole().build(), both));

        CallToolResult half = marked(Map.of("ifc", Map.of("confidentiality", "public")));
        assertEquals(
                "{\"sensitive\":false,\"untrusted\":true}",
                PlainJson.tree(sent(whole().build(), half).meta()).path(LABEL).toString());

        CallToolResult beside =
                marked(Map.of(LABEL, Map.of("untrusted", true), "ifc", Map.of("confidentiality", "public")));
        assertEquals(beside, sent(whole().build(), beside));
    }
}
