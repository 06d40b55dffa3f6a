package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A page of {@code docs/} and the programs that stand in it, built as its reader would. */
final class Page {

    /** The SDK of the version that the pages name; the build puts it there. */
    private static final Path SDK = Path.of("target", "newer-java-sdk");

    private final String text;

    /** Reads {@code docs/<name>}. */
    Page(String name) throws IOException {
        text = Files.readString(Path.of("..", "docs", name));
    }

    /** Returns the fenced blocks of a language, in order. */
    List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** Returns what programs are built against and run with: the SDK of the pages, then all that tests have. */
    static String classPath() throws IOException {
        List<String> path = new ArrayList<>();
        try (Stream<Path> jars = Files.list(SDK)) {
            jars.sorted().forEach(jar -> path.add(jar.toAbsolutePath().toString()));
        }
        path.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        return String.join(File.pathSeparator, path);
    }

    /** Compiles sources of {@code com.example} below {@code folder}, for Java 17; returns where the classes are. */
    static Path compiled(Path folder, List<String> sources) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--release", "17", "-proc:none", "-d", folder.resolve("classes").toString(), "-cp", classPath()));
        for (String source : sources) {
            String type = Pattern.compile("class (\\w+) (?:implements \\w+ )?\\{")
                    .matcher(source)
                    .results()
                    .findFirst()
                    .orElseThrow()
                    .group(1);
            Path file = folder.resolve("com/example/" + type + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, source);
            arguments.add(file.toString());
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int exit = ToolProvider.getSystemJavaCompiler().run(null, said, said, arguments.toArray(String[]::new));
        assertEquals(0, exit, said.toString(StandardCharsets.UTF_8));
        return folder.resolve("classes");
    }

    /** Returns how to run a class that was compiled so. */
    static List<String> command(Path classes, String main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classes + File.pathSeparator + classPath(),
                main));
        command.addAll(List.of(arguments));
        return command;
    }
}
