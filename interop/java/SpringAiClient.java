import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.ai.mcp.SyncMcpToolCallbackProvider;
import org.springframework.ai.tool.ToolCallback;
import tools.jackson.databind.json.JsonMapper;

/** Spring AI's client: prints what it hands over, what its tool filter sees and what a model reads, a line of JSON each. */
public final class SpringAiClient {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static String seen = "";

    public static void main(String[] command) {
        var transport = new StdioClientTransport(
                ServerParameters.builder(command[0])
                        .args(List.of(command).subList(1, command.length))
                        .build(),
                new JacksonMcpJsonMapper(JSON));
        transport.setStdErrorHandler(line -> {});
        McpSyncClient client = McpClient.sync(transport).build();
        client.initialize();
        print("open", () -> Map.of("api", Map.of("capabilities", client.getServerCapabilities())));
        ToolCallback[] tools = SyncMcpToolCallbackProvider.builder()
                .mcpClients(client)
                .toolFilter((connection, tool) -> {
                    seen += JSON.writeValueAsString(tool);
                    return true;
                })
                .build()
                .getToolCallbacks();
        String filtered = seen;
        print("tools", () -> {
            seen = filtered;
            return Map.of(
                    "api",
                    List.of(tools).stream()
                            .map(tool -> tool.getToolDefinition() + " " + tool.getToolMetadata())
                            .toList());
        });
        for (ToolCallback tool : tools) {
            print(tool.getToolDefinition().name(), () -> Map.of("model", tool.call("{}")));
        }
        print("resource", () -> Map.of(
                "api",
                client.readResource(
                        McpSchema.ReadResourceRequest.builder("report:1").build())));
        print("prompt", () -> Map.of(
                "api",
                client.getPrompt(McpSchema.GetPromptRequest.builder("ask")
                        .arguments(Map.of())
                        .build())));
        client.closeGracefully();
        System.exit(0);
    }

    private static void print(String step, Callable<Map<String, Object>> work) {
        Map<String, Object> line = new LinkedHashMap<>(Map.of("step", step, "failed", false));
        seen = "";
        try {
            line.putAll(work.call());
        } catch (McpError e) {
            line.put("failed", true);
            line.put("api", e.getJsonRpcError());
        } catch (Exception e) {
            line.put("failed", true);
            line.put("api", e + " " + e.getCause());
        }
        line.put("hooks", seen);
        System.out.println(JSON.writeValueAsString(line));
    }
}
