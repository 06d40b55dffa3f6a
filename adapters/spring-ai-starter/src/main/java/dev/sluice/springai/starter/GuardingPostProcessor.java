package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import java.util.List;
import org.springframework.ai.mcp.client.common.autoconfigure.NamedClientMcpTransport;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Puts guarded ones in the place of the beans that carry messages to MCP servers, call tools or find them by name. */
final class GuardingPostProcessor implements BeanPostProcessor {

    private final ObjectProvider<Sluice> sluice;

    GuardingPostProcessor(ObjectProvider<Sluice> sluice) {
        this.sluice = sluice;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof NamedClientMcpTransport transport) {
            return guard(transport);
        }
        if (bean instanceof List<?> all && all.stream().anyMatch(NamedClientMcpTransport.class::isInstance)) {
            return all.stream()
                    .map(each -> each instanceof NamedClientMcpTransport transport ? guard(transport) : each)
                    .toList();
        }
        if (bean instanceof ToolCallingManager calls) {
            return sluice.getObject().guard(calls);
        }
        return bean instanceof ToolCallbackResolver resolver
                ? sluice.getObject().guard(resolver)
                : bean;
    }

    private NamedClientMcpTransport guard(NamedClientMcpTransport transport) {
        return new NamedClientMcpTransport(
                transport.name(), sluice.getObject().guard(transport.transport(), transport.name()));
    }
}
