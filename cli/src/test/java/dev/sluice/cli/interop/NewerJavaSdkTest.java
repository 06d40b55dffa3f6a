package dev.sluice.cli.interop;

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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything that {@link JavaSdkHttpTest} does, with version 2.2.0 of the SDK: its classes and the test's own are loaded
 * anew, with the Reactor that 2.1.0 brings.
 */
@Tag("interop")
final class NewerJavaSdkTest {

    /** The build puts the jars there. */
    private static final Path JARS = Path.of("target", "newer-java-sdk");

    private static final ClassLoader USUAL = NewerJavaSdkTest.class.getClassLoader();

    @TempDir
    private Path temp;

    private Apart apart;
    private Object scenarios;

    /** Has the SDK and the tests that use it for itself, and shares the rest. */
    private static final class Apart extends URLClassLoader {

        Apart(URL[] urls) {
            super(urls, USUAL);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.modelcontextprotocol.") && !name.startsWith("dev.sluice.cli.interop.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @BeforeAll
    static void demandServers() {
        Interop.demand();
    }

    @BeforeEach
    void connect() throws Exception {
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> jars = Files.list(JARS)) {
            for (Path jar : jars.toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        urls.add(NewerJavaSdkTest.class.getProtectionDomain().getCodeSource().getLocation());
        apart = new Apart(urls.toArray(URL[]::new));
        Thread.currentThread().setContextClassLoader(apart); // the SDK looks for its parts there
        var made = apart.loadClass(JavaSdkHttpTest.class.getName()).getDeclaredConstructor();
        made.setAccessible(true);
        scenarios = made.newInstance();
        invoke(method("connect", Path.class), temp);
    }

    @AfterEach
    void disconnect() throws Throwable {
        try {
            invoke(method("disconnect"));
            invoke(method("stop"));
        } finally {
            Thread.currentThread().setContextClassLoader(USUAL);
            apart.close();
        }
    }

    private List<Method> methods() {
        List<Method> methods = new ArrayList<>(List.of(scenarios.getClass().getDeclaredMethods()));
        methods.addAll(List.of(scenarios.getClass().getSuperclass().getDeclaredMethods()));
        return methods;
    }

    private Method method(String name, Class<?>... parameters) throws NoSuchMethodException {
        return methods().stream()
                .filter(method -> method.getName().equals(name)
                        && List.of(method.getParameterTypes()).equals(List.of(parameters)))
                .findFirst()
                .orElseThrow(() -> new NoSuchMethodException(name));
    }

    private void invoke(Method method, Object... arguments) throws Exception {
        method.setAccessible(true);
        try {
            method.invoke(scenarios, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    @TestFactory
    Stream<DynamicTest> newerVersion_doesWhatTheUsualOneDoes() throws Exception {
        String client = apart.loadClass("io.modelcontextprotocol.client.McpSyncClient")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        assertTrue(client.endsWith("/mcp-core-2.2.0.jar"), client);
        return methods().stream()
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> dynamicTest(method.getName(), () -> invoke(method)));
    }
}
