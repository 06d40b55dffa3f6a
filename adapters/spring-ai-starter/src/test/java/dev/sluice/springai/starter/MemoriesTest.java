package dev.sluice.springai.starter;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.MessageChatMemoryAdvisor;
import org.springframework.ai.chat.client.advisor.api.AdvisorChain;
import org.springframework.ai.chat.client.advisor.api.BaseChatMemoryAdvisor;
import org.springframework.ai.chat.client.advisor.api.MemoryAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.ai.chat.messages.Message;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with chat memory of all kinds. */
class MemoriesTest {

    private static final String OUTLIVES =
            "the chat memory may outlive the process, and the labels of what is in it do not;"
                    + " name a folder for them in `sluice.state`, or say `memory` there if you know better";

    private static final String IDLE =
            "after `sluice.idle` the labels of a conversation are gone, and its chat memory may"
                    + " still be there; see to it that it is cleared earlier and say so with"
                    + " `sluice.idle-outlives-chat-memory: true`, or take `sluice.idle` out";

    private static ApplicationContextRunner application() {
        return SluiceAutoConfigurationTest.bare().withPropertyValues("sluice.policy=classpath:clinic-policy.yaml");
    }

    private static void starts(ApplicationContextRunner runner) {
        runner.run(context -> assertNull(context.getStartupFailure()));
    }

    private static ChatMemory inMemory() {
        return MessageWindowChatMemory.builder()
                .chatMemoryRepository(new InMemoryChatMemoryRepository())
                .build();
    }

    private static ChatMemory inADatabase() {
        return MessageWindowChatMemory.builder()
                .chatMemoryRepository(new SluiceAutoConfigurationTest.LastingMemory())
                .build();
    }

    /** Stands for one in a store of vectors. */
    private static final class VectorMemory implements BaseChatMemoryAdvisor {
        @Override
        public ChatClientRequest before(ChatClientRequest request, AdvisorChain chain) {
            return request;
        }

        @Override
        public ChatClientResponse after(ChatClientResponse response, AdvisorChain chain) {
            return response;
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    /** Nobody knows where it keeps them. */
    private static final class OwnMemory implements ChatMemory {
        @Override
        public void add(String id, List<Message> messages) {
            throw new UnsupportedOperationException(id);
        }

        @Override
        public List<Message> get(String id) {
            return List.of();
        }

        @Override
        public void clear(String id) {
            throw new UnsupportedOperationException(id);
        }
    }

    @Test
    void memoryThatDiesWithTheProcess_needsNoState() {
        starts(application().withBean(ChatMemory.class, MemoriesTest::inMemory));
        starts(application()
                .withBean(
                        MemoryAdvisor.class,
                        () -> MessageChatMemoryAdvisor.builder(inMemory()).build()));
    }

    @Test
    void memoryThatIsNotKnownToDo_needsState() {
        List<ApplicationContextRunner> all = List.of(
                application().withBean(ChatMemory.class, MemoriesTest::inADatabase),
                application().withBean(ChatMemory.class, OwnMemory::new),
                application().withBean(MemoryAdvisor.class, VectorMemory::new),
                application()
                        .withBean(
                                MemoryAdvisor.class,
                                () -> MessageChatMemoryAdvisor.builder(inADatabase())
                                        .build()));
        for (ApplicationContextRunner each : all) {
            SluiceAutoConfigurationTest.failsWith(each, OUTLIVES);
            starts(each.withPropertyValues("sluice.state=memory"));
        }
    }

    @Test
    void idleConversations_endOnlyAfterTheirMemory() {
        ApplicationContextRunner idle =
                application().withBean(ChatMemory.class, MemoriesTest::inMemory).withPropertyValues("sluice.idle=2h");
        SluiceAutoConfigurationTest.failsWith(idle, IDLE);
        starts(idle.withPropertyValues("sluice.idle-outlives-chat-memory=true"));
    }
}
