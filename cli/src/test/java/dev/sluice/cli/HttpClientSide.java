package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A raw client of {@code sluice gateway}, and that gateway: within this process, or as one of its own. */
final class HttpClientSide implements Caller {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Started started;
    final URI address;
    String session = "";
    String token = "";
    private final Set<String> begun = new LinkedHashSet<>();
    private int ids;

    private HttpClientSide(Started started, String address) {
        this.started = started;
        this.address = URI.create(address);
    }

    /**
     * Starts one within this process, as the command does: a JVM for each would be nearly all that the tests cost. Whatever
     * is about the process, its death first of all, needs {@link #process}.
     */
    static HttpClientSide within(Path policy, Path state) throws IOException {
        return within(policy, state, Map.of());
    }

    /** The same; the gateway, and no server of its, gets these variables too. */
    static HttpClientSide within(Path policy, Path state, Map<String, String> environment) throws IOException {
        GatewayCommand command = new GatewayCommand();
        List<String> words = words(policy, state);
        new CommandLine(command).parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        Map<String, String> all = new HashMap<>(System.getenv());
        all.putAll(environment);
        Within within = new Within(new CopyOnWriteArrayList<>(), new ArrayList<>());
        GatewayCommand.Running running = command.start(all, within.lines::add);
        within.running.add(running);
        return new HttpClientSide(within, running.gateway().address());
    }

    /** Starts one as a process of its own. */
    static HttpClientSide process(Path policy, Path state, Path folder) throws IOException {
        return process(policy, state, folder, Map.of());
    }

    /** The same; the process gets these variables too. */
    static HttpClientSide process(Path policy, Path state, Path folder, Map<String, String> environment)
            throws IOException {
        return process(Children.sluice(words(policy, state).toArray(String[]::new)), folder, environment);
    }

    /** Starts the process that {@code command} says. */
    static HttpClientSide process(List<String> command, Path folder) throws IOException {
        return process(command, folder, Map.of());
    }

    private static HttpClientSide process(List<String> command, Path folder, Map<String, String> environment)
            throws IOException {
        Path errors = Files.createTempFile(folder, "stderr", ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = in.readLine();
        if (line == null) {
            throw new IOException("the gateway did not start: " + Files.readString(errors));
        }
        return new HttpClientSide(new OfItsOwn(process, errors), line.replace("listening on ", ""));
    }

    /** A gateway that was started. */
    private sealed interface Started {

        String errors() throws IOException;

        boolean isRunning();

        void stop();
    }

    /** One within this process: the lines of its log so far, and what runs until it is stopped. */
    private record Within(List<String> lines, List<GatewayCommand.Running> running) implements Started {
        @Override
        public String errors() {
            return String.join("\n", lines);
        }

        @Override
        public boolean isRunning() {
            return !running.isEmpty();
        }

        @Override
        public void stop() {
            running.forEach(GatewayCommand.Running::close);
            running.clear();
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
        public void stop() {
            process.destroy();
            process.onExit().join();
        }
    }

    /** The arguments of {@code sluice} that start one on any free port. */
    static List<String> words(Path policy, Path state) {
        return List.of("gateway", "--policy", policy.toString(), "--state", state.toString(), "--port", "0");
    }

    HttpRequest.Builder request() {
        HttpRequest.Builder builder = HttpRequest.newBuilder(address);
        if (!session.isEmpty()) {
            builder.header("Mcp-Session-Id", session);
        }
        if (!token.isEmpty()) {
            builder.header("Authorization", "Bearer " + token);
        }
        return builder;
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return send(request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    /** Posts a request and returns its answer as a stream that is still open. */
    HttpResponse<InputStream> open(String body) {
        return start(body).join();
    }

    /** Posts a request and does not wait until anything of its answer is there. */
    CompletableFuture<HttpResponse<InputStream>> start(String body) {
        return start(request()
                .header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    CompletableFuture<HttpResponse<InputStream>> start(HttpRequest request) {
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    @Override
    public HttpClientSide initialize() throws IOException, InterruptedException {
        session = "";
        HttpResponse<String> answer = post(
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                        + "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"sampling\":{}},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
        session = answer.headers().firstValue("Mcp-Session-Id").orElseThrow();
        begun.add(session);
        post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        return this;
    }

    /** Ends all sessions that it began or uses, so that what comes after them starts clean. */
    void endSessions() throws IOException, InterruptedException {
        begun.add(session);
        for (String each : begun) {
            session = each;
            if (!each.isEmpty()) {
                send(request().DELETE().build());
            }
        }
        begun.clear();
        session = "";
    }

    /** Returns the answer to a request, from JSON or from the last event. */
    JsonNode ask(String method, String params) throws IOException, InterruptedException {
        HttpResponse<String> answer = post(
                "{\"jsonrpc\":\"2.0\",\"id\":" + ++ids + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
        List<JsonNode> messages = messages(answer.body());
        return messages.get(messages.size() - 1);
    }

    static List<JsonNode> messages(String body) {
        List<JsonNode> messages = new ArrayList<>();
        if (body.startsWith("{")) {
            messages.add(JSON.readTree(body));
        } else {
            body.lines()
                    .filter(line -> line.startsWith("data: "))
                    .forEach(line -> messages.add(JSON.readTree(line.substring(6))));
        }
        return messages;
    }

    @Override
    public JsonNode call(String tool, String arguments) throws IOException, InterruptedException {
        return ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}")
                .path("result");
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
        throw new IllegalStateException("this gateway runs within the tests; start it as a process");
    }

    void kill() throws InterruptedException {
        process().destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        started.stop();
        http.shutdownNow(); // a stream that nobody reads to its end would be waited for
        http.close();
    }
}
