import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.modern.McpException;
import io.modelcontextprotocol.modern.client.McpClient;
import io.modelcontextprotocol.modern.client.McpSyncClient;
import io.modelcontextprotocol.modern.client.transport.StdioMcpClientTransport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import tools.jackson.databind.json.JsonMapper;

/** The client of the MCP Java SDK's stack for 2026-07-28: prints what its API hands over at each step, a line of JSON each. */
public final class JavaSdkModernClient {

    private static final JsonMapper JSON = JsonMapper.shared();

    public static void main(String[] command) {
        var transport = StdioMcpClientTransport.builder(ServerParameters.builder(command[0])
                        .args(List.of(command).subList(1, command.length))
                        .build())
                .stderrConsumer(line -> {})
                .start();
        McpSyncClient client = McpClient.sync(transport).build();
        print("open", client::discover);
        print("tools", () -> client.listTools().list());
        for (String tool : List.of("report", "odd", "error")) {
            print(tool, () -> client.tool(tool).arguments(Map.of()).call());
        }
        print("resource", () -> client.resource("report:1").read());
        print("prompt", () -> client.prompt("ask").arguments(Map.of()).get());
        System.exit(0);
    }

    private static void print(String step, Callable<Object> work) {
        Object api;
        boolean failed = false;
        try {
            api = work.call();
        } catch (McpException e) {
            failed = true;
            api = e.error();
        } catch (Exception e) {
            failed = true;
            api = e.toString();
        }
        System.out.println(JSON.writeValueAsString(Map.of("step", step, "failed", failed, "api", api)));
    }
}
