package dev.sluice.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a command said.
 *
 * <p>Most run within this process, since a JVM for each would be nearly all that the tests cost; of every verb one test or
 * more runs it {@link #byProcess as its own}, as a person or a script does.
 */
public record Told(int exit, String out, String err) {

    /** They speak over the descriptors of their process, or end with it. */
    private static final Set<String> NEED_A_PROCESS = Set.of("run", "gateway", "demo");

    static Told by(String... arguments) {
        return by(Map.of(), arguments);
    }

    /** The command gets no variables but those of {@code environment}, and nothing on standard input. */
    public static Told by(Map<String, String> environment, String... arguments) {
        return reading(new byte[0], environment, arguments);
    }

    /** The command gets {@code input} on standard input, and no variables but those of {@code environment}. */
    static synchronized Told reading(byte[] input, Map<String, String> environment, String... arguments) {
        if (arguments.length > 0 && NEED_A_PROCESS.contains(arguments[0])) {
            throw new IllegalArgumentException("`" + arguments[0] + "` needs a process of its own");
        }
        InputStream usualIn = System.in;
        PrintStream usualOut = System.out;
        PrintStream usualErr = System.err;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit;
        try {
            System.setIn(new ByteArrayInputStream(input));
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            exit = Main.execute(environment, arguments);
        } finally {
            System.setIn(usualIn);
            System.setOut(usualOut);
            System.setErr(usualErr);
        }
        return new Told(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    static Told byProcess(String... arguments) throws IOException, InterruptedException {
        return byProcess(Map.of(), arguments);
    }

    static Told byProcess(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        return readingByProcess(new byte[0], environment, arguments);
    }

    /** The command gets {@code input} on standard input. */
    static Told readingByProcess(byte[] input, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Children.sluice(arguments));
        builder.environment().remove(StateOption.SECRET_VARIABLE);
        builder.environment().remove(TypedCommand.TOKEN_VARIABLE);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (var out = process.getOutputStream()) {
            out.write(input);
        }
        var err = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
        String out = read(process.getInputStream());
        return new Told(process.waitFor(), out, err.join());
    }

    private static String read(InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<JsonNode> json() {
        return out.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    }
}
