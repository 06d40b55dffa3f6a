package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.gateway.transport.BodyBudget;
import dev.sluice.guard.Guard;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What one client may cost the others: memory, places, streams and connections. */
class ClientCostsTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    /** A server whose tool {@code loud} says something again and again, and ends once the file {@code go} is there. */
    private static final String SERVER = """
            while IFS= read -r line; do
              id=${line#*\\"id\\":}
              id=${id%%[,\\}]*}
              case $line in
              *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}' ;;
              *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"quick","inputSchema":{"type":"object"}},{"name":"loud","inputSchema":{"type":"object"}}]}}' ;;
              *'"loud"'*)
                : > "$1/loud"
                while [ ! -e "$1/go" ]; do
                  echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still there"}}'
                  sleep 0.05
                done
                echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
              *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
              esac
            done
            """;

    private static final String TOKEN = "a token of some length";
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
            + "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

    @TempDir
    private Path folder;

    private final MemoryEngine engine = new MemoryEngine();

    @AfterEach
    void close() {
        engine.close();
    }

    private Policy policy(String gateway) throws IOException {
        Path server = Files.writeString(folder.resolve("server.sh"), SERVER);
        return PolicyParser.parse("p.yaml", """
                version: 1
                gateway:
                  listen: {host: 127.0.0.1, port: 0}
                %s
                servers:
                  one:
                    command: %s
                    tools:
                      quick: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                      loud: {effects: [reads], returns: {integrity: trusted, confidentiality: public}}
                """.formatted(
                        gateway.indent(2),
                        JsonMapper.shared().writeValueAsString(List.of("sh", server.toString(), folder.toString()))));
    }

    private HttpGateway gateway(Guard guard, HttpGateway.Bounds bounds) throws IOException {
        Policy policy = guard.policy();
        return HttpGateway.start(
                guard,
                engine,
                policy,
                policy.gateway(),
                root -> false,
                token -> false,
                Map.of("TOKEN", TOKEN),
                Telemetry.NONE,
                line -> {},
                bounds);
    }

    private Guard guard(String gateway) throws IOException {
        return new Guard(engine, policy(gateway), Clock.systemUTC(), 0);
    }

    private static HttpGateway.Bounds usual(Guard guard) {
        return HttpGateway.Bounds.usual(guard.policy().gateway().limits());
    }

    private static void until(Callable<Boolean> holds) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!holds.call()) {
            assertTrue(System.nanoTime() < end, "it never came to that");
            Thread.sleep(20);
        }
    }

    @Test
    void callOfAClientThatHungUp_countsUntilItIsOver() throws Exception {
        Guard guard = guard("limits: {in_flight_per_principal: 1}");
        try (HttpGateway gateway = gateway(guard, usual(guard));
                RawClient first = new RawClient(gateway.address());
                RawClient second = new RawClient(gateway.address())) {
            assertTrue(second.call(1, "quick").contains("done"));
            first.ask(1, "loud");
            until(() -> Files.exists(folder.resolve("loud"))); // else the other call could take the place
            until(() -> second.call(2, "quick").contains("1 of your requests wait for their answer"));
            first.kill();
            for (int i = 0; i < 20; i++) { // meanwhile the server says so much that the gateway knows who is gone
                String answer = second.call(3, "quick");
                assertTrue(answer.startsWith("HTTP/1.1 429 "), answer);
                Thread.sleep(50);
            }
            Files.writeString(folder.resolve("go"), "");
            until(() -> second.call(4, "quick").contains("done"));
        }
    }

    /** A POST of so many bytes that are no JSON, of which {@code now} are sent. */
    private static Socket post(HttpGateway gateway, int length, int now) throws IOException {
        URI address = URI.create(gateway.address());
        Socket socket = new Socket(address.getHost(), address.getPort());
        socket.getOutputStream()
                .write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                                + length + "\r\n\r\n" + "x".repeat(now))
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    private static String whole(HttpGateway gateway, int length) throws IOException {
        try (Socket socket = post(gateway, length, length)) {
            return status(socket);
        }
    }

    @Test
    void longMessagesAtOnce_areRefusedBeyondTheBudget_andShortOnesAreNot() throws Exception {
        Guard guard = guard("limits: {body_time: 600s}");
        HttpGateway.Bounds usual = usual(guard);
        BodyBudget budget = new BodyBudget(400_000);
        HttpGateway.Bounds tight = new HttpGateway.Bounds(usual.slowestReader(), usual.beats(), budget);
        try (HttpGateway gateway = gateway(guard, tight)) {
            assertEquals("HTTP/1.1 400", whole(gateway, 200_000), "no JSON, and no longer than there is room");
            until(() -> budget.held() == 0);
            try (Socket slow = post(gateway, 250_000, 249_999)) {
                until(() -> budget.held() == 249_999 - (64 << 10));
                try (Socket refused = post(gateway, 100_000, 81_600)) {
                    String answer = new String(refused.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                    assertTrue(answer.startsWith("HTTP/1.1 503 "), answer);
                    assertTrue(answer.toLowerCase(Locale.ROOT).contains("retry-after: 1"), answer);
                    assertTrue(
                            answer.endsWith("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":"
                                    + "\"too many long messages are here at once; send it again later\"}}"),
                            answer);
                }
                assertEquals("HTTP/1.1 400", whole(gateway, 60_000), "a short one always has room");
                slow.getOutputStream().write('x');
                assertEquals("HTTP/1.1 400", status(slow), "who was first gets its answer");
            }
            until(() -> budget.held() == 0);
            Socket broken = post(gateway, 250_000, 249_999);
            until(() -> budget.held() > 0);
            broken.setSoLinger(true, 0);
            broken.close();
            until(() -> budget.held() == 0);
        }
    }

    @Test
    void streamOfATokenThatEnded_ends() throws Exception {
        Guard guard = guard("auth: {tokens: [{principal: ana, token_env: TOKEN}]}");
        HttpGateway.Bounds usual = usual(guard);
        HttpGateway.Bounds quick = new HttpGateway.Bounds(usual.slowestReader(), Duration.ofMillis(20), usual.bodies());
        try (HttpGateway gateway = gateway(guard, quick);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(gateway.address()))
                    .header("Authorization", "Bearer " + TOKEN)
                    .header("Accept", "application/json, text/event-stream")
                    .header("Content-Type", "application/json");
            HttpResponse<String> begun = client.send(
                    request.copy()
                            .POST(HttpRequest.BodyPublishers.ofString(INITIALIZE))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertEquals(200, begun.statusCode(), begun.body());
            HttpRequest listen = request.header(
                            "Mcp-Session-Id",
                            begun.headers().firstValue("Mcp-Session-Id").orElseThrow())
                    .GET()
                    .build();
            HttpResponse<InputStream> stream = client.send(listen, HttpResponse.BodyHandlers.ofInputStream());
            assertEquals(200, stream.statusCode());
            assertEquals(":\n\n".repeat(5), new String(stream.body().readNBytes(15), StandardCharsets.US_ASCII));

            guard.adopt(policy("auth: {tokens: [{principal: bo, sha256: " + "0".repeat(64) + "}]}"));

            stream.body().readAllBytes(); // to its end, which would never come
            assertEquals(
                    401,
                    client.send(listen, HttpResponse.BodyHandlers.ofString()).statusCode());
        }
    }

    /** Sends one request after the other, and reads no answer, until the connection is ended. */
    private static Thread flood(HttpGateway gateway) throws IOException {
        URI address = URI.create(gateway.address());
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
        byte[] many = "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100).getBytes(StandardCharsets.US_ASCII);
        return Thread.ofVirtual().start(() -> {
            try (socket) {
                while (true) {
                    socket.getOutputStream().write(many);
                }
            } catch (IOException e) {
                // the gateway had enough
            }
        });
    }

    @Test
    void strangerThatNeverReads_losesItsConnection_afterTheTimeThatIsSet() throws Exception {
        Guard guard = guard("auth: {tokens: [{principal: ana, token_env: TOKEN}]}");
        HttpGateway.Bounds usual = usual(guard);
        try (HttpGateway patient =
                        gateway(guard, new HttpGateway.Bounds(Duration.ofHours(1), usual.beats(), usual.bodies()));
                HttpGateway strict =
                        gateway(guard, new HttpGateway.Bounds(Duration.ofMillis(200), usual.beats(), usual.bodies()))) {
            Thread left = flood(patient);
            Thread ended = flood(strict);
            assertTrue(ended.join(Duration.ofSeconds(HANG_SECONDS)), "the connection is not ended");
            assertTrue(left.isAlive(), "it is not for another reason");
        }
    }
}
