package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A raw client over stdio: what it sends and gets are lines. */
final class StdioHost implements Caller {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Process process;
    private final BufferedReader in;
    private final BufferedWriter out;
    private final Path errors;
    private final List<JsonNode> aside = new ArrayList<>();
    private int ids;

    StdioHost(List<String> command, Path folder) throws IOException {
        errors = Files.createTempFile(folder, "stderr", ".log");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts {@code sluice run} around a server: all that it keeps is below {@code folder}, and it goes on with what it
     * kept there before.
     *
     * @param options more of {@code run}
     */
    static StdioHost under(String policy, List<String> server, Path folder, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--session", "t", "--state"));
        all.add(folder.resolve("state").toString());
        all.add("--policy");
        all.add(Files.writeString(folder.resolve("policy.yaml"), policy).toString());
        all.addAll(List.of(options));
        return new StdioHost(Children.run(server, all.toArray(String[]::new)), folder);
    }

    /** The same around {@link FixtureServer}, which keeps what it gets in {@code received}. */
    static StdioHost under(String policy, Path folder) throws IOException {
        return under(policy, Children.fixture(folder.resolve("received"), ""), folder);
    }

    /** Shakes hands, with these capabilities. */
    StdioHost initialize(String capabilities) throws IOException {
        ask(
                "initialize",
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" + capabilities
                        + ",\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return this;
    }

    @Override
    public StdioHost initialize() throws IOException {
        return initialize("{}");
    }

    void send(String line) throws IOException {
        out.write(line);
        out.write('\n');
        out.flush();
    }

    String line() throws IOException {
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the process ended; its log says: " + Files.readString(errors));
        }
        return line;
    }

    /** Returns the answer to a request; what comes before it is put {@link #aside}. */
    JsonNode ask(String method, String params) throws IOException {
        int id = ++ids;
        send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
        return await(id);
    }

    JsonNode await(int id) throws IOException {
        while (true) {
            JsonNode message = JSON.readTree(line());
            if (message.path("id").asInt(-1) == id && !message.has("method")) {
                return message;
            }
            aside.add(message);
        }
    }

    @Override
    public JsonNode call(String tool, String arguments) throws IOException {
        return ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}")
                .path("result");
    }

    /** Returns the next message that is put aside or comes. */
    JsonNode next() throws IOException {
        return aside.isEmpty() ? JSON.readTree(line()) : aside.remove(0);
    }

    static String text(JsonNode result) {
        return result.path("content").path(0).path("text").asString("");
    }

    static boolean isDenied(JsonNode result) {
        return result.path("isError").asBoolean(false)
                && !result.path("_meta")
                        .path("dev.sluice/decision")
                        .path("decision")
                        .asString("")
                        .isEmpty();
    }

    @Override
    public String errors() throws IOException {
        return Files.readString(errors);
    }

    @Override
    public boolean isRunning() {
        return process.isAlive();
    }

    Process process() {
        return process;
    }

    /** Kills the process at once, as SIGKILL does, and waits until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            // it closed its end first
        }
        process.onExit().join();
    }
}
