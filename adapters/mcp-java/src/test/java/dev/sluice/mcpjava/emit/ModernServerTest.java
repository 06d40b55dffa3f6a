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
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema.CallToolOutcome;
import io.modelcontextprotocol.modern.McpSchema.CallToolRequest;
import io.modelcontextprotocol.modern.McpSchema.CallToolResult;
import io.modelcontextprotocol.modern.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.modern.McpSchema.Implementation;
import io.modelcontextprotocol.modern.McpSchema.InputRequiredResult;
import io.modelcontextprotocol.modern.McpSchema.TextContent;
import io.modelcontextprotocol.modern.McpSchema.Tool;
import io.modelcontextprotocol.modern.server.McpAsyncResponse;
import io.modelcontextprotocol.modern.server.McpRequestContext;
import io.modelcontextprotocol.modern.server.McpServer;
import io.modelcontextprotocol.modern.server.McpSyncResponse;
import io.modelcontextprotocol.modern.server.feature.McpAsyncTool;
import io.modelcontextprotocol.modern.server.feature.McpSyncTool;
import io.modelcontextprotocol.modern.server.transport.StdioMcpTransport;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/** What a server of the stack of 2026-07-28 sends, read as raw lines. */
class ModernServerTest {

    private static final Map<String, Object> ANYTHING = Map.of("type", "object");
    private static final String LABEL = "io.modelcontextprotocol/trust-annotations";
    private static final String METADATA = "io.modelcontextprotocol/action-metadata";
    private static final String META = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}";
    private static final Tool READ = Tool.builder("read", ANYTHING).build();
    private static final Declaration PUBLIC_READ = Declaration.builder()
            .destination(Destination.EPHEMERAL)
            .accepts(Kind.NONE)
            .outcome(Outcome.BENIGN)
            .source(DataSource.UNTRUSTED_PUBLIC)
            .returns(Kind.NONE)
            .build();

    private static final Declaration PRIVATE_READ = Declaration.builder()
            .destination(Destination.EPHEMERAL)
            .accepts(Kind.NONE)
            .outcome(Outcome.BENIGN)
            .source(DataSource.USER)
            .returns(Kind.PII)
            .build();

    private Pipes pipes;
    private ModernTools tools;
    private McpServer server;
    private Disposable serving;

    /** One annotated method. */
    static final class Methods {

        @Action(destination = Destination.EPHEMERAL, accepts = Kind.NONE, outcome = Outcome.BENIGN)
        @Returns(source = DataSource.UNTRUSTED_PUBLIC, sensitivity = Kind.PII)
        static CallToolOutcome read(McpRequestContext context, CallToolRequest request) {
            CallToolResult result = CallToolResult.builder()
                    .addContent(TextContent.builder("one").build())
                    .structuredContent(List.of(1, 2))
                    .build();
            if (Carried.from(request.meta()).sensitive() == Claim.TRUE) {
                return result;
            }
            return ModernLabels.of(result)
                    .untrusted()
                    .block(0, part -> part.sensitive().evidence(dataClass("confidential")))
                    .item("/1", PartLabel::trusted)
                    .build();
        }
    }

    @BeforeEach
    void start() throws IOException {
        pipes = new Pipes();
        tools = ModernTools.annotated(new Methods(), READ);
        server = McpServer.builder()
                .serverInfo(Implementation.builder("s", "1").build())
                .feature(tools.feature())
                .subscriptions(tools.changes())
                .build();
        serving = new StdioMcpTransport(server, EmittingJsonMapper.usual(), pipes.serverIn(), pipes.serverOut())
                .start()
                .subscribe();
    }

    @AfterEach
    void stop() throws IOException {
        serving.dispose();
        server.closeGracefully();
        pipes.close();
    }

    private JsonNode request(String method, String params) throws IOException {
        return request(method, params, "");
    }

    private JsonNode request(String method, String params, String meta) throws IOException {
        return pipes.request(method, "{" + params + "\"_meta\":{" + META + meta + "}}")
                .path("result");
    }

    @Test
    void extensions_areDeclared() throws IOException {
        JsonNode extensions =
                request("server/discover", "").path("capabilities").path("extensions");

        assertEquals(Set.of(LABEL, METADATA), Set.copyOf(extensions.propertyNames()));
        extensions.forEach(settings -> assertEquals("{}", settings.toString()));
    }

    @Test
    void metadata_standsInBothPlacesOfATool() throws IOException {
        JsonNode tool = request("tools/list", "").path("tools").path(0);

        String metadata =
                "{\"" + METADATA + "\":{\"inputMetadata\":{\"destination\":\"ephemeral\",\"sensitivity\":\"none\"},"
                        + "\"returnMetadata\":{\"source\":\"untrustedPublic\",\"sensitivity\":\"pii\"},\"outcome\":\"benign\"}}";
        assertEquals(metadata, tool.path("annotations").toString());
        assertEquals(metadata, tool.path("_meta").toString());
    }

    @Test
    void label_standsInMetaOfTheResultAndItsParts() throws IOException {
        JsonNode result = request("tools/call", "\"name\":\"read\",\"arguments\":{},");

        assertEquals(
                "{\"sensitive\":true,\"untrusted\":true,\"dev.sluice/items\":{\"/1\":{\"untrusted\":false}}}",
                result.path("_meta").path(LABEL).toString());
        JsonNode block = result.path("content").path(0).path("_meta").path(LABEL);
        assertTrue(block.path("sensitive").booleanValue());
        assertEquals(
                "{\"class\":\"confidential\"}",
                block.path("evidenceRef").path("dev.sluice/record").toString());
        assertEquals("complete", result.path("resultType").asString(""));
        assertEquals("[1,2]", result.path("structuredContent").toString());
    }

    @Test
    void unlabelledResult_getsTheWorstThatIsDeclared_andTheCallerIsRead() throws IOException {
        JsonNode result = request(
                "tools/call", "\"name\":\"read\",\"arguments\":{},", ",\"annotations\":{\"sensitiveHint\":\"low\"}");

        JsonNode label = result.path("_meta").path(LABEL);
        assertEquals(
                List.of("sensitive", "untrusted", "evidenceRef"), List.copyOf(label.propertyNames()), label.toString());
        assertTrue(label.path("sensitive").booleanValue());
        assertTrue(label.path("untrusted").booleanValue());
    }

    private static McpSyncTool streaming(Declaration declaration, boolean sensitive) {
        return ModernTools.declare(
                declaration,
                McpSyncTool.of(
                        READ,
                        (context, request) -> McpSyncResponse.streaming(notifier -> {
                            CallToolResult result = CallToolResult.builder()
                                    .addContent(TextContent.builder("streamed").build())
                                    .build();
                            return sensitive
                                    ? ModernLabels.of(result).sensitive().build()
                                    : result;
                        })));
    }

    @Test
    void streamedResult_isLabelledToo_andKeptToItsDeclaration() throws IOException {
        tools.replace(streaming(PUBLIC_READ, false));
        JsonNode result = request("tools/call", "\"name\":\"read\",\"arguments\":{},");
        assertEquals("{\"untrusted\":true}", result.path("_meta").path(LABEL).toString());

        tools.replace(streaming(PUBLIC_READ, true));
        JsonNode answer = pipes.request("tools/call", "{\"name\":\"read\",\"arguments\":{},\"_meta\":{" + META + "}}");
        assertEquals(
                "{\"code\":-32603,\"message\":\"`read` declares that it returns nothing sensitive, and this result is"
                        + " labelled sensitive: declare in `sensitivity` what it may return; the result is not sent\"}",
                answer.path("error").toString());
    }

    @Test
    void structuredContentAlone_keepsItsLabel_andTheSignatureHolds() throws IOException {
        SignedRecords signed = new SignedRecords();
        tools.replace(ModernTools.declare(
                PRIVATE_READ,
                McpSyncTool.of(
                        READ,
                        (context, request) -> McpSyncResponse.result(ModernLabels.of(CallToolResult.builder()
                                        .structuredContent(List.of("a", 1.5))
                                        .build())
                                .store(signed.store())
                                .evidence(dataClass("pii"))
                                .build()))));

        JsonNode result = request("tools/call", "\"name\":\"read\",\"arguments\":{},");

        assertEquals("[\"a\",1.5]", result.path("content").path(0).path("text").asString(""));
        assertEquals(List.of(Evidence.Outcome.VERIFIED_BOUND), signed.checked(result));
    }

    @Test
    void asyncTool_isLabelledToo() {
        CallToolResult plain = CallToolResult.builder()
                .addContent(TextContent.builder("x").build())
                .build();
        for (McpAsyncTool tool : List.of(
                McpAsyncTool.of(READ, (context, request) -> Mono.just(McpAsyncResponse.result(plain))),
                McpAsyncTool.of(
                        READ,
                        (context, request) -> Mono.just(McpAsyncResponse.streaming(notifier -> Mono.just(plain)))))) {
            McpAsyncTool declared = ModernTools.declare(PUBLIC_READ, tool);
            McpAsyncResponse<CallToolOutcome> response =
                    declared.handler().call(null, null).block();
            CallToolOutcome outcome = response instanceof McpAsyncResponse.Result<CallToolOutcome> result
                    ? result.result()
                    : ((McpAsyncResponse.Streaming<CallToolOutcome>) response)
                            .body()
                            .run(null)
                            .block();
            assertEquals(Map.of(LABEL, Map.of("untrusted", true)), outcome.meta());
            assertTrue(declared.definition().meta().containsKey(METADATA));
        }
    }

    @Test
    void replacedTool_isTold_onlyWhereItsDefinitionChanged() throws IOException {
        pipes.send("{\"jsonrpc\":\"2.0\",\"id\":\"listen\",\"method\":\"subscriptions/listen\",\"params\":{"
                + "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{" + META + "}}}");
        pipes.notification("notifications/subscriptions/acknowledged");

        assertTrue(tools.replace(streaming(PUBLIC_READ, false)), "its metadata changed");
        pipes.notification("notifications/tools/list_changed");
        assertFalse(tools.replace(streaming(PUBLIC_READ, true)), "its definition is the same");
        assertEquals(
                "\"none\"",
                request("tools/list", "")
                        .path("tools")
                        .path(0)
                        .path("annotations")
                        .path(METADATA)
                        .path("returnMetadata")
                        .path("sensitivity")
                        .toString());
    }

    @Test
    void unknownTool_isAnErrorOfTheSdk() throws IOException {
        JsonNode answer = pipes.request("tools/call", "{\"name\":\"other\",\"arguments\":{},\"_meta\":{" + META + "}}");

        assertEquals(-32602, answer.path("error").path("code").intValue());
    }

    private static InputRequiredResult.Builder question() {
        return InputRequiredResult.builder()
                .elicit(
                        "which",
                        ElicitFormRequest.builder("Ann or Bob?", ANYTHING).build());
    }

    private static CallToolOutcome asked(Declaration declaration, InputRequiredResult question) {
        McpSyncTool tool = ModernTools.declare(
                declaration, McpSyncTool.of(READ, (context, request) -> McpSyncResponse.result(question)));
        return ((McpSyncResponse.Result<CallToolOutcome>) tool.handler().call(null, null)).result();
    }

    @Test
    void question_getsTheWorstThatIsDeclared() throws IOException {
        InputRequiredResult plain =
                question().requestState("s").meta(Map.of("a", 1)).build();

        InputRequiredResult labelled = (InputRequiredResult) asked(PRIVATE_READ, plain);

        JsonNode label = PlainJson.tree(labelled.meta()).path(LABEL);
        assertTrue(label.path("sensitive").booleanValue(), labelled.toString());
        assertEquals(
                "{\"class\":\"pii\"}",
                label.path("evidenceRef").path("dev.sluice/record").toString());
        assertEquals(1, labelled.meta().get("a"));
        assertEquals(plain.inputRequests(), labelled.inputRequests());
        assertEquals("s input_required", labelled.requestState() + " " + labelled.resultType());
    }

    @Test
    void labelOfAQuestion_isKeptToItsDeclaration() {
        InputRequiredResult harmless =
                question().meta(Labels.meta(PartLabel::notSensitive)).build();
        assertEquals(harmless, asked(PRIVATE_READ, harmless));

        InputRequiredResult sensitive =
                question().meta(Labels.meta(PartLabel::sensitive)).build();
        Exception e = assertThrows(McpException.class, () -> asked(PUBLIC_READ, sensitive));
        assertTrue(e.getMessage().startsWith("`read` declares that it returns nothing sensitive, "), e.getMessage());
    }

    @Test
    void questionOnTheWire_isLabelled() throws IOException {
        tools.replace(ModernTools.declare(
                PRIVATE_READ,
                McpSyncTool.of(
                        READ,
                        (context, request) -> McpSyncResponse.result(question().build()))));

        JsonNode answer = pipes.request(
                "tools/call",
                "{\"name\":\"read\",\"arguments\":{},\"_meta\":{"
                        + META.replace("Capabilities\":{}", "Capabilities\":{\"elicitation\":{\"form\":{}}}") + "}}");

        assertEquals("input_required", answer.path("result").path("resultType").asString(""), answer.toString());
        assertTrue(
                answer.path("result")
                        .path("_meta")
                        .path(LABEL)
                        .path("sensitive")
                        .booleanValue(),
                answer.toString());
    }

    @Test
    void outcomeOfAnotherKind_isNotSent() {
        CallToolOutcome other = new CallToolOutcome() {
            @Override
            public String resultType() {
                return "other";
            }

            @Override
            public Map<String, Object> meta() {
                return Map.of();
            }
        };
        McpSyncTool tool = ModernTools.declare(
                PUBLIC_READ, McpSyncTool.of(READ, (context, request) -> McpSyncResponse.result(other)));

        Exception e = assertThrows(McpException.class, () -> tool.handler().call(null, null));

        assertEquals(
                "`read` returned what can't be labelled here: return a `CallToolResult` or an `InputRequiredResult`; it is"
                        + " not sent",
                e.getMessage());
    }

    @Test
    void toolThatDeclaresNothing_isRefused() {
        McpSyncTool bare = McpSyncTool.of(
                READ,
                (context, request) ->
                        McpSyncResponse.result(CallToolResult.builder().build()));
        for (Runnable use : List.<Runnable>of(() -> ModernTools.of(bare), () -> tools.replace(bare))) {
            Exception e = assertThrows(IllegalArgumentException.class, use::run);
            assertEquals("the tool `read` declares nothing: make it with `ModernTools.declare`", e.getMessage());
        }
    }

    @Test
    void sameToolTwice_isRefused() {
        McpSyncTool tool = streaming(PUBLIC_READ, false);

        Exception e = assertThrows(IllegalArgumentException.class, () -> ModernTools.of(tool, tool));

        assertEquals("the tool `read` is given twice: give it once", e.getMessage());
    }
}
