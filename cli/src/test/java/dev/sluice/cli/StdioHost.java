package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A raw client over stdio, and the {@code sluice run} that it speaks to: what it sends and gets are lines. */
final class StdioHost implements Caller {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Started started;
    private final BufferedReader in;
    private final BufferedWriter out;
    private final List<JsonNode> aside = new ArrayList<>();
    private int ids;

    private StdioHost(Started started, InputStream in, OutputStream out) {
        this.started = started;
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    }

    /** Starts the process that {@code command} says. */
    StdioHost(List<String> command, Path folder) throws IOException {
        this(Files.createTempFile(folder, "stderr", ".log"), command);
    }

    private StdioHost(Path errors, List<String> command) throws IOException {
        this(new OfItsOwn(
                new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors));
    }

    private StdioHost(OfItsOwn own) {
        this(own, own.process().getInputStream(), own.process().getOutputStream());
    }

    /**
     * Wraps a server within this process, as {@code sluice run} does: all that it keeps is below {@code folder}, and it
     * goes on with what it kept there before. A JVM for each would be nearly all that the tests cost; whatever is about the
     * process needs {@link #processUnder}.
     *
     * @param options more of {@code run}
     */
    static StdioHost under(String policy, List<String> server, Path folder, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(words(policy, folder, options));
        words.add("--");
        words.addAll(server);
        Wrapper wrapper = Wrapper.plain(words.toArray(String[]::new)).orElseThrow();
        Pipe there = Pipe.open();
        Pipe back = Pipe.open();
        Within within = new Within(new CopyOnWriteArrayList<>(), new CompletableFuture<>());
        Thread.ofPlatform().daemon().name("wrapper").start(() -> within.run(wrapper, there, back));
        return new StdioHost(within, Channels.newInputStream(back.source()), Channels.newOutputStream(there.sink()));
    }

    /** The same around {@link FixtureServer}, which keeps what it gets in {@code received}. */
    static StdioHost under(String policy, Path folder) throws IOException {
        return under(policy, Children.fixture(folder.resolve("received"), ""), folder);
    }

    /** The same as {@link #under}, as a process of its own. */
    static StdioHost processUnder(String policy, List<String> server, Path folder, String... options)
            throws IOException {
        return new StdioHost(Children.run(server, words(policy, folder, options).toArray(String[]::new)), folder);
    }

    private static List<String> words(String policy, Path folder, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("--session", "t", "--state"));
        words.add(folder.resolve("state").toString());
        words.add("--policy");
        words.add(Files.writeString(folder.resolve("policy.yaml"), policy).toString());
        words.addAll(List.of(options));
        return words;
    }

    /** A wrapper that was started. */
    private sealed interface Started {

        String errors() throws IOException;

        boolean isRunning();

        void join();
    }

    /** One within this process: the lines of its log so far, and its exit code once it is over. */
    private record Within(List<String> lines, CompletableFuture<Integer> exit) implements Started {

        void run(Wrapper wrapper, Pipe there, Pipe back) {
            try (InputStream in = Channels.newInputStream(there.source());
                    OutputStream out = Channels.newOutputStream(back.sink())) {
                exit.complete(wrapper.run(in, out, lines::add));
            } catch (IOException | RuntimeException e) {
                lines.add("sluice: " + e.getMessage());
                exit.completeExceptionally(e);
            }
        }

        @Override
        public String errors() {
            return String.join("\n", lines);
        }

        @Override
        public boolean isRunning() {
            return !exit.isDone();
        }

        @Override
        public void join() {
            exit.exceptionally(fault -> 1).join();
        }
    }

    /** A process, and the file of its standard error. */
    private record OfItsOwn(Process process, Path log) implements Started {
        @Override
        public String errors() throws IOException {
            return Files.readString(log);
        }

        @Override
        public boolean isRunning() {
            return process.isAlive();
        }

        @Override
        public void join() {
            process.onExit().join();
        }
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
            throw new IOException("the wrapper ended; its log says: " + errors());
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
        return started.errors();
    }

    @Override
    public boolean isRunning() {
        return started.isRunning();
    }

    /** The process, where it is one of its own. */
    Process process() {
        if (started instanceof OfItsOwn own) {
            return own.process();
        }
        throw new IllegalStateException("this wrapper runs within the tests; start it as a process");
    }

    /** Kills the process at once, as SIGKILL does, and waits until it is gone. */
    void kill() throws InterruptedException {
        process().destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            // it closed its end first
        }
        started.join();
    }
}
