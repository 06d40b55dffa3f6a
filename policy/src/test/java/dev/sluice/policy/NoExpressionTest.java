package dev.sluice.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A policy without expressions starts without the expression language, which takes a third of a second to load. */
class NoExpressionTest {

    private static final String PLAIN = """
            version: 1
            audiences: {clinic: {domains: [clinic.example]}}
            servers:
              mail:
                defaults: {integrity: trusted}
                tools:
                  read: {returns: {items: /messages/*, readers: [/from], fields: {/subject: {integrity: untrusted}}}}
            rules:
              - {id: r, on: {effects: [writes]}, then: deny}
            """;

    /** Loads this room's classes anew, and notes what is asked for of CEL. */
    private static final class Noting extends ClassLoader {
        private final List<String> asked = new ArrayList<>();

        Noting() {
            super(NoExpressionTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("dev.cel.") || name.startsWith("com.google.common.")) {
                asked.add(name);
            }
            if (!name.startsWith("dev.sluice.policy.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private static List<String> asked(String policy) throws ReflectiveOperationException {
        Noting loader = new Noting();
        Object parsed = loader.loadClass("dev.sluice.policy.PolicyParser")
                .getMethod("parse", String.class, String.class)
                .invoke(null, "p.yaml", policy);
        Class<?> type = loader.loadClass("dev.sluice.policy.Policy");
        loader.loadClass("dev.sluice.policy.PolicyEngine").getConstructor(type).newInstance(parsed);
        return loader.asked;
    }

    @Test
    void policyWithoutExpressions_loadsNothingOfCel() throws ReflectiveOperationException {
        assertEquals(List.of(), asked(PLAIN));
    }

    @Test
    void policyWithOne_loadsIt() throws ReflectiveOperationException, InvocationTargetException {
        assertTrue(asked(PLAIN.replace("[/from]", "flat(item.from)")).contains("dev.cel.compiler.CelCompilerFactory"));
    }
}
