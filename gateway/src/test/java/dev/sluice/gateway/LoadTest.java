package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ChildProcess;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.GatewaySettings;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.policy.ServerPolicy;
import dev.sluice.store.MemoryEngine;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What many sessions leave behind that were never ended well, and what clients that do not read cost the others. */
class LoadTest {

    /** A server that is as cheap to start as can be; {@code silent} is never answered, {@code drip} for ever. */
    private static final String SERVER = """
            while IFS= read -r line; do
              id=${line#*\\"id\\":}
              id=${id%%[,\\}]*}
              case $line in
              *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}' ;;
              *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"quick","inputSchema":{"type":"object"}},{"name":"silent","inputSchema":{"type":"object"}},{"name":"drip","inputSchema":{"type":"object"}}]}}' ;;
              *'"silent"'*) ;;
              *'"drip"'*) printf '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'
                while printf x; do sleep 1; done ;;
              *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
              esac
            done
            """;

    private static final String TOOLS = "{quick: R, large: R, silent: R, drip: R}"
            .replace("R", "{effects: [reads], returns: {integrity: trusted, confidentiality: public}}");

    private static final int CYCLES = 200;
    private static final int EARLY = 50;

    /** What 150 sessions may leave: their records, which stay, are some KB each; a line that stays has buffers of 64 KB. */
    private static final long HEAP_MARGIN = 6 << 20;

    /** Threads and files that the JVM and Jetty may start or keep as they like. */
    private static final int FEW = 20;

    private static final int SLOW = 1_000;
    private static final int EACH_ASKS = 20;

    @TempDir
    private Path folder;

    private final MemoryEngine engine = new MemoryEngine();
    private final AtomicReference<Instant> time = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private Policy policy = PolicyParser.firstUse();
    private Guard guard = new Guard(engine, policy, Clock.systemUTC(), 0);

    /** Puts a policy in force that has these servers. */
    private void serve(String... names) throws IOException {
        Path server = Files.writeString(folder.resolve("server.sh"), SERVER);
        String command = JsonMapper.shared().writeValueAsString(List.of("sh", server.toString()));
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            text.append("  %s: {command: %s, tools: %s}%n".formatted(name, command, TOOLS));
        }
        put(text.toString());
    }

    private void put(String servers) throws IOException {
        Path file = Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                gateway:
                  listen: {host: 127.0.0.1, port: 0}
                  limits: {sessions_per_principal: 2000, in_flight_per_principal: 100000}
                servers:
                """ + servers);
        policy = PolicyParser.read(file);
        InstantSource source = time::get;
        guard = new Guard(engine, policy, source.withZone(ZoneOffset.UTC), 60);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private HttpGateway gateway(String... servers) throws IOException {
        serve(servers);
        return started();
    }

    private HttpGateway started() throws IOException {
        GatewaySettings settings = policy.gateway();
        return HttpGateway.start(
                guard, engine, policy, settings, root -> false, token -> false, Map.of(), Telemetry.NONE, line -> {});
    }

    @Test
    void killedClients_leaveNoChildAndNoMemory() throws Exception {
        try (HttpGateway gateway = gateway("one")) {
            Footprint before = Footprint.look(folder);
            killMidCall(gateway, EARLY);
            Footprint early = Footprint.within(allow(before), folder);
            killMidCall(gateway, CYCLES - EARLY);
            Footprint late = Footprint.within(allow(before), folder);
            assertNothingLeft(before, early, late);
        }
    }

    private static Footprint allow(Footprint before) {
        return new Footprint(0, before.threads() + FEW, before.files() + FEW, before.children());
    }

    private static void assertNothingLeft(Footprint before, Footprint early, Footprint late) {
        String figures = before + ", " + early + ", " + late;
        assertEquals(before.children(), late.children(), figures);
        assertTrue(late.threads() <= before.threads() + FEW, figures);
        assertTrue(late.files() <= before.files() + FEW, figures);
        assertTrue(late.heap() <= early.heap() + HEAP_MARGIN, figures);
    }

    /** The client goes away while its call is open; every second session is ended by another, the rest by the clock. */
    private void killMidCall(HttpGateway gateway, int cycles) throws IOException {
        for (int i = 0; i < cycles; i++) {
            RawClient client = new RawClient(gateway.address());
            assertTrue(client.call(1, "quick").contains("done"));
            client.ask(2, "silent");
            client.kill();
            if (i % 2 == 0) {
                try (RawClient after = RawClient.of(client)) {
                    assertTrue(after.delete().contains("204"));
                }
            } else if (i % 10 == 9) {
                time.updateAndGet(now -> now.plus(Duration.ofHours(2)));
                gateway.sweep();
            }
        }
        time.updateAndGet(now -> now.plus(Duration.ofHours(2)));
        gateway.sweep();
    }

    @Test
    void hostsThatGoAway_leaveNoChildAndNoMemory() throws Exception {
        serve("one");
        Footprint before = Footprint.look(folder);
        breakOff(EARLY);
        Footprint early = Footprint.within(allow(before), folder);
        breakOff(CYCLES - EARLY);
        Footprint late = Footprint.within(allow(before), folder);
        assertNothingLeft(before, early, late);
    }

    /** The host's pipe breaks after an answer. Sluice waits for what is in flight, so nothing is. */
    private void breakOff(int cycles) throws Exception {
        ServerPolicy server = Objects.requireNonNull(policy.servers().get("one"));
        for (int i = 0; i < cycles; i++) {
            AgentSession agent = new AgentSession("s" + i % 7, "local", "a test", AgentSession.Start.CLEAN, "");
            CountDownLatch answered = new CountDownLatch(1);
            List<String> said = new CopyOnWriteArrayList<>();
            OutputStream out = new OutputStream() {
                @Override
                public void write(int b) {}

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    said.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
                    answered.countDown();
                }
            };
            Thread wrapper;
            try (PipedOutputStream host = new PipedOutputStream();
                    PipedInputStream in = new PipedInputStream(host)) {
                wrapper = Thread.ofPlatform().start(() -> {
                    try {
                        StdioGateway.run(
                                guard,
                                agent,
                                server,
                                new ChildProcess("one", server.command(), 1 << 20, line -> {}),
                                root -> false,
                                1 << 20,
                                in,
                                out,
                                Watch.NONE,
                                line -> {});
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                host.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"quick\"}}\n"
                        .getBytes(StandardCharsets.UTF_8));
                host.flush();
                answered.await();
            }
            wrapper.join();
            assertTrue(said.toString().contains("done"), said.toString());
        }
    }

    @Test
    void upstreamOfOneByteASecond_holdsUpNoOtherServerAndNoOtherSession() throws Exception {
        try (HttpGateway gateway = gateway("one", "two");
                RawClient waits = new RawClient(gateway.address());
                RawClient other = new RawClient(gateway.address())) {
            waits.ask(1, "two__drip");
            for (int i = 2; i < 20; i++) {
                assertTrue(other.call(i, "two__quick").contains("done"));
                try (RawClient same = RawClient.of(waits)) {
                    assertTrue(same.call(i, "one__quick").contains("done"));
                }
            }
        }
        assertEquals(
                0, Footprint.within(new Footprint(0, 1_000, 1_000, 0), folder).children());
    }

    /** One server in this process for all sessions, which takes no time for an answer; it counts those of 100 KB. */
    private static final class SharedServer implements AutoCloseable {
        private final HttpServer http =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final AtomicInteger large = new AtomicInteger();
        private final String text = "x".repeat(100_000);

        SharedServer() throws IOException {
            http.createContext("/mcp", exchange -> {
                try (exchange) {
                    JsonNode message = JsonMapper.shared()
                            .readTree(exchange.getRequestBody().readAllBytes());
                    if (!message.has("id")) {
                        exchange.sendResponseHeaders(202, -1);
                        return;
                    }
                    byte[] answer = ("{\"jsonrpc\":\"2.0\",\"id\":" + message.path("id") + ",\"result\":"
                                    + result(message) + "}")
                            .getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders().add("Content-Type", "application/json");
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                }
            });
            http.setExecutor(threads);
            http.start();
        }

        private String result(JsonNode message) {
            if (message.path("method").asString("").equals("initialize")) {
                return "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"f\",\"version\":\"1\"}}";
            }
            if (message.path("method").asString("").equals("tools/list")) {
                return "{\"tools\":[{\"name\":\"quick\",\"inputSchema\":{\"type\":\"object\"}},"
                        + "{\"name\":\"large\",\"inputSchema\":{\"type\":\"object\"}}]}";
            }
            boolean isLarge = message.path("params").path("name").asString("").equals("large");
            large.addAndGet(isLarge ? 1 : 0);
            return "{\"content\":[{\"type\":\"text\",\"text\":\"" + (isLarge ? text : "done") + "\"}]}";
        }

        String entry() {
            return "url: \"http://127.0.0.1:" + http.getAddress().getPort() + "/mcp\"";
        }

        @Override
        public void close() {
            http.stop(0);
            threads.shutdownNow();
        }
    }

    @Test
    void thousandSessionsThatDoNotRead_holdUpNobody() throws Exception {
        List<RawClient> slow = new ArrayList<>();
        try (SharedServer shared = new SharedServer()) {
            put("  shared: {%s, shared: true, tools: %s}%n".formatted(shared.entry(), TOOLS));
            try (HttpGateway gateway = started();
                    RawClient reads = new RawClient(gateway.address())) {
                for (int i = 0; i < SLOW; i++) {
                    RawClient client = new RawClient(gateway.address());
                    slow.add(client);
                    // One after the other on one connection: the next is not even looked at before the last is written.
                    for (int id = 1; id <= EACH_ASKS; id++) {
                        client.ask(id, "large");
                    }
                    String answer = reads.call(i, "quick");
                    assertTrue(answer.contains("done"), answer);
                }
                int asked = shared.large.get();
                assertTrue(asked >= SLOW / 2, asked + " were asked for");
                assertTrue(asked < SLOW * EACH_ASKS / 2, asked + " were written, so nobody was slow");
            } finally {
                for (RawClient client : slow) {
                    client.kill();
                }
            }
        }
    }
}
