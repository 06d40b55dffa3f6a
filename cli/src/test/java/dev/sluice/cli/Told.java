package dev.sluice.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a command said when it was run as its own process, as a person or a script runs it. */
record Told(int exit, String out, String err) {

    static Told by(String... arguments) throws IOException, InterruptedException {
        return by(Map.of(), arguments);
    }

    static Told by(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        return reading(new byte[0], environment, arguments);
    }

    /** The command gets {@code input} on standard input. */
    static Told reading(byte[] input, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Children.sluice(arguments));
        builder.environment().remove(StateOption.SECRET_VARIABLE);
        builder.environment().remove(TypedCommand.TOKEN_VARIABLE);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (var out = process.getOutputStream()) {
            out.write(input);
        }
        var err = java.util.concurrent.CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
        String out = read(process.getInputStream());
        return new Told(process.waitFor(), out, err.join());
    }

    private static String read(java.io.InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    List<JsonNode> json() {
        return out.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    }
}
