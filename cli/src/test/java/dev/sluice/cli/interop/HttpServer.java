package dev.sluice.cli.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** A program that serves HTTP on a port of its choice and says so in its first line, such as {@code sluice gateway}. */
final class HttpServer implements AutoCloseable {

    private static final String LISTENING = "listening on ";

    private final Process process;
    private final URI address;

    private HttpServer(Process process, URI address) {
        this.process = process;
        this.address = address;
    }

    /** Starts a program and returns when it serves. */
    static HttpServer start(List<String> command, Path folder) throws IOException {
        Path err = Files.createTempFile(folder, "stderr", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(Interop.environment(folder));
        Process process = builder.start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null || !line.startsWith(LISTENING)) {
            Interop.stop(process);
            throw new IOException("it does not serve: " + command + "\n" + Files.readString(err));
        }
        return new HttpServer(process, URI.create(line.substring(LISTENING.length())));
    }

    /** Starts {@code sluice gateway} with a policy. */
    static HttpServer gateway(String policy, Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("policy.yaml"), policy);
        return start(
                Interop.sluice(
                        "gateway",
                        "--policy",
                        file.toString(),
                        "--state",
                        folder.resolve("state").toString(),
                        "--port",
                        "0"),
                folder);
    }

    /**
     * Returns a policy under which all data of these servers may go anywhere.
     *
     * @param servers the command of each, by its name
     */
    static String freely(Map<String, List<String>> servers) {
        StringBuilder policy = new StringBuilder("version: 1\nmode: enforce\nservers:\n");
        servers.forEach((name, command) -> {
            List<String> words = new ArrayList<>();
            command.forEach(word -> words.add(JsonMapper.shared().writeValueAsString(word)));
            policy.append("  ")
                    .append(name)
                    .append(":\n    known: none\n    command: [")
                    .append(String.join(", ", words))
                    .append("]\n    defaults: {integrity: trusted, confidentiality: public}\n");
        });
        return policy.toString();
    }

    URI address() {
        return address;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(Interop.HANG_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("it does not end: " + process.info());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Interop.stop(process);
        }
    }
}
