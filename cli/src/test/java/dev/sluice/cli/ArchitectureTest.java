package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The rooms and the arrows between them, and what holds in every room. One table; every exception carries its reason.
 */
class ArchitectureTest {

    /** What each room may use, besides itself. An arrow includes what its target may use. */
    private static final Map<String, Set<String>> ARROWS = new TreeMap<>(Map.ofEntries(
            Map.entry("wire", Set.of()),
            Map.entry("labels", Set.of()),
            Map.entry("schemes", Set.of("wire", "labels")),
            Map.entry("policy", Set.of("wire", "labels")),
            Map.entry("store", Set.of("wire", "labels")),
            Map.entry("store.sqlite", Set.of("store", "wire", "labels")),
            Map.entry("guard", Set.of("wire", "labels", "schemes", "policy", "store")),
            // An adapter may use what guard's own API is made of, and no other adapter.
            Map.entry("mcpjava", Set.of("guard", "wire", "labels", "schemes", "policy", "store")),
            Map.entry("springai", Set.of("guard", "wire", "labels", "schemes", "policy", "store")),
            // A starter may name one engine.
            Map.entry(
                    "springai.starter",
                    Set.of("springai", "guard", "wire", "labels", "schemes", "policy", "store", "store.sqlite")),
            Map.entry("langchain4j", Set.of("guard", "wire", "labels", "schemes", "policy", "store")),
            Map.entry("gateway", Set.of("guard", "policy", "store", "store.sqlite", "wire", "labels", "schemes")),
            Map.entry(
                    "cli",
                    Set.of("gateway", "guard", "policy", "store", "store.sqlite", "wire", "labels", "schemes"))));

    /** Libraries that a room may name; the JDK and JSpecify are everybody's. */
    private static final Map<String, Set<String>> LIBRARIES = Map.ofEntries(
            Map.entry("wire", Set.of("tools.jackson")),
            Map.entry("labels", Set.of()),
            Map.entry("schemes", Set.of("tools.jackson")),
            Map.entry(
                    "policy",
                    Set.of(
                            "tools.jackson",
                            "org.snakeyaml.engine",
                            "dev.cel",
                            "com.google.re2j",
                            "com.google.common.collect")), // CEL's own API
            Map.entry("store", Set.of("tools.jackson")),
            Map.entry("store.sqlite", Set.of("tools.jackson", "org.sqlite")),
            Map.entry(
                    "guard",
                    Set.of(
                            "tools.jackson",
                            "com.networknt.schema",
                            "com.google.re2j",
                            "javax.net.ssl")), // of the JDK: certificates, for records over https
            Map.entry("mcpjava", Set.of("tools.jackson", "io.modelcontextprotocol", "reactor", "org.reactivestreams")),
            Map.entry("springai", Set.of("tools.jackson", "io.modelcontextprotocol", "reactor", "org.springframework")),
            Map.entry("springai.starter", Set.of("org.springframework", "org.aopalliance", "io.modelcontextprotocol")),
            // LangChain4j's own messages are trees of the older Jackson.
            Map.entry("langchain4j", Set.of("com.fasterxml.jackson", "dev.langchain4j")),
            Map.entry(
                    "gateway",
                    Set.of(
                            "tools.jackson",
                            "org.eclipse.jetty",
                            "com.nimbusds.jose",
                            "com.nimbusds.jwt",
                            "javax.net.ssl", // of the JDK: to tell a certificate that is not accepted from silence
                            "javax.crypto", // of the JDK: seals what a client gives back
                            "io.opentelemetry")), // spans; only in one class, as the table below says
            Map.entry("cli", Set.of("tools.jackson", "picocli")));

    /** The folders of rooms that are not called like their package. */
    private static final Map<String, String> FOLDERS = Map.of(
            "store.sqlite",
            "store-sqlite",
            "mcpjava",
            "adapters/mcp-java",
            "springai",
            "adapters/spring-ai",
            "springai.starter",
            "adapters/spring-ai-starter",
            "langchain4j",
            "adapters/langchain4j");

    /** The only places that may name the SQLite engine: what assembles the state, and the command that reports on it. */
    private static final Set<String> ENGINE_NAMED_BY =
            Set.of("dev.sluice.gateway.State", "dev.sluice.springai.starter.SluiceAutoConfiguration");

    /** The only class that may name OpenTelemetry: what does not need it is started without loading any of it. */
    private static final String SPANS_MADE_BY = "dev.sluice.gateway.telemetry.OtlpSpans";

    /** Standard output is the protocol: only reports of the command line and the log may use the standard streams. */
    private static final Set<String> STREAMS_USED_BY = Set.of(
            "dev.sluice.gateway.Log",
            "dev.sluice.cli.Main",
            "dev.sluice.cli.Output",
            "dev.sluice.cli.InputFile", // reads standard input where `-` is named
            "dev.sluice.cli.GatewayCommand", // prints its address, and speaks no protocol there
            "dev.sluice.cli.StateOption", // asks for the secret
            "dev.sluice.cli.Wrapper"); // hands standard input to the gateway

    private static JavaClasses classes = new ClassFileImporter().importClasses(ArchitectureTest.class);

    @BeforeAll
    static void read() throws IOException {
        Path root = Path.of("..").toRealPath();
        List<Path> folders = new ArrayList<>();
        for (String room : ARROWS.keySet()) {
            Path folder = root.resolve(folder(room)).resolve("target/classes");
            assertTrue(Files.isDirectory(folder), "not built: " + room);
            folders.add(folder);
        }
        classes = new ClassFileImporter().importPaths(folders);
        assertTrue(classes.size() > 100, "classes of all rooms are read, not only " + classes.size());
    }

    private static String folder(String room) {
        return FOLDERS.getOrDefault(room, room);
    }

    private static String room(JavaClass type) {
        String name = type.getPackageName();
        if (!name.startsWith("dev.sluice.")) {
            return "";
        }
        String rest = name.substring("dev.sluice.".length());
        return Stream.of("store.sqlite", "springai.starter")
                .filter(rest::startsWith)
                .findFirst()
                .orElse(rest.split("\\.")[0]);
    }

    @Test
    void rooms_useOnlyWhatTheTableAllows() {
        Set<String> wrong = new TreeSet<>();
        dependencies((from, to) -> {
            String target = room(to);
            if (!target.isEmpty()
                    && !target.equals(room(from))
                    && !ARROWS.get(room(from)).contains(target)) {
                wrong.add(from.getName() + " -> " + to.getName());
            }
        });
        assertEquals(Set.of(), wrong);
    }

    @Test
    void libraries_areThoseOfTheTable() {
        Set<String> wrong = new TreeSet<>();
        dependencies((from, to) -> {
            String name = to.getName();
            boolean everybodys = name.startsWith("java.") || name.startsWith("org.jspecify.") || !name.contains(".");
            boolean allowed = room(to).isEmpty()
                    && LIBRARIES.get(room(from)).stream().anyMatch(each -> name.startsWith(each + "."));
            if (room(to).isEmpty() && !everybodys && !allowed) {
                wrong.add(from.getName() + " -> " + name);
            }
        });
        assertEquals(Set.of(), wrong);
    }

    @Test
    void concreteEngine_isNamedByItsAssemblerOnly() {
        Set<String> wrong = new TreeSet<>();
        dependencies((from, to) -> {
            if (room(to).equals("store.sqlite")
                    && !room(from).equals("store.sqlite")
                    && !ENGINE_NAMED_BY.contains(from.getName())) {
                wrong.add(from.getName() + " -> " + to.getName());
            }
        });
        assertEquals(Set.of(), wrong);
    }

    @Test
    void openTelemetry_isNamedByOneClass() {
        Set<String> by = new TreeSet<>();
        dependencies((from, to) -> {
            if (to.getName().startsWith("io.opentelemetry.")) {
                by.add(outermost(from));
            }
        });
        assertEquals(Set.of(SPANS_MADE_BY), by);
    }

    @Test
    void packages_haveNoCycles() {
        SlicesRuleDefinition.slices()
                .matching("dev.sluice.(**)")
                .should()
                .beFreeOfCycles()
                // Log is the one name that the parts of the gateway share with what puts them together.
                .ignoreDependency(
                        DescribedPredicate.alwaysTrue(),
                        DescribedPredicate.describe(
                                "the log", type -> type.getName().startsWith("dev.sluice.gateway.Log")))
                .check(classes);
    }

    @Test
    void packages_areNullMarked() {
        Set<String> packages = new TreeSet<>();
        Set<String> marked = new TreeSet<>();
        for (JavaClass type : classes) {
            packages.add(type.getPackageName());
            if (type.getSimpleName().equals("package-info")
                    && type.isAnnotatedWith("org.jspecify.annotations.NullMarked")) {
                marked.add(type.getPackageName());
            }
        }
        assertEquals(packages, marked);
    }

    @Test
    void names_areNotOfDrawersForEverything() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass type : classes) {
            if (type.getPackageName().matches(".*\\.(util|utils|common|core|model|impl|helper|helpers)(\\..*)?")
                    || type.getSimpleName().matches(".*(Manager|Helper|Utils?|Impl)")) {
                wrong.add(type.getName());
            }
        }
        assertEquals(Set.of(), wrong);
    }

    @Test
    void standardStreams_areUsedWhereTheyMayBe() {
        Set<String> wrong = new TreeSet<>();
        for (JavaClass type : classes) {
            type.getFieldAccessesFromSelf().stream()
                    .filter(access -> access.getTargetOwner().getName().equals("java.lang.System"))
                    .filter(access -> !STREAMS_USED_BY.contains(outermost(type)))
                    .forEach(access -> wrong.add(type.getName() + " uses System." + access.getName()));
        }
        assertEquals(Set.of(), wrong);
    }

    private static String outermost(JavaClass type) {
        int nested = type.getName().indexOf('$');
        return nested < 0 ? type.getName() : type.getName().substring(0, nested);
    }

    /** A file of more than 400 lines says at its head why. */
    @Test
    void files_areShortOrSayWhyNot() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Path file : sources()) {
            List<String> lines = Files.readAllLines(file);
            boolean excused = lines.stream().limit(10).anyMatch(line -> line.contains("more than 400 lines because"));
            if (lines.size() > 400 && !excused) {
                wrong.add(file.getFileName() + " has " + lines.size());
            }
        }
        assertEquals(Set.of(), wrong);
    }

    /** A method called like a test without being one would never run. */
    @Test
    void testMethods_areAnnotated() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (Path file : sources()) {
            List<String> lines = Files.readAllLines(file);
            if (!file.toString().contains("/src/test/") || lines.stream().noneMatch(line -> line.contains("@Test"))) {
                continue;
            }
            for (int i = 1; i < lines.size(); i++) {
                boolean looksLikeOne = lines.get(i).matches(" {4}(public )?void [a-zA-Z0-9]+_[a-zA-Z0-9_]+\\(.*");
                if (looksLikeOne && annotationsBefore(lines, i).isEmpty()) {
                    wrong.add(file.getFileName() + ":" + (i + 1));
                }
            }
        }
        assertEquals(Set.of(), wrong);
    }

    private static List<String> annotationsBefore(List<String> lines, int method) {
        List<String> found = new ArrayList<>();
        for (int i = method - 1; i >= 0 && !lines.get(i).equals("    }"); i--) {
            if (lines.get(i).contains("@")) {
                found.add(lines.get(i));
            }
        }
        return found;
    }

    @Test
    void libraryRooms_runOnJava17() throws IOException {
        for (String room : List.of(
                "wire",
                "labels",
                "schemes",
                "policy",
                "store",
                "store.sqlite",
                "guard",
                "mcpjava",
                "springai",
                "springai.starter",
                "langchain4j")) {
            Path folder = Path.of("..").toRealPath().resolve(folder(room)).resolve("target/classes");
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".class")).toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    assertEquals(61, bytes[7], "class file version of " + file.getFileName());
                }
            }
        }
    }

    @Test
    void everyRoom_isInTheTable() throws IOException {
        String modules = Files.readString(Path.of("..").toRealPath().resolve("pom.xml"));
        for (String room : ARROWS.keySet()) {
            assertTrue(modules.contains("<module>" + folder(room) + "</module>"), room);
        }
        assertFalse(modules.contains("<module>common</module>"));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("..").toRealPath())) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/node_modules/"))
                    .toList();
        }
    }

    private interface Arrow {
        void between(JavaClass from, JavaClass to);
    }

    private static void dependencies(Arrow arrow) {
        for (JavaClass type : classes) {
            type.getDirectDependenciesFromSelf()
                    .forEach(dependency ->
                            arrow.between(type, dependency.getTargetClass().getBaseComponentType()));
        }
    }
}
