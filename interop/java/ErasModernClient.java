import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.McpSchema;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.McpSyncClient;
import io.modelcontextprotocol.modern.client.SubscriptionEvent;
import io.modelcontextprotocol.modern.client.transport.HttpClientMcpTransport;
import io.modelcontextprotocol.modern.client.transport.McpClientTransport;
import io.modelcontextprotocol.modern.client.transport.StdioMcpClientTransport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of the MCP Java SDK's stack for 2026-07-28, on the way that {@code eras-client.mjs} takes: prints what came of
 * each step, as one JSON object. Takes the plan, then an address or a command.
 */
public final class ErasModernClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int WAIT_SECONDS = 20;

    private static final Map<String, Object> SEEN = new LinkedHashMap<>();

    public static void main(String[] args) {
        JsonNode plan = JSON.readTree(args[0]);
        McpClientTransport transport = args[1].startsWith("http")
                ? HttpClientMcpTransport.builder(args[1]).build()
                : StdioMcpClientTransport.builder(ServerParameters.builder(args[1])
                                .args(List.of(args).subList(2, args.length))
                                .build())
                        .stderrConsumer(line -> {})
                        .start();
        Map<String, Object> answer = map(plan.path("answer"));
        McpSyncClient client = McpClient.sync(transport)
                .formElicitation(form -> McpSchema.ElicitResult.accept(answer))
                .build();
        step("connect", () -> String.join(", ", client.discover().supportedVersions()));
        if (SEEN.get("connect") instanceof String) {
            step("tools", () -> client.listTools().list().stream().map(McpSchema.Tool::name).toList());
            step("call", () -> call(client, plan.path("call")));
            step("read", () -> ((McpSchema.TextResourceContents) client.resource(text(plan, "resource"))
                            .read()
                            .contents()
                            .get(0))
                    .text());
            step("ask", () -> call(client, plan.path("ask")));
            step("updated", () -> updated(client, plan));
        }
        System.out.println(JSON.writeValueAsString(SEEN));
        System.exit(0);
    }

    private static Object updated(McpSyncClient client, JsonNode plan) throws Exception {
        CompletableFuture<Object> update = new CompletableFuture<>();
        CountDownLatch open = new CountDownLatch(1);
        var listening = client.listen().resourceUpdates(text(plan, "resource")).open(event -> {
            if (event instanceof SubscriptionEvent.Subscribed) {
                open.countDown();
            } else if (event instanceof SubscriptionEvent.ResourceUpdated told) {
                update.complete(told.uri());
            }
        });
        try (listening) {
            open.await(WAIT_SECONDS, TimeUnit.SECONDS);
            Object touched = call(client, plan.path("touch"));
            return touched instanceof String ? update.get(WAIT_SECONDS, TimeUnit.SECONDS) : touched;
        }
    }

    private static Object call(McpSyncClient client, JsonNode call) {
        var result = client.tool(text(call, "name")).arguments(map(call.path("arguments"))).call();
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
        } catch (McpException e) {
            result = Map.of("failed", e.error().message(), "code", e.error().code());
        } catch (Exception e) {
            result = Map.of("failed", e.toString());
        }
        SEEN.put(name, result);
    }
}
