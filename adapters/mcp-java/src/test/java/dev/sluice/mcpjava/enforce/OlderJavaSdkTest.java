package dev.sluice.mcpjava.enforce;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Everything that {@link GuardedTransportTest} does, with version 2.1.0 of the SDK, which has no classes for revision
 * 2026-07-28: what was compiled against 2.2.0 is loaded anew with it.
 */
final class OlderJavaSdkTest {

    /** The build puts the jars there. */
    private static final Path JARS = Path.of("target", "older-java-sdk");

    private static final ClassLoader USUAL = OlderJavaSdkTest.class.getClassLoader();

    private Apart apart;

    /** Has the SDK and what uses it for itself, and shares the rest. */
    private static final class Apart extends URLClassLoader {

        Apart(URL[] urls) {
            super(urls, USUAL);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.modelcontextprotocol.") && !name.startsWith("dev.sluice.mcpjava.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @BeforeEach
    void load() throws Exception {
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> jars = Files.list(JARS)) {
            for (Path jar : jars.toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        for (Class<?> ours : List.of(OlderJavaSdkTest.class, GuardedTransport.class)) {
            urls.add(ours.getProtectionDomain().getCodeSource().getLocation());
        }
        apart = new Apart(urls.toArray(URL[]::new));
        Thread.currentThread().setContextClassLoader(apart); // the SDK looks for its parts there
    }

    @AfterEach
    void unload() throws Exception {
        Thread.currentThread().setContextClassLoader(USUAL);
        apart.close();
    }

    private static void invoke(Method method, Object on) throws Exception {
        method.setAccessible(true);
        try {
            method.invoke(on);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    @TestFactory
    Stream<DynamicTest> olderVersion_doesWhatTheNewerOneDoes() throws Exception {
        String client = apart.loadClass("io.modelcontextprotocol.client.McpSyncClient")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        assertTrue(client.endsWith("/mcp-core-2.1.0.jar"), client);
        Class<?> tests = apart.loadClass(GuardedTransportTest.class.getName());
        Method close = tests.getDeclaredMethod("close");
        Constructor<?> made = tests.getDeclaredConstructor();
        made.setAccessible(true);
        return Stream.of(tests.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> dynamicTest(method.getName(), () -> {
                    Object test = made.newInstance();
                    try {
                        invoke(method, test);
                    } finally {
                        invoke(close, test);
                    }
                }));
    }

    @Test
    void olderVersion_hasNoModernClasses() throws Exception {
        assertSame(apart, apart.loadClass(GuardedTransport.class.getName()).getClassLoader());
        assertThrows(NoClassDefFoundError.class, () -> apart.loadClass(GuardedModernTransport.class.getName()));
    }
}
