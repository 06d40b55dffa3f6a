package dev.sluice.examples.healthcare;

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
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The clinic's server: speaks MCP on standard input and output and ends when its input does. */
public final class ClinicServer {

    private ClinicServer() {}

    /** Runs the server; the process ends with it. */
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        OutputStream out = System.out;
        // Whatever prints from here on must not get between two protocol messages.
        System.setOut(System.err);
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
        McpSyncServer server = serve("clinic", new ClinicTools(Patients.fixture()).all(), in, out);
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
                .tools(tools)
                .build();
    }
}
