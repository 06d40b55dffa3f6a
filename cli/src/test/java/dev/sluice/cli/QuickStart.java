package dev.sluice.cli;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * What makes the JVMs of the tests start in half the time: their class path as jars, and an archive of the classes that
 * they load from there. (JEP 310: such an archive takes no folders.)
 *
 * <p>It is made once for a build, by whichever process of the tests comes first. A JVM that it does not fit goes on without.
 *
 * @param classPath the jars
 * @param option what the JVM is told about the archive
 */
record QuickStart(String classPath, String option) {

    private static final Path FOLDER = Path.of("target", "quick-start").toAbsolutePath();
    private static final Path ARCHIVE = FOLDER.resolve("classes.jsa");

    /** The class path of the tests, which holds every server that they start. */
    static String usualClassPath() {
        // Surefire starts its process with a jar that only names the class path.
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    static QuickStart make() {
        try {
            Files.createDirectories(FOLDER);
            Path file = FOLDER.resolve("lock");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = channel.lock()) {
                return make(held);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static QuickStart make(FileLock held) throws IOException, InterruptedException {
        StringBuilder state = new StringBuilder(System.getProperty("java.home")).append(held.isShared());
        List<String> jars = new ArrayList<>();
        List<Path> folders = new ArrayList<>();
        for (String name : usualClassPath().split(File.pathSeparator, -1)) {
            Path entry = Path.of(name);
            if (name.isEmpty() || !Files.exists(entry)) {
                continue;
            }
            state.append('\n').append(name).append(' ').append(newest(entry));
            if (Files.isDirectory(entry)) {
                jars.add(FOLDER.resolve(folders.size() + ".jar").toString());
                folders.add(entry);
            } else {
                jars.add(name);
            }
        }
        String classPath = String.join(File.pathSeparator, jars);
        Path madeOf = FOLDER.resolve("made-of");
        if (!Files.exists(madeOf) || !Files.readString(madeOf).equals(state.toString())) {
            Files.deleteIfExists(madeOf);
            Files.deleteIfExists(ARCHIVE);
            for (int i = 0; i < folders.size(); i++) {
                jar(folders.get(i), FOLDER.resolve(i + ".jar"));
            }
            train(classPath);
            Files.writeString(madeOf, state);
        }
        return new QuickStart(classPath, "-XX:SharedArchiveFile=" + ARCHIVE);
    }

    private static long newest(Path entry) throws IOException {
        long newest = 0;
        try (Stream<Path> all = Files.walk(entry)) {
            for (Path each : all.toList()) {
                newest = Math.max(newest, Files.getLastModifiedTime(each).toMillis());
            }
        }
        return newest;
    }

    private static void jar(Path folder, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(folder.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
    }

    /** Starts one program of each kind, and makes the archive of what they load. */
    private static void train(String classPath) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(FOLDER, "training");
        Path state = folder.resolve("state");
        List<Path> lists = new ArrayList<>();
        List<String> server = listing(classPath, folder, lists).java(FixtureServer.class.getName());
        server.add(folder.resolve("received").toString());
        List<String> wrapper = listing(classPath, folder, lists).java(Main.class.getName());
        wrapper.addAll(List.of("run", "--state", state.toString(), "--session", "training", "--"));
        wrapper.addAll(server);
        try (StdioHost host = new StdioHost(wrapper, folder).initialize()) {
            host.ask("tools/list", "{}");
            host.call("bare", "{}");
            host.call("post", "{\"text\":\"x\"}");
        }
        List<String> command = listing(classPath, folder, lists).java(Main.class.getName());
        command.addAll(List.of("approvals", "list", "--json", "--state", state.toString()));
        run(command);
        Path policy = Files.writeString(
                folder.resolve("policy.yaml"),
                "version: 1\nservers: {fixture: {command: %s}}\n"
                        .formatted(JsonMapper.shared().writeValueAsString(server)));
        List<String> gateway = listing(classPath, folder, lists).java(Main.class.getName());
        gateway.addAll(HttpClientSide.words(policy, state));
        try (HttpClientSide client = HttpClientSide.process(gateway, folder).initialize()) {
            client.call("bare", "{}");
        }

        Set<String> classes = new LinkedHashSet<>();
        for (Path list : lists) {
            // Numbers are those of one run, and classes from elsewhere than the class path refer to them.
            Files.readAllLines(list).stream()
                    .filter(line -> !line.startsWith("#") && !line.contains(" source: "))
                    .map(line -> line.replaceFirst(" id: [0-9]+.*", ""))
                    .forEach(classes::add);
        }
        Path all = Files.write(folder.resolve("all.classes"), classes);
        List<String> dump = new QuickStart(classPath, "-XX:SharedArchiveFile=" + ARCHIVE).java("none");
        // Loaded and linked in the archive already (JEP 483): a sixth less of what a start costs.
        dump.addAll(1, List.of("-Xshare:dump", "-XX:+AOTClassLinking", "-XX:SharedClassListFile=" + all));
        run(dump);
    }

    private static QuickStart listing(String classPath, Path folder, List<Path> lists) {
        Path list = folder.resolve(lists.size() + ".classes");
        lists.add(list);
        return new QuickStart(classPath, "-XX:DumpLoadedClassList=" + list);
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        process.waitFor();
    }

    /** The command of a class of the tests, as a program. */
    List<String> java(String main) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                option,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow", // protobuf, below CEL, would be warned about on every start
                "-cp",
                classPath,
                main));
    }
}
