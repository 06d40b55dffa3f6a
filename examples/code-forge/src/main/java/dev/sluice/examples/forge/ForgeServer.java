package dev.sluice.examples.forge;

import dev.sluice.mcpjava.emit.EmittingJsonMapper;
import dev.sluice.mcpjava.emit.Extensions;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The forge's server: speaks MCP on standard input and output and ends when its input does.
 *
 * <p>Arguments: {@code [--ifc-labels] <folder>}. Exit codes: 0 when the input has ended, 2 when the command line is wrong.
 */
public final class ForgeServer {

    private ForgeServer() {}

    /** Runs the server; the process ends with it. */
    public static void main(String[] args) throws InterruptedException {
        List<String> words = new ArrayList<>(List.of(args));
        boolean ifcLabels = words.remove("--ifc-labels");
        if (words.size() != 1) {
            System.err.println("usage: ForgeServer [--ifc-labels] <folder>");
            System.exit(2);
        }
        OutputStream out = System.out;
        // Whatever prints from here on must not get between two protocol messages.
        System.setOut(System.err);
        CountDownLatch ended = new CountDownLatch(1);
        InputStream in = new FilterInputStream(System.in) {
            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                int read = super.read(bytes, from, length);
                if (read < 0) {
                    ended.countDown();
                }
                return read;
            }
        };
        Fixture fixture = Fixture.read(Path.of(words.get(0)));
        McpSyncServer server = serve("code-forge", new ForgeTools(fixture, ifcLabels).all(), in, out);
        ended.await();
        server.closeGracefully();
        System.exit(0);
    }

    /** Serves tools on two streams, with both extensions declared. */
    static McpSyncServer serve(String name, List<SyncToolSpecification> tools, InputStream in, OutputStream out) {
        return McpServer.sync(new StdioServerTransportProvider(EmittingJsonMapper.usual(), in, out))
                .serverInfo(name, "0.1.0")
                .capabilities(ServerCapabilities.builder()
                        .tools(true)
                        .extensions(Extensions.declared())
                        .build())
                .immediateExecution(true)
                .validateToolInputs(false)
                .tools(tools)
                .build();
    }
}
