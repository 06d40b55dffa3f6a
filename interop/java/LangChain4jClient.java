import com.fasterxml.jackson.databind.ObjectMapper;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpCallContext;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.client.McpClientListener;
import dev.langchain4j.mcp.client.McpGetPromptResult;
import dev.langchain4j.mcp.client.McpReadResourceResult;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import dev.langchain4j.service.tool.ToolExecutionResult;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** LangChain4j's client: prints what it hands over, what its listeners see and what a model reads, a line of JSON each. */
public final class LangChain4jClient {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static String heard = "";

    public static void main(String[] command) throws Exception {
        McpClientListener listener = new McpClientListener() {
            @Override
            public void afterExecuteTool(McpCallContext context, ToolExecutionResult result, Map<String, Object> raw) {
                heard = String.valueOf(raw);
            }

            @Override
            public void onExecuteToolError(McpCallContext context, Throwable error) {
                heard = String.valueOf(error);
            }

            @Override
            public void afterResourceGet(McpCallContext context, McpReadResourceResult result, Map<String, Object> raw) {
                heard = String.valueOf(raw);
            }

            @Override
            public void afterPromptGet(McpCallContext context, McpGetPromptResult result, Map<String, Object> raw) {
                heard = String.valueOf(raw);
            }
        };
        McpClient client = DefaultMcpClient.builder()
                .transport(StdioMcpTransport.builder().command(List.of(command)).build())
                .addListener(listener)
                .build();
        print("open", () -> Map.of("api", String.valueOf(client.instructions())));
        print("tools", () -> Map.of(
                "api",
                client.listTools().stream().map(ToolSpecification::toString).toList()));
        for (String tool : List.of("report", "odd", "error")) {
            print(tool, () -> {
                ToolExecutionResult result = client.executeTool(
                        ToolExecutionRequest.builder().name(tool).arguments("{}").build());
                return Map.of("api", result.toString(), "model", result.resultContents().toString());
            });
        }
        print("resource", () -> Map.of("api", client.readResource("report:1").contents().toString()));
        print("prompt", () -> Map.of("api", client.getPrompt("ask", Map.of()).messages().toString()));
        System.exit(0);
    }

    private static void print(String step, Callable<Map<String, Object>> work) throws Exception {
        Map<String, Object> line = new LinkedHashMap<>(Map.of("step", step, "failed", false));
        heard = "";
        try {
            line.putAll(work.call());
        } catch (Exception e) {
            line.put("failed", true);
            line.put("api", e.toString());
        }
        line.put("hooks", heard);
        System.out.println(JSON.writeValueAsString(line));
    }
}
