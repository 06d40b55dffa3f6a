package dev.sluice.gateway.transport;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An upstream that is a child process, spoken to over its standard input and output.
 *
 * <p>Its standard error goes to ours unchanged: it is the server's log. It gets our environment without the approver's secret and the host's
 * token. Closing ends the child and whatever it started:
 * its input is closed, and what still runs after a moment is told to stop, then killed.
 */
public final class ChildProcess implements UpstreamLink {

    private static final long PATIENCE_MS = 2_000;

    private final String name;
    private final List<String> command;
    private final Map<String, String> variables;
    private final int limit;
    private final Log log;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile @Nullable Process process;
    private volatile @Nullable Thread reader;
    private volatile boolean closing;

    public ChildProcess(String name, List<String> command, int limit, Log log) {
        this(name, command, Map.of(), limit, log);
    }

    /**
     * Makes a child that is not started yet.
     *
     * @param name the upstream's name, for people
     * @param variables what its environment has beside ours
     * @param limit the longest message, in bytes
     */
    public ChildProcess(String name, List<String> command, Map<String, String> variables, int limit, Log log) {
        this.name = name;
        this.command = List.copyOf(command);
        this.variables = Map.copyOf(variables);
        this.limit = limit;
        this.log = log;
    }

    /**
     * Starts the process and neither reads from it nor writes to it: that begins with {@link #start}. So it can get ready
     * while whoever will watch over its messages does.
     *
     * @throws IOException where it can't be started; the message says the mend
     */
    public void launch() throws IOException {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            Secrets.takeOut(builder);
            if (!variables.isEmpty()) {
                builder.environment().putAll(variables);
            }
            process = builder.start();
        } catch (IOException e) {
            throw new IOException(
                    "the server `" + name + "` can't be started: `" + command.get(0)
                            + "` is not a program that can be run; "
                            + (isOneText()
                                    ? "no shell reads the command: write each of its words on its own"
                                    : "check the command"),
                    e);
        }
    }

    /** Returns whether the command looks like a line for a shell. */
    private boolean isOneText() {
        return command.size() == 1 && command.get(0).strip().indexOf(' ') > 0;
    }

    @Override
    public void start(Receiver receiver) throws IOException {
        if (process == null) {
            launch();
        }
        Process started = Objects.requireNonNull(process);
        // A virtual one would hold a carrier all the while that the server says nothing.
        reader = Thread.ofPlatform().daemon().name("from-" + name).start(() -> read(started, receiver));
    }

    private void read(Process started, Receiver receiver) {
        try (InputStream in = started.getInputStream()) {
            MessageLines lines = new MessageLines(in, limit);
            for (var line = lines.next(); line.isPresent(); line = lines.next()) {
                switch (line.get()) {
                    case MessageLines.Text text -> receiver.text(text.bytes());
                    case MessageLines.TooLong tooLong -> receiver.tooLong(tooLong);
                }
            }
        } catch (IOException e) {
            if (!closing) {
                log.about("server", name)
                        .line(LogEvent.UPSTREAM_READ_FAILED, "reading from `" + name + "` failed: " + e.getMessage());
            }
        } finally {
            receiver.ended(closing ? "it was stopped" : "its process ended" + exitCode(started));
            end(started);
        }
    }

    private static String exitCode(Process ended) {
        try {
            return ended.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS) ? " with exit code " + ended.exitValue() : "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    @Override
    public void send(byte[] message) throws IOException {
        Process running = process;
        if (running == null) {
            throw new IOException("the server `" + name + "` is not running");
        }
        writing.lock();
        try {
            OutputStream out = running.getOutputStream();
            out.write(MessageLines.oneLine(message));
            out.write('\n');
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() {
        closing = true;
        Process running = process;
        if (running == null) {
            return;
        }
        end(running);
        Thread last = reader;
        if (last != null && last != Thread.currentThread()) {
            try {
                last.join(PATIENCE_MS); // what it wrote before it ended is still passed on
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void end(Process process) {
        List<ProcessHandle> tree = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The child closed its end first; it is being ended anyway.
        }
        try {
            if (!process.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                tree.forEach(ProcessHandle::destroy);
                process.waitFor(PATIENCE_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Also what a child left behind when it went: a shell that ran the server, a server that ran a helper.
        tree.stream().filter(ProcessHandle::isAlive).forEach(ProcessHandle::destroyForcibly);
    }
}
