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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of the MCP Java SDK's stack for 2026-07-28, with the steps of {@code eras-client.mjs}: prints what came of
 * each step, a JSON object a plan. Takes the ways.
 */
public final class ErasModernClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int WAIT_SECONDS = 20;

    public static void main(String[] args) {
        for (JsonNode way : JSON.readTree(args[0])) {
            List<String> target =
                    way.path("target").valueStream().map(JsonNode::asString).toList();
            if (target.get(0).startsWith("http")) {
                take(HttpClientMcpTransport.builder(target.get(0)).build(), way.path("plans"));
            } else {
                try (StdioMcpClientTransport transport = StdioMcpClientTransport.builder(
                                ServerParameters.builder(target.get(0))
                                        .args(target.subList(1, target.size()))
                                        .build())
                        .stderrConsumer(line -> {})
                        .start()) {
                    take(transport, way.path("plans"));
                }
            }
        }
        System.exit(0);
    }

    private static void take(McpClientTransport transport, JsonNode plans) {
        AtomicReference<JsonNode> current = new AtomicReference<>(JSON.createObjectNode());
        McpSyncClient client = McpClient.sync(transport)
                .formElicitation(form ->
                        McpSchema.ElicitResult.accept(map(current.get().path("answer"))))
                .build();
        Object connected = step(() -> String.join(", ", client.discover().supportedVersions()));
        for (JsonNode plan : plans) {
            current.set(plan);
            Map<String, Object> seen = new LinkedHashMap<>();
            seen.put("connect", connected);
            if (connected instanceof String) {
                seen.put("list", step(() -> client.listTools().list().tools().stream()
                        .map(McpSchema.Tool::name)
                        .toList()));
                seen.put("call", step(() -> call(client, plan.path("call"))));
                seen.put("read", step(() -> read(client, text(plan, "resource"))));
                seen.put("ask", step(() -> call(client, plan.path("ask"))));
                seen.put("watch", step(() -> watch(client, plan)));
            }
            System.out.println(JSON.writeValueAsString(seen));
        }
    }

    private static Object read(McpSyncClient client, String uri) {
        var result = client.resource(uri).read();
        return ((McpSchema.TextResourceContents) result.contents().get(0)).text();
    }

    private static Object watch(McpSyncClient client, JsonNode plan) throws Exception {
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
            if (!(touched instanceof String)) {
                return touched;
            }
            Object uri = update.get(WAIT_SECONDS, TimeUnit.SECONDS);
            if (plan.has("untouch")) {
                call(client, plan.path("untouch"));
            }
            return uri;
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

    private static Object step(Callable<Object> work) {
        try {
            return work.call();
        } catch (McpException e) {
            return Map.of("failed", e.error().message(), "code", e.error().code());
        } catch (Exception e) {
            return Map.of("failed", e.toString());
        }
    }
}
