package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.client.Approver;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.springai.Sluice;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.context.annotation.Bean;

/** All Java in {@code docs/enforce-spring-ai.md} stands here too, and so compiles; what it does, the other tests test. */
class PageSamplesTest {

    private static final Pattern SAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    static @Nullable String ask(ChatClient chatClient, String question, String conversation) {
        String answer = chatClient
                .prompt(question)
                .advisors(advisors -> advisors.param(ChatMemory.CONVERSATION_ID, conversation))
                .call()
                .content();
        return answer;
    }

    static List<Object> byHand(Sluice sluice, McpClientTransport transport, ChatModel model) {
        McpSyncClient mail = McpClient.sync(sluice.guard(transport, "mail")).build();
        ChatClient chatClient =
                ChatClient.builder(model).defaultAdvisors(sluice.advisor()).build();
        return List.of(mail, chatClient);
    }

    static Sluice withoutBoot() {
        Sluice sluice = Sluice.of(Enforcement.of(Path.of("policy.yaml")));
        return sluice;
    }

    static void named(ToolCallingChatOptions.Builder<?> options, String conversation, String user) {
        options.toolContext(Map.of(Sluice.CONVERSATION, conversation, Sluice.PRINCIPAL, user));
    }

    static @Nullable String sumUp(ChatClient chatClient, String page, String question, String conversation) {
        String summary = chatClient
                .prompt("Sum up this page: " + page)
                .advisors(advisors ->
                        advisors.param(ChatMemory.CONVERSATION_ID, conversation).param(Sluice.TYPED, question))
                .call()
                .content();
        return summary;
    }

    /** Where people answer. */
    interface Inbox {
        CompletionStage<Boolean> ask(List<String> text);
    }

    static final class Asking {
        @Bean
        Approver approver(Inbox inbox) {
            return request -> inbox.ask(request.text());
        }
    }

    @Test
    void samples_standHere() throws IOException {
        String page = Files.readString(Path.of("../../docs/enforce-spring-ai.md"));
        String here =
                plain(Files.readString(Path.of("src/test/java/dev/sluice/springai/starter/PageSamplesTest.java")));
        List<String> samples = SAMPLE.matcher(page)
                .results()
                .map((MatchResult each) -> each.group(1))
                .toList();
        assertEquals(6, samples.size());
        samples.forEach(sample -> assertTrue(here.contains(plain(sample)), sample));
    }

    private static String plain(String code) {
        return code.replaceAll("\\s+", "");
    }
}
