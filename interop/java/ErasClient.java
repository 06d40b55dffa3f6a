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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client of the MCP Java SDK up to 2025-11-25, with the steps of {@code eras-client.mjs}: prints what came of each
 * step, a JSON object a plan. Takes the ways.
 */
public final class ErasClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int WAIT_SECONDS = 20;

    public static void main(String[] args) {
        for (JsonNode way : JSON.readTree(args[0])) {
            take(
                    way.path("target").valueStream().map(JsonNode::asString).toList(),
                    way.path("plans"));
        }
        System.exit(0);
    }

    private static void take(List<String> target, JsonNode plans) {
        AtomicReference<JsonNode> current = new AtomicReference<>(JSON.createObjectNode());
        BlockingQueue<String> updated = new LinkedBlockingQueue<>();
        McpSyncClient client = McpClient.sync(transport(target))
                .requestTimeout(Duration.ofSeconds(WAIT_SECONDS))
                .initializationTimeout(Duration.ofSeconds(WAIT_SECONDS))
                .capabilities(McpSchema.ClientCapabilities.builder()
                        .elicitation(true, false)
                        .build())
                .elicitation(form -> McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                        .content(map(current.get().path("answer")))
                        .build())
                .resourcesUpdateConsumer(
                        contents -> updated.add(contents.isEmpty() ? "" : contents.get(0).uri()))
                .build();
        Object connected = step(() -> client.initialize().protocolVersion());
        for (JsonNode plan : plans) {
            current.set(plan);
            updated.clear();
            Map<String, Object> seen = new LinkedHashMap<>();
            seen.put("connect", connected);
            if (connected instanceof String) {
                seen.put("list", step(() -> client.listTools().tools().stream()
                        .map(McpSchema.Tool::name)
                        .toList()));
                seen.put("call", step(() -> call(client, plan.path("call"))));
                seen.put("read", step(() -> read(client, text(plan, "resource"))));
                seen.put("ask", step(() -> call(client, plan.path("ask"))));
                seen.put("watch", step(() -> watch(client, plan, updated)));
            }
            System.out.println(JSON.writeValueAsString(seen));
        }
        client.close();
    }

    /** This client reads a resource that was updated, and hands over what it has read. */
    private static Object watch(McpSyncClient client, JsonNode plan, BlockingQueue<String> updated) throws Exception {
        client.subscribeResource(
                McpSchema.SubscribeRequest.builder(text(plan, "resource")).build());
        Object touched = call(client, plan.path("touch"));
        if (!(touched instanceof String)) {
            return touched;
        }
        String uri = updated.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        while (uri != null && !uri.equals(text(plan, "resource"))) {
            // Another client changed what was watched before: whoever watches it is told.
            uri = updated.poll(WAIT_SECONDS, TimeUnit.SECONDS);
        }
        if (plan.has("untouch")) {
            call(client, plan.path("untouch"));
        }
        return uri == null ? Map.of("failed", "nothing came") : uri;
    }

    private static McpClientTransport transport(List<String> target) {
        if (target.get(0).startsWith("http")) {
            URI address = URI.create(target.get(0));
            return HttpClientStreamableHttpTransport.builder(address.resolve("/").toString())
                    .endpoint(address.getPath())
                    .build();
        }
        StdioClientTransport transport = new StdioClientTransport(
                ServerParameters.builder(target.get(0))
                        .args(target.subList(1, target.size()))
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

    private static Object step(Callable<Object> work) {
        try {
            return work.call();
        } catch (McpError e) {
            return Map.of("failed", String.valueOf(e.getMessage()));
        } catch (Exception e) {
            return Map.of("failed", e.toString());
        }
    }
}
