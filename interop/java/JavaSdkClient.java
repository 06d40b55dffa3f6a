import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import tools.jackson.databind.json.JsonMapper;

/** The client of the MCP Java SDK's first stack: prints what its API hands over at each step, a line of JSON each. */
public final class JavaSdkClient {

    private static final JsonMapper JSON = JsonMapper.shared();

    public static void main(String[] command) {
        var transport = new StdioClientTransport(
                ServerParameters.builder(command[0])
                        .args(List.of(command).subList(1, command.length))
                        .build(),
                new JacksonMcpJsonMapper(JSON));
        transport.setStdErrorHandler(line -> {});
        McpSyncClient client = McpClient.sync(transport).build();
        client.initialize();
        print("open", () -> Map.of("capabilities", client.getServerCapabilities()));
        print("tools", client::listTools);
        for (String tool : List.of("report", "odd", "error")) {
            print(tool, () -> client.callTool(McpSchema.CallToolRequest.builder(tool)
                    .arguments(Map.of())
                    .build()));
        }
        print("resource", () -> client.readResource(
                McpSchema.ReadResourceRequest.builder("report:1").build()));
        print("prompt", () -> client.getPrompt(
                McpSchema.GetPromptRequest.builder("ask").arguments(Map.of()).build()));
        client.closeGracefully();
        System.exit(0);
    }

    private static void print(String step, Callable<Object> work) {
        Object api;
        boolean failed = false;
        try {
            api = work.call();
        } catch (McpError e) {
            failed = true;
            api = e.getJsonRpcError();
        } catch (Exception e) {
            failed = true;
            api = e.toString();
        }
        System.out.println(JSON.writeValueAsString(Map.of("step", step, "failed", failed, "api", api)));
    }
}
