package dev.sluice.examples.springai;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.mcp.McpToolNamePrefixGenerator;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An agent of a clinic that reads mail, looks up a chart and sends mail. All that it has of Sluice is the starter and a policy. */
@SpringBootApplication
public class MailAgent {

    /** The agent's own functions: no MCP server is between. */
    public static final class Charts {

        /** Returns it. */
        @Tool(name = "current_chart", description = "Gets the chart of the patient who is treated now.")
        public String chart() {
            return "Anna Weber, HIV positive, allergic to penicillin";
        }
    }

    @Bean
    ChatModel model() {
        return new ObedientModel();
    }

    @Bean
    McpToolNamePrefixGenerator toolNames() {
        return McpToolNamePrefixGenerator.noPrefix();
    }

    @Bean
    ChatClient assistant(ChatClient.Builder builder, ToolCallbackProvider mailTools) {
        return builder.defaultTools(mailTools, new Charts()).build();
    }

    /** Lets a user ask twice, in two conversations, and prints what happens. */
    public static void main(String[] args) {
        try (ConfigurableApplicationContext application = SpringApplication.run(MailAgent.class, args)) {
            ChatClient assistant = application.getBean(ChatClient.class);
            ask(assistant, "monday", "Read my newest mail and tell me what is in it.");
            ask(assistant, "tuesday", "Tell team@clinic.example that I am late today.");
        }
    }

    private static void ask(ChatClient assistant, String conversation, String wish) {
        System.out.println();
        System.out.println("user: " + wish);
        String answer = assistant
                .prompt(wish)
                .advisors(advisors -> advisors.param(ChatMemory.CONVERSATION_ID, conversation))
                .call()
                .content();
        System.out.println("assistant: " + answer);
    }
}
