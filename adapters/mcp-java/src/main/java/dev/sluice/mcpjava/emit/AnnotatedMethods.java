package dev.sluice.mcpjava.emit;

import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The methods of one object that answer tools, by the names of these. Methods of superclasses don't count. */
final class AnnotatedMethods {

    private final Object owner;
    private final Map<String, Method> byTool = new LinkedHashMap<>();

    /**
     * Reads the methods that have {@link Action} or {@link Returns}.
     *
     * @param parameters what a method may take, each once
     * @param returned what it must return
     * @throws IllegalArgumentException where one has another form, or two are for one tool
     */
    AnnotatedMethods(Object owner, List<Class<?>> parameters, Class<?> returned) {
        this.owner = owner;
        for (Method method : owner.getClass().getDeclaredMethods()) {
            if (method.isSynthetic()
                    || !(method.isAnnotationPresent(Action.class) || method.isAnnotationPresent(Returns.class))) {
                continue;
            }
            Declaration.of(method);
            check(method, parameters, returned);
            Method other = byTool.put(tool(method), method);
            if (other != null) {
                throw new IllegalArgumentException("`" + other.getName() + "` and `" + method.getName()
                        + "` both answer the tool `" + tool(method) + "`: name another tool in one of them");
            }
        }
    }

    private static String tool(Method method) {
        String named = method.getAnnotation(Action.class).tool();
        return named.isEmpty() ? method.getName() : named;
    }

    private static void check(Method method, List<Class<?>> parameters, Class<?> returned) {
        Set<Class<?>> taken = new LinkedHashSet<>(Arrays.asList(method.getParameterTypes()));
        if (taken.size() != method.getParameterCount()
                || !parameters.containsAll(taken)
                || !returned.isAssignableFrom(method.getReturnType())) {
            throw new IllegalArgumentException("the method `" + method.getName() + "` can't answer a tool: let it take "
                    + String.join(
                            " and ",
                            parameters.stream().map(AnnotatedMethods::shown).toList())
                    + ", each at most once, and return " + shown(returned));
        }
        try {
            method.setAccessible(true);
        } catch (InaccessibleObjectException e) {
            throw new IllegalArgumentException(
                    "the method `" + method.getName() + "` can't be called from here: open its package in the module",
                    e);
        }
    }

    private static String shown(Class<?> type) {
        return "`" + type.getSimpleName() + "`";
    }

    /**
     * Checks that each method has its tool, and each tool its method.
     *
     * @throws IllegalArgumentException where one is missing, or a tool is given twice
     */
    void match(List<String> tools) {
        Set<String> names = new LinkedHashSet<>();
        for (String tool : tools) {
            if (!byTool.containsKey(tool)) {
                throw new IllegalArgumentException("no method answers the tool `" + tool
                        + "`: put `@Action` and `@Returns` on one, with that name in `tool`");
            }
            if (!names.add(tool)) {
                throw new IllegalArgumentException("the tool `" + tool + "` is given twice: give it once");
            }
        }
        for (Map.Entry<String, Method> each : byTool.entrySet()) {
            if (!names.contains(each.getKey())) {
                throw new IllegalArgumentException(
                        "the method `" + each.getValue().getName() + "` answers the tool `" + each.getKey()
                                + "`, which is not given: give it, or take the annotations away");
            }
        }
    }

    Declaration declaration(String tool) {
        return Declaration.of(method(tool));
    }

    private Method method(String tool) {
        Method method = byTool.get(tool);
        if (method == null) {
            throw new IllegalArgumentException("no method answers the tool `" + tool + "`");
        }
        return method;
    }

    /** Calls the method of a tool with those of {@code values} that it takes. */
    @Nullable
    Object call(String tool, Object... values) {
        Method method = method(tool);
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            for (Object value : values) {
                if (type.isInstance(value)) {
                    arguments.add(value);
                    break;
                }
            }
        }
        try {
            return method.invoke(Modifier.isStatic(method.getModifiers()) ? null : owner, arguments.toArray());
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("the tool `" + tool + "` failed: " + e.getCause(), e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("the tool `" + tool + "` can't be called: make its method accessible", e);
        }
    }
}
