package dev.sluice.cli.interop;

import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The client of the MCP Java SDK with server-everything, through {@code sluice run}, without a policy. */
final class JavaSdkTest extends JavaSdkScenarios {

    /** The SDK's transport, but with a server that does not inherit our environment. */
    private static final class Transport extends StdioClientTransport {
        Transport(ServerParameters parameters) {
            super(parameters, new JacksonMcpJsonMapper(JsonMapper.shared()));
        }

        @Override
        protected ProcessBuilder getProcessBuilder() {
            ProcessBuilder builder = super.getProcessBuilder();
            builder.environment().clear();
            return builder;
        }
    }

    @Override
    McpClientTransport transport() {
        List<String> command = Interop.wrapped(
                Interop.everything(), "--state", temp.resolve("state").toString(), "--session", "sdk");
        StdioClientTransport transport = new Transport(ServerParameters.builder(command.get(0))
                .args(command.subList(1, command.size()))
                .env(Interop.environment(temp))
                .build());
        transport.setStdErrorHandler(line -> {});
        return transport;
    }

    @Override
    String name(String own) {
        return own;
    }

    @Override
    Map<String, Object> label() {
        return Map.of("integrity", "untrusted", "confidentiality", "private", "classes", List.of("unclassified"));
    }
}
