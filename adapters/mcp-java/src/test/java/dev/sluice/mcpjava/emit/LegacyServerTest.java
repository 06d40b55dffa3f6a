package dev.sluice.mcpjava.emit;

import static dev.sluice.mcpjava.emit.EvidenceRecord.dataClass;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemes.evidence.Evidence;
import dev.sluice.wire.Claim;
import dev.sluice.wire.DataSource;
import dev.sluice.wire.Destination;
import dev.sluice.wire.Outcome;
import dev.sluice.wire.Sensitivity.Kind;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpSchema.ToolAnnotations;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a server of the older stack sends, read as raw lines. */
class LegacyServerTest {

    private static final Map<String, Object> ANYTHING = Map.of("type", "object");
    private static final String LABEL = "io.modelcontextprotocol/trust-annotations";
    private static final String METADATA = "io.modelcontextprotocol/action-metadata";

    private static final Tool READ = Tool.builder("read", ANYTHING)
            .description("Reads.")
            .annotations(ToolAnnotations.builder().readOnlyHint(true).build())
            .build();
    private static final Tool SEND =
            Tool.builder("send_mail", ANYTHING).meta(Map.of("other", 1)).build();

    private Pipes pipes;
    private McpSyncServer server;

    /** Two annotated methods, of which one answers a tool of another name. */
    static final class Methods {

        @Action(destination = Destination.EPHEMERAL, accepts = Kind.NONE, outcome = Outcome.BENIGN)
        @Returns(
                source = {DataSource.USER, DataSource.UNTRUSTED_PUBLIC},
                sensitivity = Kind.PII,
                regulated = "HIPAA")
        CallToolResult read(CallToolRequest request) {
            CallToolResult result = CallToolResult.builder()
                    .addTextContent("one")
                    .addTextContent("two")
                    .structuredContent(Map.of("items", List.of(Map.of("a", 1), Map.of("a", 2))))
                    .meta(Map.of("mine", true))
                    .build();
            return switch (String.valueOf(request.arguments().get("how"))) {
                case "labelled" ->
                    Labels.of(result)
                            .block(0, part -> part.trusted().evidence(dataClass("public")))
                            .block(1, PartLabel::untrusted)
                            .item("/items/1", part -> part.sensitive().evidence(dataClass("restricted", "HIPAA")))
                            .bareIfc()
                            .fides()
                            .build();
                case "half" -> Labels.of(result).notSensitive().build();
                default -> result;
            };
        }

        @Action(
                tool = "send_mail",
                destination = Destination.PUBLIC,
                accepts = {},
                acceptsRegulated = {"HIPAA", "GDPR"},
                outcome = Outcome.IRREVERSIBLE,
                requiresReview = true)
        @Returns(source = DataSource.SYSTEM, sensitivity = Kind.NONE)
        CallToolResult send(McpSyncServerExchange exchange, CallToolRequest request) {
            Carried carried = Carried.from(request);
            if (carried.untrusted() == Claim.TRUE) {
                return CallToolResult.builder()
                        .addTextContent("refused")
                        .isError(true)
                        .build();
            }
            CallToolResult sent =
                    CallToolResult.builder().addTextContent("sent").build();
            return request.arguments().isEmpty()
                    ? sent
                    : Labels.of(sent).sensitive().build();
        }
    }

    @BeforeEach
    void start() throws IOException {
        pipes = new Pipes();
        List<SyncToolSpecification> tools = new ArrayList<>(LabelledTools.annotated(new Methods(), READ, SEND));
        server = McpServer.sync(new StdioServerTransportProvider(
                        EmittingJsonMapper.usual(), pipes.serverIn(), pipes.serverOut()))
                .serverInfo("s", "1")
                .capabilities(ServerCapabilities.builder()
                        .tools(true)
                        .extensions(Extensions.declared())
                        .build())
                .tools(tools)
                .build();
    }

    @AfterEach
    void stop() throws IOException {
        pipes.close();
        server.close();
    }

    private JsonNode call(String tool, String arguments) throws IOException {
        return pipes.request("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}")
                .path("result");
    }

    @Test
    void extensions_areDeclared() throws IOException {
        JsonNode capabilities = pipes.initialize().path("result").path("capabilities");

        assertEquals(
                "{\"" + LABEL + "\":{},\"" + METADATA + "\":{}}",
                capabilities.path("extensions").toString());
    }

    @Test
    void metadata_standsInBothPlacesOfATool() throws IOException {
        pipes.initialize();

        JsonNode tools = pipes.request("tools/list", "{}").path("result").path("tools");

        String read = "{\"inputMetadata\":{\"destination\":\"ephemeral\",\"sensitivity\":\"none\"},"
                + "\"returnMetadata\":{\"source\":[\"user\",\"untrustedPublic\"],"
                + "\"sensitivity\":[\"pii\",{\"regulated\":{\"scopes\":[\"HIPAA\"]}}]},\"outcome\":\"benign\"}";
        assertEquals("read", tools.path(0).path("name").asString(""));
        assertEquals(
                "{\"readOnlyHint\":true,\"" + METADATA + "\":" + read + "}",
                tools.path(0).path("annotations").toString());
        assertEquals(
                "{\"" + METADATA + "\":" + read + "}",
                tools.path(0).path("_meta").toString());
        String send = "{\"inputMetadata\":{\"destination\":\"public\","
                + "\"sensitivity\":{\"regulated\":{\"scopes\":[\"HIPAA\",\"GDPR\"]}}},"
                + "\"returnMetadata\":{\"source\":\"system\",\"sensitivity\":\"none\"},"
                + "\"outcome\":\"irreversible\",\"requiresReview\":true}";
        assertEquals("send_mail", tools.path(1).path("name").asString(""));
        assertEquals(
                "{\"" + METADATA + "\":" + send + "}",
                tools.path(1).path("annotations").toString());
        assertEquals(
                "{\"other\":1,\"" + METADATA + "\":" + send + "}",
                tools.path(1).path("_meta").toString());
    }

    @Test
    void label_standsInMetaOfTheResultAndItsParts() throws IOException {
        pipes.initialize();

        JsonNode result = call("read", "{\"how\":\"labelled\"}");

        JsonNode label = result.path("_meta").path(LABEL);
        assertTrue(result.path("_meta").path("mine").booleanValue(), "other members stay");
        assertEquals(
                "{\"integrity\":\"untrusted\",\"confidentiality\":\"private\"}",
                result.path("_meta").path("ifc").toString());
        assertEquals(
                List.of("sensitive", "untrusted", "evidenceRef", "dev.sluice/items"),
                List.copyOf(label.propertyNames()));
        assertTrue(label.path("sensitive").booleanValue(), "an item is");
        assertTrue(label.path("untrusted").booleanValue(), "a block is");
        assertEquals("ifc.fides.v1", label.path("evidenceRef").path("type").asString(""));
        assertEquals(
                "sha256:2f03ae0a963ccfea",
                label.path("evidenceRef").path("digest").asString("").substring(0, 23),
                "the digest that the drafts' own cases give for untrusted and private");
        assertEquals(
                "jcs/rfc8785",
                label.path("evidenceRef").path("canonicalization").asString(""));
        JsonNode item = label.path("dev.sluice/items").path("/items/1");
        assertEquals(List.of("sensitive", "evidenceRef"), List.copyOf(item.propertyNames()));
        assertEquals(
                "{\"class\":\"restricted\",\"regulatory\":[\"HIPAA\"]}",
                item.path("evidenceRef").path("dev.sluice/record").toString());
        JsonNode first = result.path("content").path(0).path("_meta").path(LABEL);
        assertFalse(first.path("sensitive").booleanValue(true), "a public record says so");
        assertFalse(first.path("untrusted").booleanValue(true));
        assertEquals(
                "{\"type\":\"text\",\"text\":\"two\",\"_meta\":{\"" + LABEL + "\":{\"untrusted\":true}}}",
                result.path("content").path(1).toString());
        assertEquals(
                "{\"items\":[{\"a\":1},{\"a\":2}]}",
                result.path("structuredContent").toString());
    }

    @Test
    void unlabelledResult_getsTheWorstThatIsDeclared() throws IOException {
        pipes.initialize();

        JsonNode label = call("read", "{}").path("_meta").path(LABEL);

        assertEquals(
                List.of("sensitive", "untrusted", "evidenceRef", "dev.sluice/evidence"),
                List.copyOf(label.propertyNames()));
        assertTrue(label.path("sensitive").booleanValue());
        assertTrue(label.path("untrusted").booleanValue());
        assertEquals(
                "{\"class\":\"pii\"}",
                label.path("evidenceRef").path("dev.sluice/record").toString());
        assertEquals(
                "{\"class\":\"regulated\",\"regulatory\":[\"HIPAA\"]}",
                label.path("dev.sluice/evidence")
                        .path(0)
                        .path("dev.sluice/record")
                        .toString());
    }

    @Test
    void whatALabelLeavesUnsaid_isTheWorstThatIsDeclared() throws IOException {
        pipes.initialize();

        JsonNode label = call("read", "{\"how\":\"half\"}").path("_meta").path(LABEL);

        assertEquals("{\"sensitive\":false,\"untrusted\":true}", label.toString());
    }

    @Test
    void harmlessToolWithoutALabel_claimsNothing() throws IOException {
        pipes.initialize();

        JsonNode result = call("send_mail", "{}");

        assertEquals("{\"content\":[{\"type\":\"text\",\"text\":\"sent\"}],\"isError\":false}", result.toString());
    }

    @Test
    void resultThatContradictsTheDeclaration_isNotSent() throws IOException {
        pipes.initialize();

        JsonNode answer = pipes.request("tools/call", "{\"name\":\"send_mail\",\"arguments\":{\"to\":\"a\"}}");

        assertTrue(
                answer.toString()
                        .contains(
                                "`send_mail` declares that it returns nothing sensitive, and this result is"
                                        + " labelled sensitive: declare in `sensitivity` what it may return; the result is not sent"),
                answer.toString());
        assertTrue(answer.path("result").path("isError").booleanValue(true), answer.toString());
        assertFalse(answer.toString().contains("\"sent\""), answer.toString());
    }

    @Test
    void handler_readsWhatTheCallerCarries() throws IOException {
        pipes.initialize();

        JsonNode refused = pipes.request(
                        "tools/call",
                        "{\"name\":\"send_mail\",\"arguments\":{},\"_meta\":{\"annotations\":{\"openWorldHint\":true}}}")
                .path("result");

        assertEquals("refused", refused.path("content").path(0).path("text").asString(""));
        assertTrue(refused.path("isError").booleanValue());
    }

    private static SyncToolSpecification again(Declaration declaration) {
        return LabelledTools.declare(
                declaration,
                new SyncToolSpecification(
                        READ,
                        (exchange, request) ->
                                CallToolResult.builder().addTextContent("new").build()));
    }

    @Test
    void replacedTool_isTold_andListedAnew() throws IOException {
        pipes.initialize();
        Declaration changed = Declaration.builder()
                .destination(Destination.EPHEMERAL)
                .accepts(Kind.NONE)
                .outcome(Outcome.BENIGN)
                .source(DataSource.SYSTEM)
                .returns(Kind.NONE)
                .build();

        assertTrue(LabelledTools.replace(server, again(changed)), "its metadata changed");

        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}",
                pipes.notification("notifications/tools/list_changed").toString());
        JsonNode tools = pipes.request("tools/list", "{}").path("result").path("tools");
        List<String> sources = new ArrayList<>();
        tools.forEach(tool -> sources.add(tool.path("name").asString("") + " "
                + tool.path("annotations").path(METADATA).path("returnMetadata").path("source")));
        sources.sort(null);
        assertEquals(List.of("read \"system\"", "send_mail \"system\""), sources);
        assertFalse(LabelledTools.replace(server, again(changed)), "now it is the same");
    }

    @Test
    void toolThatDeclaresNothing_replacesNone() throws IOException {
        pipes.initialize();
        SyncToolSpecification bare = new SyncToolSpecification(
                SEND, (exchange, request) -> CallToolResult.builder().build());

        Exception e = assertThrows(IllegalArgumentException.class, () -> LabelledTools.replace(server, bare));

        assertEquals("the tool `send_mail` declares nothing: make it with `LabelledTools.declare`", e.getMessage());
    }

    /** The SDK itself would add a text to such a result, and forget all of its {@code _meta}. */
    @Test
    void structuredContentAlone_keepsItsLabel_andTheSignatureHolds() throws IOException {
        SignedRecords signed = new SignedRecords();
        Tool tool = Tool.builder("t", ANYTHING).outputSchema(ANYTHING).build();
        try (Pipes others = new Pipes()) {
            McpSyncServer structured = McpServer.sync(new StdioServerTransportProvider(
                            EmittingJsonMapper.usual(), others.serverIn(), others.serverOut()))
                    .capabilities(ServerCapabilities.builder().tools(true).build())
                    .toolCall(
                            tool,
                            (exchange, request) -> Labels.of(CallToolResult.builder()
                                            .structuredContent(Map.of("n", 1.5))
                                            .build())
                                    .store(signed.store())
                                    .evidence(dataClass("pii"))
                                    .build())
                    .build();
            others.initialize();

            JsonNode result = others.request("tools/call", "{\"name\":\"t\",\"arguments\":{}}")
                    .path("result");

            assertEquals(
                    "{\"n\":1.5}", result.path("content").path(0).path("text").asString(""));
            assertTrue(result.path("_meta").path(LABEL).path("sensitive").booleanValue(), result.toString());
            assertEquals(List.of(Evidence.Outcome.VERIFIED_BOUND), signed.checked(result));
            structured.close();
        }
    }

    @Test
    void serverWhoseListDoesNotChange_refusesToReplaceATool() throws IOException {
        try (Pipes others = new Pipes()) {
            McpSyncServer fixed = McpServer.sync(new StdioServerTransportProvider(
                            EmittingJsonMapper.usual(), others.serverIn(), others.serverOut()))
                    .capabilities(ServerCapabilities.builder().tools(false).build())
                    .build();
            SyncToolSpecification tool =
                    LabelledTools.annotated(new Methods(), READ, SEND).get(0);

            Exception e = assertThrows(IllegalStateException.class, () -> LabelledTools.replace(fixed, tool));

            assertEquals(
                    "the server does not declare `tools.listChanged`, so that clients would keep the old definition of"
                            + " `read`: build it with `capabilities` of `tools(true)`",
                    e.getMessage());
            fixed.close();
        }
    }
}
