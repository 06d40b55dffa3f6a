package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpSyncClient;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.advisor.ToolCallingAdvisor;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.mcp.client.common.autoconfigure.NamedClientMcpTransport;
import org.springframework.ai.model.tool.ToolCallingManager;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.resolution.ToolCallbackResolver;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Lets no application start in which a bean goes a way that is not guarded, however it came about. */
final class Unguarded implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;

    Unguarded(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getSingletonNames()) {
            Object bean = beans.getSingleton(name);
            if (bean == null) {
                continue;
            }
            refuse(bean, name);
            if (bean instanceof ChatModel && !isAny(bean, Gate::isBefore)) {
                System.getLogger("dev.sluice")
                        .log(
                                System.Logger.Level.WARNING,
                                "the model `" + name
                                        + "` was made before sluice could guard it: give tools to it only through"
                                        + " chat clients with `sluice.advisor()`");
            }
        }
        ResolvableType later = ResolvableType.forClassWithGenerics(Supplier.class, NamedClientMcpTransport.class);
        for (String name : beans.getBeanNamesForType(later, true, false)) {
            throw refused("the transports that `" + name + "` supplies can't be guarded", "make each of them a bean");
        }
    }

    /**
     * Refuses what is known to be guarded nowhere.
     *
     * @throws IllegalStateException for such a bean, with the mend
     */
    static void refuse(Object bean, String name) {
        for (Object part : parts(bean)) {
            String why = part == null ? null : why(part, "`" + name + "`");
            if (why != null) {
                throw new IllegalStateException(why);
            }
        }
    }

    private static Collection<?> parts(Object bean) {
        return bean instanceof Object[] all
                ? Arrays.asList(all)
                : bean instanceof Map<?, ?> map
                        ? map.values()
                        : bean instanceof Collection<?> all ? all : List.of(bean);
    }

    private static @Nullable String why(Object part, String name) {
        boolean is = isAny(part, Sluice::isGuarded);
        if (part instanceof McpSyncClient || part instanceof McpAsyncClient) {
            return is
                    ? null
                    : text(
                            "the MCP client " + name + " speaks with its server unguarded",
                            "make it with `McpClient.sync(sluice.guard(transport, server))`, or let Spring AI make it");
        }
        if (part instanceof NamedClientMcpTransport transport) {
            return Sluice.isGuarded(transport.transport())
                    ? null
                    : text(
                            "the transport " + name + " was made before" + " sluice could guard it",
                            "wrap it with `sluice.guard(transport, server)`, or make it later");
        }
        if (part instanceof ToolCallingManager
                || part instanceof ToolCallbackResolver
                || part instanceof ToolCallback) {
            return is
                    ? null
                    : text(
                            "what calls, finds or is a tool, " + name + ", was made before sluice could guard it",
                            "wrap it with `sluice.guard(...)`, or make it later");
        }
        if (part instanceof ToolCallingAdvisor || part instanceof ToolCallingAdvisor.Builder<?>) {
            Object calls = Private.field(part, ToolCallingManager.class);
            return calls != null && isAny(calls, Sluice::isGuarded)
                    ? null
                    : text(
                            "the advisor " + name + " calls tools on its own",
                            "give it the bean that is a `ToolCallingManager`");
        }
        return null;
    }

    /** Others may have put something before what is guarded. */
    private static boolean isAny(Object bean, Predicate<Object> guarded) {
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            if (guarded.test(each)) {
                return true;
            }
        }
        return false;
    }

    private static String text(String what, String mend) {
        return what + "; " + mend;
    }

    private static IllegalStateException refused(String what, String mend) {
        return new IllegalStateException(text(what, mend));
    }
}
