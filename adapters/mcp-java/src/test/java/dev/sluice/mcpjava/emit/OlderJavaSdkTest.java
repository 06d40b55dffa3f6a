package dev.sluice.mcpjava.emit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

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
 * Everything that {@link LegacyServerTest} does, with version 2.1.0 of the SDK, which lacks the other stack: its classes,
 * ours and the test's are loaded anew.
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
        for (Class<?> each : List.of(Labels.class, OlderJavaSdkTest.class)) {
            urls.add(each.getProtectionDomain().getCodeSource().getLocation());
        }
        apart = new Apart(urls.toArray(URL[]::new));
        Thread.currentThread().setContextClassLoader(apart); // the SDK looks for its parts there
    }

    @AfterEach
    void unload() throws Exception {
        Thread.currentThread().setContextClassLoader(USUAL);
        apart.close();
    }

    private static void invoke(Object scenarios, String name) throws Exception {
        Method method = scenarios.getClass().getDeclaredMethod(name);
        method.setAccessible(true);
        try {
            method.invoke(scenarios);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private void run(Class<?> scenarios, String name) throws Exception {
        var made = scenarios.getDeclaredConstructor();
        made.setAccessible(true);
        Object fresh = made.newInstance();
        invoke(fresh, "start");
        try {
            invoke(fresh, name);
        } finally {
            invoke(fresh, "stop");
        }
    }

    @TestFactory
    Stream<DynamicTest> olderVersion_doesWhatTheNewerOneDoes() throws Exception {
        Class<?> scenarios = apart.loadClass(LegacyServerTest.class.getName());
        String server = apart.loadClass("io.modelcontextprotocol.server.McpSyncServer")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        assertTrue(server.endsWith("/mcp-core-2.1.0.jar"), server);
        return Stream.of(scenarios.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> dynamicTest(method.getName(), () -> run(scenarios, method.getName())));
    }

    @Test
    void otherStack_isMissingThere() {
        assertThrows(
                ClassNotFoundException.class, () -> apart.loadClass("io.modelcontextprotocol.modern.server.McpServer"));
    }
}
