import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of the MCP Java SDK up to 2025-11-25, on the way that {@code eras-client.mjs} takes: prints what came of each
 * step, as one JSON object. Takes the plan, then an address or a command.
 */
public final class ErasClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int WAIT_SECONDS = 20;

    private static final Map<String, Object> SEEN = new LinkedHashMap<>();

    public static void main(String[] args) {
        JsonNode plan = JSON.readTree(args[0]);
        CompletableFuture<Object> update = new CompletableFuture<>();
        McpSyncClient client = McpClient.sync(transport(args))
                .requestTimeout(Duration.ofSeconds(WAIT_SECONDS))
                .initializationTimeout(Duration.ofSeconds(WAIT_SECONDS))
                .capabilities(McpSchema.ClientCapabilities.builder()
                        .elicitation(true, false)
                        .build())
                .elicitation(form -> McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                        .content(map(plan.path("answer")))
                        .build())
                .resourcesUpdateConsumer(contents -> update.complete(contents.get(0).uri()))
                .build();
        step("connect", () -> client.initialize().protocolVersion());
        if (SEEN.get("connect") instanceof String) {
            step("tools", () -> client.listTools().tools().stream().map(McpSchema.Tool::name).toList());
            step("call", () -> call(client, plan.path("call")));
            step("read", () -> read(client, text(plan, "resource")));
            step("ask", () -> call(client, plan.path("ask")));
            step("updated", () -> {
                client.subscribeResource(
                        McpSchema.SubscribeRequest.builder(text(plan, "resource")).build());
                Object touched = call(client, plan.path("touch"));
                return touched instanceof String ? update.get(WAIT_SECONDS, TimeUnit.SECONDS) : touched;
            });
        }
        System.out.println(JSON.writeValueAsString(SEEN));
        System.exit(0);
    }

    private static McpClientTransport transport(String[] args) {
        if (args[1].startsWith("http")) {
            URI address = URI.create(args[1]);
            return HttpClientStreamableHttpTransport.builder(address.resolve("/").toString())
                    .endpoint(address.getPath())
                    .build();
        }
        StdioClientTransport transport = new StdioClientTransport(
                ServerParameters.builder(args[1])
                        .args(List.of(args).subList(2, args.length))
                        .build(),
                new JacksonMcpJsonMapper(JSON));
        transport.setStdErrorHandler(line -> {});
        return transport;
    }

    private static Object read(McpSyncClient client, String uri) {
        var result = client.readResource(McpSchema.ReadResourceRequest.builder(uri).build());
        return ((McpSchema.TextResourceContents) result.contents().get(0)).text();
    }

    private static Object call(McpSyncClient client, JsonNode call) {
        var result = client.callTool(McpSchema.CallToolRequest.builder(text(call, "name"))
                .arguments(map(call.path("arguments")))
                .build());
        String said = result.content().stream()
                .map(block -> block instanceof McpSchema.TextContent text ? text.text() : "")
                .collect(Collectors.joining("\n"));
        return Boolean.TRUE.equals(result.isError()) ? Map.of("failed", said) : said;
    }

    private static String text(JsonNode plan, String member) {
        return plan.path(member).asString("");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(JsonNode node) {
        return node.isObject() ? JSON.treeToValue(node, Map.class) : Map.of();
    }

    private static void step(String name, Callable<Object> work) {
        Object result;
        try {
            result = work.call();
        } catch (McpError e) {
            result = Map.of("failed", String.valueOf(e.getMessage()));
        } catch (Exception e) {
            result = Map.of("failed", e.toString());
        }
        SEEN.put(name, result);
    }
}
