package dev.sluice.gateway;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ChildProcess;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.ReaderResolver;
import dev.sluice.policy.PolicyParser;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Both ends of a gateway over stdio, as bytes: a test is the client, and the server too, behind a process that copies what
 * it gets to one named pipe and what comes from another to its output. Sluice's own question for the tools is answered.
 */
final class StdioEnds implements AutoCloseable {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 120;

    private static final Pattern OWN = Pattern.compile(
            "\\{\"jsonrpc\":\"2.0\",\"id\":\"(sluice-\\d+)\",\"method\":\"tools/list\",\"params\":\\{}}");

    final List<String> logged = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> atServer = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> atClient = new LinkedBlockingQueue<>();
    private final PipedOutputStream client = new PipedOutputStream();
    private final OutputStream server;
    private final Thread gateway;
    private volatile int exit = -1;

    /** What the server answers of its tools, a list. */
    volatile String tools = "[]";

    /**
     * Takes a policy's guard, of which the first server is played, and what the longest message may be. The client has said
     * that it is ready, as one of a legacy revision.
     */
    StdioEnds(Guard guard, Path folder, int limit) throws IOException, InterruptedException {
        this(guard, folder, limit, true);
    }

    /** Takes the same, and whether the client has begun; else what it says first decides of which era it is. */
    StdioEnds(Guard guard, Path folder, int limit, boolean begun) throws IOException, InterruptedException {
        Path pipes = Files.createTempDirectory(folder, "pipes");
        Path toServer = pipes.resolve("to");
        Path fromServer = pipes.resolve("from");
        new ProcessBuilder("mkfifo", toServer.toString(), fromServer.toString())
                .start()
                .waitFor();
        String copy = "cat \"$1\" & exec cat > \"$0\"";
        ChildProcess link = new ChildProcess(
                "a", List.of("sh", "-c", copy, toServer.toString(), fromServer.toString()), limit, logged::add);
        AgentSession agent = new AgentSession(pipes.toString(), "ana", "t", AgentSession.Start.CLEAN, "{}");
        var _ = guard.open(agent);
        InputStream fromClient = new PipedInputStream(client, 1 << 16);
        gateway = Thread.ofPlatform().daemon().start(() -> {
            try {
                exit = StdioGateway.run(
                        guard,
                        agent,
                        Objects.requireNonNull(guard.policy().servers().get("a")),
                        link,
                        root -> false,
                        limit,
                        fromClient,
                        new Lines(atClient::add),
                        Watch.NONE,
                        logged::add);
            } catch (IOException e) {
                logged.add("failed: " + e.getMessage());
            }
        });
        server = new FileOutputStream(fromServer.toFile());
        InputStream received = new FileInputStream(toServer.toFile());
        Thread.ofPlatform().daemon().start(() -> {
            try (received) {
                received.transferTo(new Lines(this::received));
            } catch (IOException e) {
                logged.add("reading what the server gets ended: " + e.getMessage());
            }
        });
        if (begun) {
            client("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
            var _ = atServer();
        }
    }

    static Guard guard(State state, String policy) {
        return new Guard(
                state.engine(),
                PolicyParser.parse("p.yaml", policy),
                Clock.systemUTC(),
                60,
                ReaderResolver::of,
                work -> Thread.ofVirtual().start(work));
    }

    static @Nullable String toolsFor(String question) {
        Matcher own = OWN.matcher(question);
        return own.matches() ? "{\"jsonrpc\":\"2.0\",\"id\":\"" + own.group(1) + "\",\"result\":{\"tools\":[]}}" : null;
    }

    private void received(String line) {
        String answer = toolsFor(line);
        if (answer == null) {
            atServer.add(line);
        } else {
            server(answer.replace("[]", tools));
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Says a line as the client. */
    void client(String line) {
        client(bytes(line + "\n"));
    }

    /** Writes as the client, as it stands. */
    void client(byte[] bytes) {
        write(client, bytes);
    }

    /** Says a line as the server. */
    void server(String line) {
        server(bytes(line + "\n"));
    }

    /** Writes as the server, as it stands. */
    void server(byte[] bytes) {
        write(server, bytes);
    }

    private void write(OutputStream to, byte[] bytes) {
        synchronized (to) {
            try {
                to.write(bytes);
                to.flush();
            } catch (IOException e) {
                throw new UncheckedIOException("nobody reads any more: " + logged, e);
            }
        }
    }

    /** Returns the next line that the server gets. */
    String atServer() throws InterruptedException {
        return next(atServer);
    }

    /** Returns the next line that the client gets. */
    String atClient() throws InterruptedException {
        return next(atClient);
    }

    private String next(BlockingQueue<String> from) throws InterruptedException {
        return Objects.requireNonNull(from.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> "nothing came: " + logged);
    }

    boolean isSilent() {
        return atServer.isEmpty() && atClient.isEmpty();
    }

    /** Ends what the client says, and returns what the gateway then exits with. */
    int endOfClient() throws IOException, InterruptedException {
        client.close();
        gateway.join();
        return exit;
    }

    /** Ends what the server says, and returns what the gateway then exits with. */
    int endOfServer() throws IOException, InterruptedException {
        server.close();
        gateway.join();
        return exit;
    }

    @Override
    public void close() throws IOException {
        client.close();
        server.close();
        boolean interrupted = false;
        while (gateway.isAlive()) {
            try {
                gateway.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hands on each line that is whole. */
    private static final class Lines extends OutputStream {
        private final Consumer<String> taker;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        Lines(Consumer<String> taker) {
            this.taker = taker;
        }

        @Override
        public synchronized void write(int b) {
            if (b == '\n') {
                taker.accept(line.toString(StandardCharsets.UTF_8));
                line.reset();
            } else {
                line.write(b);
            }
        }
    }
}
