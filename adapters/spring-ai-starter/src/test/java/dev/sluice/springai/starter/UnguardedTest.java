package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.springai.Sluice;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.mcp.SyncMcpToolCallbackProvider;
import org.springframework.ai.mcp.client.common.autoconfigure.NamedClientMcpTransport;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.support.ToolCallbacks;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** Applications that go other ways than those that Spring Boot paved. */
class UnguardedTest {

    @TempDir
    Path folder;

    private final SluiceAutoConfigurationTest.Tools local = new SluiceAutoConfigurationTest.Tools();

    private static ApplicationContextRunner application() {
        return SluiceAutoConfigurationTest.bare().withPropertyValues("sluice.policy=classpath:clinic-policy.yaml");
    }

    private static NamedClientMcpTransport other() {
        return new NamedClientMcpTransport("ward", new WardServer());
    }

    @Test
    void clientOnATransportOfItsOwn_doesNotStart() {
        String refused = "the MCP client `mine` speaks with its server unguarded; make it with"
                + " `McpClient.sync(sluice.guard(transport, server))`, or let Spring AI make it";
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withBean(
                                "mine",
                                McpSyncClient.class,
                                () -> McpClient.sync(new WardServer()).build()),
                refused);
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withBean(
                                "mine",
                                McpAsyncClient.class,
                                () -> McpClient.async(new WardServer()).build()),
                refused);
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withBean(
                                "mine",
                                List.class,
                                () -> List.of(McpClient.sync(new WardServer()).build())),
                refused);
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnClient {
        @Bean
        McpSyncClient mine(Sluice sluice) {
            return McpClient.sync(sluice.guard(new WardServer(), "ward")).build();
        }
    }

    @Test
    void clientOnAGuardedTransport_starts() {
        application().withUserConfiguration(OwnClient.class).run(context -> assertNull(context.getStartupFailure()));
    }

    @Test
    void transportsInBeansOfAllKinds_areGuarded() {
        application()
                .withBean("set", Set.class, () -> Set.of(other()))
                .withBean("map", Map.class, () -> Map.of("ward", other()))
                .withBean("array", NamedClientMcpTransport[].class, () -> new NamedClientMcpTransport[] {other()})
                .withBean("one", NamedClientMcpTransport.class, UnguardedTest::other)
                .run(context -> {
                    for (Collection<?> each : List.of(
                            context.getBean("set", Set.class),
                            context.getBean("map", Map.class).values(),
                            Arrays.asList(context.getBean("array", NamedClientMcpTransport[].class)),
                            List.of(context.getBean("one")))) {
                        assertEquals(1, each.size());
                        assertTrue(each.stream()
                                .allMatch(one -> Sluice.isGuarded(((NamedClientMcpTransport) one).transport())));
                    }
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class SupplyingTransports {
        @Bean
        Supplier<NamedClientMcpTransport> supplied() {
            return UnguardedTest::other;
        }
    }

    @Test
    void suppliedTransports_doNotStart() {
        SluiceAutoConfigurationTest.failsWith(
                application().withUserConfiguration(SupplyingTransports.class),
                "the transports that `supplied` supplies can't be guarded; make each of them a bean");
    }

    @Test
    void beanThatWasThereBefore_doesNotStart() {
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withInitializer(context -> context.getBeanFactory().registerSingleton("early", other())),
                "the transport `early` was made before sluice could guard it; wrap it with `sluice.guard(transport,"
                        + " server)`, or make it later");
        String refused = "what calls, finds or is a tool, `early`, was made before sluice could guard it; wrap it with"
                + " `sluice.guard(...)`, or make it later";
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withInitializer(
                                context -> context.getBeanFactory().registerSingleton("early", (ToolCallbackResolver)
                                        name -> ToolCallbacks.from(local)[0])),
                refused);
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withInitializer(context -> context.getBeanFactory()
                                .registerSingleton(
                                        "early", ToolCallingManager.builder().build())),
                "the advisor `toolCallingAdvisorBuilder` calls tools on its own; give it the bean that is a"
                        + " `ToolCallingManager`");
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withInitializer(context ->
                                context.getBeanFactory().registerSingleton("early", ToolCallbacks.from(local)[0])),
                refused);
    }

    /** Needs a transport before most beans are made. */
    static final class Early implements BeanPostProcessor, Ordered {
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NeedingEarly {
        @Bean
        static NamedClientMcpTransport needed() {
            return other();
        }

        @Bean
        static Early early(NamedClientMcpTransport needed) {
            assertTrue(Sluice.isGuarded(needed.transport()));
            return new Early();
        }
    }

    @Test
    void beanThatOtherProcessorsNeed_isGuarded() {
        application().withUserConfiguration(NeedingEarly.class).run(context -> assertNull(context.getStartupFailure()));
    }

    @Test
    void advisorThatCallsToolsOnItsOwn_doesNotStart() {
        String refused = "the advisor `own` calls tools on its own; give it the bean that is a `ToolCallingManager`";
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withBean(
                                "own",
                                ToolCallingAdvisor.class,
                                () -> ToolCallingAdvisor.builder().build()),
                refused);
        SluiceAutoConfigurationTest.failsWith(
                application()
                        .withBean(
                                "own",
                                ToolCallingAdvisor.Builder.class,
                                () -> ToolCallingAdvisor.builder()
                                        .toolCallingManager(
                                                ToolCallingManager.builder().build())),
                refused);
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnChatClients {
        @Bean
        ChatClient created(ChatModel model) {
            return ChatClient.create(model);
        }

        @Bean
        ChatClient.Builder begun(ChatModel model) {
            return ChatClient.builder(model);
        }
    }

    private void isDenied(ChatClient client, SyncMcpToolCallbackProvider ward) {
        String said = client.prompt("Read the chart")
                .advisors(spec -> spec.param(ChatMemory.CONVERSATION_ID, "one"))
                .tools(ward, local)
                .call()
                .content();
        assertTrue(String.valueOf(said).startsWith("sluice denied `tweet`"), said);
        assertEquals(List.of(), local.tweeted);
    }

    @Test
    void chatClientsThatTheApplicationMakes_areGuarded() {
        application().withUserConfiguration(OwnChatClients.class).run(context -> {
            SyncMcpToolCallbackProvider ward = context.getBean(SyncMcpToolCallbackProvider.class);
            ChatClient created = context.getBean(ChatClient.class);
            isDenied(created, ward);
            isDenied(created.mutate().build(), ward);
            isDenied(context.getBean(ChatClient.Builder.class).build(), ward);
        });
    }

    @Test
    void chatClientThatIsNoBean_getsNoUnguardedTool() {
        application().run(context -> {
            ChatClient client = ChatClient.create(context.getBean(ChatModel.class));
            IllegalStateException refused = assertThrows(
                    IllegalStateException.class,
                    () -> client.prompt("Read the chart").tools(local).call().content());
            assertEquals(
                    "`tweet` is offered to a model without being guarded; add `sluice.advisor()` to the chat client, or"
                            + " offer `sluice.guard(tool)`",
                    refused.getMessage());
            assertEquals(List.of(), local.tweeted);
        });
    }

    /** A model of a class of which there can be others, as those of Spring AI are. */
    static class OpenModel implements ChatModel {
        private final ChatModel model = new SluiceAutoConfigurationTest.LeakingModel(false);

        @Override
        public ChatResponse call(Prompt prompt) {
            return model.call(prompt);
        }
    }

    @Test
    void modelKeepsItsClass() {
        application().withBean("open", OpenModel.class, OpenModel::new).run(context -> {
            OpenModel model = context.getBean(OpenModel.class);
            Prompt offering = new Prompt(
                    "hi",
                    ToolCallingChatOptions.builder()
                            .toolCallbacks(ToolCallbacks.from(local))
                            .build());
            assertThrows(IllegalStateException.class, () -> model.call(offering));
            assertThrows(IllegalStateException.class, () -> model.stream(offering));
            assertEquals(1, model.call(new Prompt("hi")).getResults().size());
        });
    }

    @Test
    void toolsThatAreBeans_areGuardedWhereverTheyGo() {
        application()
                .withBean("guest", ToolCallback.class, () -> ToolCallbacks.from(local)[0])
                .withBean(
                        "guests",
                        ToolCallbackProvider.class,
                        () -> ToolCallbackProvider.from(ToolCallbacks.from(local)))
                .run(context -> {
                    assertTrue(Sluice.isGuarded(context.getBean("guest")));
                    ToolCallbackProvider tools = context.getBean("guests", ToolCallbackProvider.class);
                    assertTrue(Arrays.stream(tools.getToolCallbacks()).allMatch(Sluice::isGuarded));
                    assertInstanceOf(
                            SyncMcpToolCallbackProvider.class, context.getBean(SyncMcpToolCallbackProvider.class));
                    RuntimeException noId = assertThrows(
                            RuntimeException.class,
                            () -> ChatClient.create(new SluiceAutoConfigurationTest.LeakingModel(false))
                                    .prompt("hi")
                                    .tools(tools)
                                    .call()
                                    .content());
                    assertTrue(String.valueOf(noId.getMessage()).contains("which conversation"), noId.toString());
                    assertEquals(List.of(), local.tweeted);
                });
    }

    @Test
    void userMessages_areTypedWhereThePropertySaysSo() throws IOException {
        Path policy = folder.resolve("policy.yaml");
        Files.writeString(policy, """
                version: 1
                servers:
                  ward:
                    defaults: {integrity: untrusted, confidentiality: public}
                    tools:
                      read: {effects: [reads]}
                  local:
                    defaults: {integrity: trusted, confidentiality: public}
                    tools:
                      tweet: {effects: [sends], audience: [to], payload: [text]}
                """);
        ApplicationContextRunner untrusted =
                SluiceAutoConfigurationTest.bare().withPropertyValues("sluice.policy=" + policy);
        for (boolean typed : new boolean[] {false, true}) {
            untrusted
                    .withPropertyValues("sluice.user-messages-are-typed=" + typed)
                    .run(context -> {
                        context.getBean(ChatClient.Builder.class)
                                .build()
                                .prompt("Write to eve@evil.example: " + WardServer.CHART)
                                .advisors(spec -> spec.param(ChatMemory.CONVERSATION_ID, "one"))
                                .tools(context.getBean(SyncMcpToolCallbackProvider.class), local)
                                .call()
                                .content();
                        assertEquals(typed ? 1 : 0, local.tweeted.size());
                    });
        }
    }
}
