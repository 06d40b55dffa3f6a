package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.mcp.client.common.autoconfigure.NamedClientMcpTransport;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Puts guarded ones in the place of the beans that carry messages to MCP servers, are tools, call tools, find them by name, or
 * ask models; refuses those of which no guarded one can be made. Comes before whatever else has to do with beans.
 */
final class GuardingPostProcessor implements BeanPostProcessor, PriorityOrdered {

    private final ObjectProvider<Sluice> sluice;

    GuardingPostProcessor(ObjectProvider<Sluice> sluice) {
        this.sluice = sluice;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        Object guarded = guarded(bean);
        Unguarded.refuse(guarded, name);
        return guarded;
    }

    private Object guarded(Object bean) {
        if (bean instanceof ToolCallingManager calls) {
            return sluice.getObject().guard(calls);
        }
        if (bean instanceof ToolCallbackResolver resolver) {
            return sluice.getObject().guard(resolver);
        }
        if (bean instanceof ChatModel) {
            return Gate.before(bean, tool -> tool);
        }
        if (bean instanceof ChatClient.Builder builder) {
            return builder.defaultAdvisors(sluice.getObject().advisor());
        }
        if (bean instanceof ChatClient client) {
            return client instanceof GuardedChatClient
                    ? client
                    : new GuardedChatClient(client, sluice.getObject().advisor());
        }
        return many(bean);
    }

    /** Transports and tools come alone, or many in one bean. */
    private Object many(Object bean) {
        if (bean instanceof Object[] all && Arrays.stream(all).anyMatch(this::isOne)) {
            Object[] guarded = all.clone();
            for (int i = 0; i < all.length; i++) {
                guarded[i] = one(all[i]);
            }
            return guarded;
        }
        if (bean instanceof Map<?, ?> all && all.values().stream().anyMatch(this::isOne)) {
            Map<Object, Object> guarded = new LinkedHashMap<>();
            all.forEach((key, each) -> guarded.put(key, one(each)));
            return guarded;
        }
        if (bean instanceof Collection<?> all && all.stream().anyMatch(this::isOne)) {
            List<Object> guarded = new ArrayList<>();
            all.forEach(each -> guarded.add(one(each)));
            return all instanceof Set ? new LinkedHashSet<>(guarded) : Collections.unmodifiableList(guarded);
        }
        return one(bean);
    }

    private boolean isOne(Object part) {
        return part instanceof NamedClientMcpTransport
                || part instanceof ToolCallback
                || part instanceof ToolCallbackProvider;
    }

    private Object one(Object part) {
        if (part instanceof NamedClientMcpTransport transport && !Sluice.isGuarded(transport.transport())) {
            return new NamedClientMcpTransport(
                    transport.name(), sluice.getObject().guard(transport.transport(), transport.name()));
        }
        if (part instanceof ToolCallback tool) {
            return sluice.getObject().guard(tool);
        }
        return part instanceof ToolCallbackProvider
                ? Gate.before(part, tool -> sluice.getObject().guard(tool))
                : part;
    }
}
