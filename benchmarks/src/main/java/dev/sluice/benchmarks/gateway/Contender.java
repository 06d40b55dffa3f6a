package dev.sluice.benchmarks.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A way to the server: itself, or a process that stands before it and starts it. */
final class Contender implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** What stands in the command line of the server, and so in that of a shell around it. */
    private static final String SERVER = "server.py";

    private static final int TICKS = 100; // in which Linux counts processor time, a second

    private final String name;
    private final Process process;
    private final URI address;
    private final Path log;
    private final List<LoadClient> clients = new ArrayList<>();

    private Contender(String name, Process process, URI address, Path log) {
        this.name = name;
        this.process = process;
        this.address = address;
        this.log = log;
    }

    /** Starts one that says its address in the first line of its output, as the last word. */
    static Contender saying(String name, List<String> command, Path folder) throws IOException {
        Path log = folder.resolve(name + ".log");
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            throw new IOException(name + " did not start: " + Files.readString(log));
        }
        return new Contender(name, process, URI.create(line.substring(line.lastIndexOf(' ') + 1)), log);
    }

    /** Starts one that listens on {@code port}, and says what it likes. */
    static Contender on(String name, int port, List<String> command, Path folder) throws IOException {
        Path log = folder.resolve(name + ".log");
        Process process = new ProcessBuilder(command)
                .redirectError(log.toFile())
                .redirectOutput(folder.resolve(name + ".out").toFile())
                .start();
        return new Contender(name, process, URI.create("http://127.0.0.1:" + port + "/mcp"), log);
    }

    String name() {
        return name;
    }

    /**
     * Begins clients until there are {@code count}. The first waits until the process listens.
     *
     * @param modern whether they are of 2026-07-28, else each has a session
     */
    void open(int count, boolean modern) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (clients.size() < count) {
            try {
                clients.add(new LoadClient(address, modern));
            } catch (IOException e) {
                if (!clients.isEmpty() || !process.isAlive() || System.nanoTime() > end) {
                    throw new IOException(name + " takes no client: " + e.getMessage() + "\n" + tail(), e);
                }
                try {
                    TimeUnit.MILLISECONDS.sleep(100);
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted", stop);
                }
            }
        }
    }

    private String tail() throws IOException {
        String all = Files.readString(log);
        return all.substring(Math.max(0, all.length() - 2_000));
    }

    /** Returns the first {@code count} clients. */
    List<LoadClient> clients(int count) {
        return clients.subList(0, count);
    }

    /** Returns the seconds of processor time that it used so far, with its children, without the servers. */
    double processor() throws IOException {
        double ticks = 0;
        for (Path each : own()) {
            String stat = Files.readString(each.resolve("stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            ticks += Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
        }
        return ticks / TICKS;
    }

    /** Returns the resident memory in MiB, with its children, without the servers. */
    double resident() throws IOException {
        double kib = 0;
        for (Path each : own()) {
            for (String line : Files.readAllLines(each.resolve("status"))) {
                if (line.startsWith("VmRSS:")) {
                    kib += Double.parseDouble(line.replaceAll("[^0-9]", ""));
                }
            }
        }
        return kib / 1024;
    }

    /** The process and what it started, except servers, as folders of {@code /proc}. */
    private List<Path> own() throws IOException {
        List<Path> own = new ArrayList<>();
        own.add(Path.of("/proc", String.valueOf(process.pid())));
        try (Stream<ProcessHandle> below = process.descendants()) {
            for (ProcessHandle each : below.toList()) {
                Path folder = Path.of("/proc", String.valueOf(each.pid()));
                if (each.isAlive()
                        && !new String(Files.readAllBytes(folder.resolve("cmdline")), StandardCharsets.UTF_8)
                                .contains(SERVER)) {
                    own.add(folder);
                }
            }
        }
        return own;
    }

    @Override
    public void close() throws IOException {
        for (LoadClient client : clients) {
            client.close();
        }
        List<ProcessHandle> tree = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tree.forEach(ProcessHandle::destroyForcibly);
    }
}
