package dev.sluice.springai.starter;

import dev.sluice.springai.Sluice;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;

/** Stands before a bean that keeps its class: lets no unguarded tool in, where it is a model, and none out. */
final class Gate implements MethodInterceptor {

    private final UnaryOperator<ToolCallback> guard;

    private Gate(UnaryOperator<ToolCallback> guard) {
        this.guard = guard;
    }

    /** Returns {@code bean} with a gate before it, of a subclass of its class where there can be one. */
    static Object before(Object bean, UnaryOperator<ToolCallback> guard) {
        if (isBefore(bean)) {
            return bean;
        }
        ProxyFactory factory = new ProxyFactory(bean);
        factory.setProxyTargetClass(isOpen(bean.getClass()));
        factory.addAdvice(new Gate(guard));
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    static boolean isBefore(Object bean) {
        return bean instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each.getAdvice() instanceof Gate);
    }

    /** Whether there can be a subclass; final methods would run in it without the fields of the bean. */
    private static boolean isOpen(Class<?> type) {
        if (Modifier.isFinal(type.getModifiers())
                || Arrays.stream(type.getDeclaredConstructors())
                        .allMatch(each -> Modifier.isPrivate(each.getModifiers()))) {
            return false;
        }
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                int is = method.getModifiers();
                if (Modifier.isFinal(is) && !Modifier.isPrivate(is) && !Modifier.isStatic(is)) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        for (Object each : call.getArguments()) {
            if (each instanceof Prompt prompt) {
                Sluice.requireGuarded(prompt);
            }
        }
        Object result = call.proceed();
        return result instanceof ToolCallback[] tools
                ? Arrays.stream(tools).map(guard).toArray(ToolCallback[]::new)
                : result;
    }
}
