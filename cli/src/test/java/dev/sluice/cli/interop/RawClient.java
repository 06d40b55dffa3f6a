package dev.sluice.cli.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An MCP client without any SDK: sends lines as they are written, keeps every line that comes, and answers what servers
 * ask with fixed texts.
 *
 * <p>Lines are kept as ISO 8859-1, so that one character is one byte; what is sent is UTF-8.
 */
final class RawClient implements AutoCloseable {

    /**
     * What came in during one step of a script.
     *
     * @param concurrent whether the server may send it in another order each time
     */
    record Step(String name, boolean concurrent, List<String> lines) {}

    private final Process process;
    private final Map<String, String> answers;
    private final Path stderr;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final List<String> sent = new ArrayList<>();
    private final List<String> received = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final Thread reader;
    private int owed;
    private int ids;

    /**
     * Starts a server.
     *
     * @param folder where its standard error is kept
     * @param answers by method, what to answer to requests of the server: the rest of the message after the id
     */
    RawClient(List<String> command, Map<String, String> environment, Path folder, Map<String, String> answers)
            throws IOException {
        this.answers = answers;
        this.stderr = Files.createTempFile(folder, "stderr", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(stderr.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        this.process = builder.start();
        this.reader = Thread.ofPlatform().daemon().name("raw-client").start(this::read);
        step("start");
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                JsonNode message = parse(line);
                // Answered before it is shown: a script that has seen the question goes on after the answer.
                if (message.has("method") && message.has("id")) {
                    String answer = answers.getOrDefault(
                            message.path("method").asString(),
                            "\"error\":{\"code\":-32601,\"message\":\"not in the script\"}");
                    send("{\"jsonrpc\":\"2.0\",\"id\":" + message.get("id") + "," + answer + "}");
                }
                lock.lock();
                try {
                    received.add(line);
                    steps.get(steps.size() - 1).lines().add(line);
                    arrived.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        } catch (IOException e) {
            // The process is gone; whoever waits says so.
        }
    }

    /** The message that a kept line is. */
    static JsonNode parse(String line) {
        return JsonMapper.shared()
                .readTree(new String(line.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
    }

    /** Begins a step: what comes from now on belongs to it. */
    void step(String name) {
        step(name, false);
    }

    /** Begins a step in which the server may answer in any order. */
    void concurrently(String name) {
        step(name, true);
    }

    private void step(String name, boolean concurrent) {
        lock.lock();
        try {
            steps.add(new Step(name, concurrent, new ArrayList<>()));
        } finally {
            lock.unlock();
        }
    }

    /** Sends a line as it is. */
    void send(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            sent.add(new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
            OutputStream out = process.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new AssertionError("it does not read any more; its standard error: " + err(), e);
        } finally {
            lock.unlock();
        }
    }

    /** Sends a request as it is written, and waits for as many answers as there were requests. */
    JsonNode ask(String line) {
        begin(line);
        settle();
        return lastAnswer();
    }

    /** Sends a request as it is written, and does not wait. */
    void begin(String line) {
        owed++;
        send(line);
    }

    /** Says that a request will not be answered. */
    void forgo() {
        owed--;
    }

    /** Waits until every request has its answer. */
    void settle() {
        await(
                "the answers to all requests",
                lines -> lines.stream()
                                .filter(line -> !parse(line).has("method"))
                                .count()
                        >= owed);
    }

    /** Sends a request under a fresh id, and returns the whole answer. */
    JsonNode ask(String method, String params) {
        return ask(
                "{\"jsonrpc\":\"2.0\",\"id\":" + ++ids + ",\"method\":\"" + method + "\",\"params\":" + params + "}");
    }

    /** Calls a tool, and returns the result. */
    JsonNode call(String tool, String arguments) {
        JsonNode answer = ask("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
        return answer.path("result");
    }

    /** Shakes hands with the given capabilities. */
    void initialize(String capabilities) {
        ask(
                "initialize",
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" + capabilities
                        + ",\"clientInfo\":{\"name\":\"raw\",\"version\":\"1\"}}");
        send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }

    /** Waits until {@code count} messages of that method have come since the start. */
    void awaitMessages(String method, int count) {
        await(
                count + " of " + method,
                lines -> lines.stream()
                                .filter(line ->
                                        parse(line).path("method").asString("").equals(method))
                                .count()
                        >= count);
    }

    private void await(String what, Predicate<List<String>> enough) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Interop.HANG_SECONDS);
        lock.lock();
        try {
            while (!enough.test(received)) {
                long left = end - System.nanoTime();
                if (left <= 0 || (!reader.isAlive() && !enough.test(received))) {
                    throw new AssertionError("no " + what + " came in step "
                            + steps.get(steps.size() - 1).name() + " after " + String.join("\n", tail(received, 3))
                            + "\nits standard error: " + err());
                }
                arrived.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            lock.unlock();
        }
    }

    private static List<String> tail(List<String> lines, int count) {
        return List.copyOf(lines.subList(Math.max(0, lines.size() - count), lines.size()));
    }

    private JsonNode lastAnswer() {
        lock.lock();
        try {
            return parse(received.stream()
                    .filter(line -> !parse(line).has("method"))
                    .reduce((first, second) -> second)
                    .orElseThrow());
        } finally {
            lock.unlock();
        }
    }

    /** Every line that was sent, in order. */
    List<String> sent() {
        return List.copyOf(sent);
    }

    /** What has come in until now, step by step. */
    List<Step> steps() {
        lock.lock();
        try {
            return steps.stream()
                    .map(step -> new Step(step.name(), step.concurrent(), List.copyOf(step.lines())))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Every line that came in, in order. */
    List<String> received() {
        lock.lock();
        try {
            return List.copyOf(received);
        } finally {
            lock.unlock();
        }
    }

    /** What the process and what it started have written to standard error. */
    String err() {
        try {
            return Files.readString(stderr);
        } catch (IOException e) {
            return "(can't be read)";
        }
    }

    /** Closes the input, waits for the end, and ends what does not end by itself. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor(Interop.HANG_SECONDS, TimeUnit.SECONDS);
            Interop.stop(process);
            reader.join();
        } catch (IOException e) {
            Interop.stop(process);
        } catch (InterruptedException e) {
            Interop.stop(process);
            Thread.currentThread().interrupt();
        }
    }
}
