package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageResult;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the client of the MCP Java SDK does with server-everything, on whatever way there. */
@Tag("interop")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JavaSdkScenarios {

    private static final String LABEL = "dev.sluice/label";

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final BlockingQueue<McpSchema.ProgressNotification> progress = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

    Path temp;

    McpSyncClient client;

    /** Returns the way to the server, ready to be used. */
    abstract McpClientTransport transport() throws IOException;

    /** Returns the name under which a client knows a tool or prompt of server-everything. */
    abstract String name(String own);

    /** Returns the label that all data of the server has. */
    abstract Map<String, Object> label();

    @BeforeAll
    void connect(@TempDir Path folder) throws IOException {
        Interop.demand();
        temp = folder;
        Interop.fill(files());
        client = McpClient.sync(transport())
                .requestTimeout(Duration.ofSeconds(Interop.HANG_SECONDS))
                .initializationTimeout(Duration.ofSeconds(Interop.HANG_SECONDS))
                .capabilities(ClientCapabilities.builder()
                        .roots(true)
                        .sampling()
                        .elicitation(true, true)
                        .build())
                .roots(McpSchema.Root.builder(root().toString()).name("r").build())
                .sampling(request -> {
                    asked.add("sampling: "
                            + ((TextContent) request.messages().get(0).content()).text());
                    return CreateMessageResult.builder(McpSchema.Role.ASSISTANT, "a sampled answer", "fixed")
                            .build();
                })
                .elicitation(request -> {
                    asked.add("form: " + request.requestedSchema().get("type"));
                    return ElicitResult.builder(ElicitResult.Action.ACCEPT)
                            .content(Map.of("name", "Ada", "check", true))
                            .build();
                })
                .urlElicitation(request -> {
                    asked.add("url: " + request.url());
                    return ElicitResult.builder(ElicitResult.Action.DECLINE).build();
                })
                .loggingConsumer(message -> logged.add(message.data()))
                .progressConsumer(progress::add)
                .build();
        client.initialize();
    }

    /** Not the folder above: that holds Sluice's state, and no server is told of it. */
    private URI root() {
        return files().toUri();
    }

    final Path files() {
        return temp.resolve("files");
    }

    @AfterAll
    void disconnect() {
        if (client != null) {
            client.closeGracefully();
        }
    }

    final CallToolResult call(String tool, Map<String, Object> arguments) {
        CallToolResult result = client.callTool(
                CallToolRequest.builder(name(tool)).arguments(arguments).build());
        assertNotEquals(true, result.isError(), result.toString());
        assertLabelled(result.meta());
        return result;
    }

    final void assertLabelled(Map<String, Object> meta) {
        assertNotNull(meta, "the result has `_meta`");
        Map<?, ?> label = assertInstanceOf(Map.class, meta.get(LABEL), meta.toString());
        label().forEach((part, value) -> assertEquals(value, label.get(part), part));
        assertTrue(String.valueOf(label.get("call")).matches("c\\d+"), label.toString());
    }

    static String text(CallToolResult result) {
        return ((TextContent) result.content().get(0)).text();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(Interop.HANG_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing came");
        return next;
    }

    @Test
    void tools_listAndCall() {
        assertTrue(
                client.listTools().tools().stream().anyMatch(tool -> tool.name().equals(name("echo"))));
        assertEquals("Echo: hi", text(call("echo", Map.of("message", "hi"))));
        CallToolResult structured = call("get-structured-content", Map.of("location", "Chicago"));
        assertTrue(String.valueOf(structured.structuredContent()).contains("temperature"), structured.toString());
    }

    @Test
    void handshake_declaresTheExtensions() {
        assertEquals(
                Map.of(
                        "io.modelcontextprotocol/trust-annotations", Map.of(),
                        "io.modelcontextprotocol/action-metadata", Map.of()),
                client.getServerCapabilities().extensions());
        assertTrue(client.getServerInstructions().contains("Everything"), client.getServerInstructions());
    }

    @Test
    void resources_listReadAndComplete() {
        assertEquals(
                7,
                client.listResources().resources().stream()
                        .filter(resource -> resource.uri().startsWith("demo://"))
                        .count());
        assertEquals(2, client.listResourceTemplates().resourceTemplates().size());
        McpSchema.ReadResourceResult read =
                client.readResource(McpSchema.ReadResourceRequest.builder("demo://resource/dynamic/text/1")
                        .build());
        assertTrue(
                ((McpSchema.TextResourceContents) read.contents().get(0)).text().startsWith("Resource 1"),
                read.toString());
        assertLabelled(read.meta());
    }

    @Test
    void prompts_listGetAndComplete() {
        assertEquals(
                4,
                client.listPrompts().prompts().stream()
                        .filter(prompt -> prompt.name().startsWith(name("")))
                        .count());
        McpSchema.GetPromptResult prompt = client.getPrompt(McpSchema.GetPromptRequest.builder(name("args-prompt"))
                .arguments(Map.of("city", "Paris"))
                .build());
        assertTrue(((TextContent) prompt.messages().get(0).content()).text().contains("Paris"), prompt.toString());
        assertLabelled(prompt.meta());
        McpSchema.CompleteResult completed = client.completeCompletion(McpSchema.CompleteRequest.builder(
                        new McpSchema.PromptReference(name("completable-prompt")),
                        new McpSchema.CompleteRequest.CompleteArgument("department", "E"))
                .build());
        assertEquals(List.of("Engineering"), completed.completion().values());
    }

    @Test
    void logging_levelIsSetAndMessagesArrive() throws InterruptedException {
        client.setLoggingLevel(McpSchema.LoggingLevel.DEBUG);
        String uri = "demo://resource/dynamic/text/7";
        client.subscribeResource(McpSchema.SubscribeRequest.builder(uri).build());
        String message = next(logged);
        while (!message.contains("Received Subscribe Resource request for URI: " + uri)) {
            message = next(logged); // the roots are logged too, whenever the server has them
        }
    }

    @Test
    void progress_arrivesUnderItsToken() throws InterruptedException {
        CallToolResult result = client.callTool(CallToolRequest.builder(name("trigger-long-running-operation"))
                .arguments(Map.of("duration", 0.2, "steps", 2))
                .progressToken("p1")
                .build());
        assertLabelled(result.meta());
        for (double step = 1; step <= 2; step++) {
            McpSchema.ProgressNotification told = next(progress);
            assertEquals("p1", told.progressToken());
            assertEquals(step, told.progress());
        }
    }

    @Test
    void sampling_answerReachesTheServer() throws InterruptedException {
        CallToolResult result = call("trigger-sampling-request", Map.of("prompt", "what?", "maxTokens", 10));
        assertTrue(text(result).contains("a sampled answer"), text(result));
        assertTrue(next(asked).contains("what?"));
    }

    @Test
    void elicitation_answersReachTheServer() throws InterruptedException {
        CallToolResult form = call("trigger-elicitation-request", Map.of());
        assertEquals("form: object", next(asked));
        assertTrue(form.content().toString().contains("Ada"), form.toString());
        CallToolResult url = call(
                "trigger-url-elicitation",
                Map.of("url", "https://form.example/x", "message", "m", "elicitationId", "e1"));
        assertEquals("url: https://form.example/x", next(asked));
        assertTrue(url.content().toString().contains("decline"), url.toString());
    }

    @Test
    void roots_reachTheServer() {
        CallToolResult roots = call("get-roots-list", Map.of());
        assertTrue(roots.content().toString().contains(root().toString()), roots.toString());
    }
}
