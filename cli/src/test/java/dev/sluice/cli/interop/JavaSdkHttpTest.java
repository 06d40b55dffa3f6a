package dev.sluice.cli.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;

/** The same over HTTP, with server-everything, server-filesystem and server-memory behind one endpoint. */
final class JavaSdkHttpTest extends JavaSdkScenarios {

    private @Nullable HttpServer gateway;

    @Override
    McpClientTransport transport() throws IOException {
        HttpServer started = HttpServer.gateway(HttpServer.freely(Interop.three(files())), temp);
        gateway = started;
        return HttpClientStreamableHttpTransport.builder(started.address().toString())
                .endpoint(started.address().getPath())
                .jsonMapper(new JacksonMcpJsonMapper(JsonMapper.builder()
                        .typeFactory(TypeFactory.createDefaultInstance()
                                .withClassLoader(JavaSdkHttpTest.class.getClassLoader())) // see NewerJavaSdkTest
                        .build()))
                .build();
    }

    @AfterAll
    void stop() {
        if (gateway != null) {
            gateway.close();
        }
    }

    @Override
    String name(String own) {
        return "everything__" + own;
    }

    @Override
    Map<String, Object> label() {
        return Map.of("integrity", "trusted", "confidentiality", "public");
    }

    @Test
    void otherServers_areCalledUnderTheirNames() {
        Set<String> servers = new TreeSet<>();
        client.listTools().tools().forEach(tool -> servers.add(tool.name().replaceFirst("__.*", "")));
        assertEquals(Set.of("everything", "files", "memory"), servers);
        McpSchema.CallToolResult read = client.callTool(McpSchema.CallToolRequest.builder("files__read_text_file")
                .arguments(Map.of("path", files().resolve("b.txt").toString()))
                .build());
        assertTrue(text(read).contains("to be written over"), read.toString());
        assertLabelled(read.meta());
        McpSchema.CallToolResult made = client.callTool(McpSchema.CallToolRequest.builder("memory__create_entities")
                .arguments(Map.of(
                        "entities",
                        List.of(Map.of("name", "Ada", "entityType", "person", "observations", List.of("counts")))))
                .build());
        assertTrue(text(made).contains("Ada"), made.toString());
        McpSchema.ReadResourceResult graph =
                client.readResource(McpSchema.ReadResourceRequest.builder("memory://knowledge-graph")
                        .build());
        assertTrue(graph.contents().toString().contains("Ada"), graph.toString());
    }
}
