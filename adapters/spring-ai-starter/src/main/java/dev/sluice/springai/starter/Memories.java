package dev.sluice.springai.starter;

import dev.sluice.store.Engine;
import dev.sluice.store.MemoryEngine;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.advisor.MessageChatMemoryAdvisor;
import org.springframework.ai.chat.client.advisor.api.MemoryAdvisor;
import org.springframework.ai.chat.memory.ChatMemory;
import org.springframework.ai.chat.memory.ChatMemoryRepository;
import org.springframework.ai.chat.memory.InMemoryChatMemoryRepository;
import org.springframework.ai.chat.memory.MessageWindowChatMemory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Sees to it that labels live at least as long as what models are told again. */
final class Memories implements SmartInitializingSingleton {

    private final SluiceProperties properties;
    private final Engine engine;
    private final List<ObjectProvider<?>> memories;

    Memories(
            SluiceProperties properties,
            Engine engine,
            ObjectProvider<ChatMemoryRepository> repositories,
            ObjectProvider<ChatMemory> memories,
            ObjectProvider<MemoryAdvisor> advisors) {
        this.properties = properties;
        this.engine = engine;
        this.memories = List.of(repositories, memories, advisors);
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (engine instanceof MemoryEngine
                && properties.state().isEmpty()
                && !all().allMatch(Memories::diesWithTheProcess)) {
            throw new IllegalStateException(
                    "the chat memory may outlive the process, and the labels of what is in it do"
                            + " not; name a folder for them in `sluice.state`, or say `memory` there if you know better");
        }
        if (!properties.idle().isZero()
                && !properties.idleOutlivesChatMemory()
                && all().findAny().isPresent()) {
            throw new IllegalStateException(
                    "after `sluice.idle` the labels of a conversation are gone, and its chat memory"
                            + " may still be there; see to it that it is cleared earlier and say so with"
                            + " `sluice.idle-outlives-chat-memory: true`, or take `sluice.idle` out");
        }
    }

    private Stream<?> all() {
        return memories.stream().flatMap(ObjectProvider::stream);
    }

    /** What is not known to do so does not. */
    private static boolean diesWithTheProcess(@Nullable Object memory) {
        if (memory == null) {
            return false;
        }
        Object bare = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(memory), memory);
        if (bare instanceof MessageWindowChatMemory) {
            return diesWithTheProcess(Private.field(bare, ChatMemoryRepository.class));
        }
        if (bare instanceof MessageChatMemoryAdvisor) {
            return diesWithTheProcess(Private.field(bare, ChatMemory.class));
        }
        return bare.getClass() == InMemoryChatMemoryRepository.class;
    }
}
