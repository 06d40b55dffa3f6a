// This file has more than 400 lines because both transports play the same messages and are held to the same bytes.
package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.gateway.RandomTraffic.Refused;
import dev.sluice.gateway.proxy.ProxySession;
import dev.sluice.gateway.proxy.Server;
import dev.sluice.gateway.telemetry.Telemetry;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.GatewaySettings.Listen;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * That random messages come out as they went in, but for what only Sluice may write, which is taken out, and the label of
 * results, which is cut out again here: what is left must be what the other side wrote, byte for byte. What could be read
 * two ways is refused.
 */
class RandomTrafficTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 120;

    private static final String LABEL =
            "\"dev\\.sluice/label\":\\{\"integrity\":\"trusted\",\"confidentiality\":\"public\"" + "[^{}]*}";

    /** The label in a new {@code _meta} behind other members or as the only one, and in one that was there. */
    private static final List<Pattern> LABELS = List.of(
            Pattern.compile(",\"_meta\":\\{" + LABEL + "}"),
            Pattern.compile("\"_meta\":\\{" + LABEL + "}"),
            Pattern.compile("," + LABEL),
            Pattern.compile(LABEL));

    /** The label in place of a {@code _meta} that was no object. */
    private static final Pattern IN_ITS_PLACE = Pattern.compile("\\{" + LABEL + "}");

    /** What Sluice answers or edits itself is not among these. */
    private static final List<String> JUDGED = List.of(
            "tools/call",
            "resources/read",
            "prompts/get",
            "completion/complete",
            "tasks/get",
            "vendor/unknown",
            "vendor\\/\\u00e9",
            "");

    private static final List<String> PLAIN =
            List.of("ping", "resources/list", "resources/templates/list", "prompts/list", "logging/setLevel");

    private static final List<String> OF_SERVERS =
            List.of("sampling/createMessage", "elicitation/create", "roots/list", "ping", "vendor/asks", "\\u006dine");

    private static final List<String> TOLD = List.of(
            "notifications/message",
            "notifications/progress",
            "notifications/resources/updated",
            "notifications/tools/list_changed",
            "notifications/roots/list_changed",
            "vendor/told",
            "\\ud83d\\ude00");

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> atServer = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> atClient = new LinkedBlockingQueue<>();
    private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
    private @Nullable State state;
    private String seed = "";
    private int labels;

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    /** Both ends of a line, Sluice in the middle. */
    private interface Ends {
        void client(String message);

        void server(String message);

        /** Returns what came to the client of what the server said. */
        String atClient(String message) throws InterruptedException;

        String atServer(String message) throws InterruptedException;
    }

    /** What becomes of the line ends between values. */
    private enum Passed {
        AS_IT_IS,
        ON_ONE_LINE;

        String of(String message) {
            return this == AS_IT_IS ? message : message.replace('\n', ' ').replace('\r', ' ');
        }
    }

    /** A request that waits for its answer. */
    private record Open(String id, boolean judged) {}

    private Guard guard(String mode, String server) throws IOException {
        State opening = State.open(folder.resolve("state"));
        opened.add(opening);
        state = opening;
        return StdioEnds.guard(
                opening,
                "{version: 1, mode: " + mode + ", servers: {a: {" + server
                        + ", defaults: {integrity: trusted, confidentiality: public}}}}");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"audit, 1", "audit, 2", "enforce, 3", "enforce, 4"})
    void inProcess_nothingChangesButTheLabel(String mode, long number) throws Exception {
        Guard guard = guard(mode, "command: a");
        Receiving link = new Receiving();
        ClientSide client = new ClientSide() {
            @Override
            public void answer(byte[] message, String request) {
                send(message, request);
            }

            @Override
            public boolean send(byte[] message, String request) {
                return atClient.add(text(message));
            }

            @Override
            public void finish(String request) {}
        };
        AgentSession agent = new AgentSession("t", "ana", "t", AgentSession.Start.CLEAN, "{}");
        var _ = guard.open(agent);
        ProxySession session = ProxySession.direct(
                guard,
                agent,
                client,
                logged::add,
                why -> {},
                root -> false,
                new Server(Objects.requireNonNull(guard.policy().servers().get("a")), principal -> link),
                Watch.NONE);
        opened.add(session);
        Ends ends = new Ends() {
            @Override
            public void client(String message) {
                session.fromClient(bytes(message));
            }

            @Override
            public void server(String message) {
                link.say(message);
            }

            @Override
            public String atClient(String message) throws InterruptedException {
                return next(atClient, message);
            }

            @Override
            public String atServer(String message) throws InterruptedException {
                return next(atServer, message);
            }
        };
        play(ends, new RandomTraffic(number, List.of("\n", "\r\n", "\r"), 256), number, 1_500, Passed.AS_IT_IS);
    }

    /** A line to nobody: what is sent over it is kept. */
    private final class Receiving implements UpstreamLink {
        private @Nullable Receiver receiver;

        @Override
        public void start(Receiver to) {
            receiver = to;
        }

        @Override
        public void send(byte[] message) {
            String tools = StdioEnds.toolsFor(text(message));
            if (tools == null) {
                atServer.add(text(message));
            } else {
                Thread.ofVirtual().start(() -> say(tools));
            }
        }

        synchronized void say(String message) {
            Objects.requireNonNull(receiver).text(bytes(message));
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @CsvSource({"audit, 11", "enforce, 12"})
    void overStdio_nothingChangesButTheLabelAndLineEnds(String mode, long number) throws Exception {
        StdioEnds stdio = new StdioEnds(guard(mode, "command: a"), folder, 1 << 24);
        opened.add(stdio);
        Ends ends = new Ends() {
            @Override
            public void client(String message) {
                stdio.client(message);
            }

            @Override
            public void server(String message) {
                stdio.server(message);
            }

            @Override
            public String atClient(String message) throws InterruptedException {
                return stdio.atClient();
            }

            @Override
            public String atServer(String message) throws InterruptedException {
                return stdio.atServer();
            }
        };
        play(ends, new RandomTraffic(number, List.of("\r"), 256), number, 400, Passed.ON_ONE_LINE);
        assertTrue(stdio.isSilent(), "nothing else came");
        assertEquals(List.of(), stdio.logged);
    }

    /** Messages of both sides, in any order that the protocol has; an answer is to any request that has none. */
    private void play(Ends ends, RandomTraffic traffic, long number, int messages, Passed passed) throws Exception {
        List<Open> ofClient = new ArrayList<>();
        List<Open> ofServer = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            seed = "seed " + number + ", message " + i + ": ";
            switch (traffic.below(11)) {
                case 10 -> {
                    Refused refused = traffic.refused(traffic.oneOf(traffic.below(2) == 0 ? JUDGED : TOLD));
                    ends.client(refused.message());
                    assertRefused(refused, ends.atClient(refused.message()));
                }
                case 0, 1 -> toServer(ends, traffic, traffic.notification(traffic.oneOf(TOLD)), passed);
                case 2, 3 -> toClient(ends, traffic, traffic.notification(traffic.oneOf(TOLD)), passed, false);
                case 4 -> {
                    Open asked = new Open(traffic.id(), false);
                    ofServer.add(asked);
                    toClient(ends, traffic, traffic.request(asked.id(), traffic.oneOf(OF_SERVERS)), passed, false);
                }
                case 5, 6, 7 -> {
                    boolean judged = traffic.below(5) > 0;
                    Open asked = new Open(traffic.id(), judged);
                    ofClient.add(asked);
                    toServer(
                            ends, traffic, traffic.request(asked.id(), traffic.oneOf(judged ? JUDGED : PLAIN)), passed);
                }
                case 8 -> {
                    if (!ofServer.isEmpty()) {
                        String id =
                                ofServer.remove(traffic.below(ofServer.size())).id();
                        toServer(
                                ends,
                                traffic,
                                traffic.below(3) == 0 ? traffic.failure(id) : traffic.result(id),
                                passed);
                    }
                }
                default -> {
                    if (!ofClient.isEmpty()) {
                        Open asked = ofClient.remove(traffic.below(ofClient.size()));
                        boolean failed = traffic.below(4) == 0;
                        toClient(
                                ends,
                                traffic,
                                failed ? traffic.failure(asked.id()) : traffic.result(asked.id()),
                                passed,
                                asked.judged() && !failed);
                    }
                }
            }
        }
        assertTrue(atServer.isEmpty() && atClient.isEmpty(), seed + "nothing else came: " + atServer + atClient);
        assertEquals(List.of(), logged, seed + "nothing is said of it");
        assertTrue(labels > messages / 30, seed + "results are labelled");
    }

    private void toServer(Ends ends, RandomTraffic traffic, String message, Passed passed) throws Exception {
        ends.client(traffic.space() + RandomTraffic.sent(message) + traffic.space());
        assertEquals(passed.of(RandomTraffic.kept(message)), ends.atServer(message), seed + "to the server");
    }

    private void toClient(Ends ends, RandomTraffic traffic, String message, Passed passed, boolean labelled)
            throws Exception {
        ends.server(traffic.space() + RandomTraffic.sent(message) + traffic.space());
        assertPassed(passed.of(message), ends.atClient(message), labelled);
    }

    private void assertPassed(String marked, String received, boolean labelled) {
        String original = RandomTraffic.kept(marked);
        String unlabelled = unlabelled(received, original, RandomTraffic.noObject(marked), labelled);
        assertEquals(original, unlabelled, seed + "to the client");
    }

    private void assertRefused(Refused refused, String received) {
        assertTrue(
                received.matches("\\{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":\\{\"code\":" + refused.code()
                        + ",\"message\":\"[^\"].{9,}"),
                () -> seed + refused.message() + " was answered with " + received);
    }

    private String next(BlockingQueue<String> queue, String message) throws InterruptedException {
        return Objects.requireNonNull(
                queue.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> seed + "this came nowhere: " + message + logged);
    }

    /** Cuts the label out where there must be one: of the ways in which it can stand there, the one that was taken. */
    private String unlabelled(String received, String original, String noObject, boolean labelled) {
        if (!labelled) {
            return received;
        }
        String put = IN_ITS_PLACE.matcher(received).replaceFirst(Matcher.quoteReplacement(noObject));
        if (!noObject.isEmpty() && put.equals(original)) {
            labels++;
            return put;
        }
        for (Pattern pattern : LABELS) {
            String cut = pattern.matcher(received).replaceFirst("");
            if (!cut.equals(received) && cut.equals(original)) {
                labels++;
                return cut;
            }
        }
        return received;
    }

    /** An answer of a server over HTTP; without messages it is that there is none. */
    private record Reply(boolean events, BlockingQueue<String> messages) {
        static final String END = "";

        static Reply none() {
            return new Reply(false, new LinkedBlockingQueue<>(List.of(END)));
        }
    }

    private URI serve() throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(work -> Thread.ofVirtual().start(work));
        http.createContext("/", exchange -> {
            try (exchange) {
                serve(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        http.start();
        opened.add(() -> http.stop(0));
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/mcp");
    }

    private void serve(HttpExchange exchange) throws IOException, InterruptedException {
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.sendResponseHeaders(405, -1);
            return;
        }
        String message = text(exchange.getRequestBody().readAllBytes());
        String tools = StdioEnds.toolsFor(message);
        if (tools != null) {
            json(exchange, tools);
        } else if (message.contains("\"method\":\"initialize\"")) {
            json(
                    exchange,
                    "{\"jsonrpc\":\"2.0\",\"id\":\"sluice-1\",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                            + "{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}");
        } else if (message.contains("notifications/initialized")) {
            exchange.sendResponseHeaders(202, -1);
        } else {
            atServer.add(message);
            Reply reply = Objects.requireNonNull(replies.poll(HANG_SECONDS, TimeUnit.SECONDS));
            if (reply.events()) {
                events(exchange, reply);
            } else {
                String answer = reply.messages().take();
                if (answer.isEmpty()) {
                    exchange.sendResponseHeaders(202, -1);
                } else {
                    json(exchange, answer);
                }
            }
        }
    }

    private static void json(HttpExchange exchange, String body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes(body).length);
        exchange.getResponseBody().write(bytes(body));
    }

    private static void events(HttpExchange exchange, Reply reply) throws IOException, InterruptedException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        for (String next = reply.messages().take();
                !next.isEmpty();
                next = reply.messages().take()) {
            for (String line : next.split("\r\n|\r|\n", -1)) {
                exchange.getResponseBody().write(bytes("data: " + line + "\n"));
            }
            exchange.getResponseBody().write(bytes("\n"));
            exchange.getResponseBody().flush();
        }
    }

    /** A client over HTTP of a gateway in this process. */
    private record Posting(HttpClient http, URI address, String session) {
        HttpResponse<InputStream> post(String message) throws IOException, InterruptedException {
            HttpRequest.Builder request = HttpRequest.newBuilder(address)
                    .header("Content-Type", "application/json")
                    .header("Accept", "application/json, text/event-stream")
                    .POST(HttpRequest.BodyPublishers.ofString(message));
            if (!session.isEmpty()) {
                request.header("Mcp-Session-Id", session);
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        }
    }

    private Posting client(Guard guard) throws IOException, InterruptedException {
        HttpGateway gateway = HttpGateway.start(
                guard,
                Objects.requireNonNull(state).engine(),
                guard.policy(),
                guard.policy().gateway().on(new Listen("127.0.0.1", 0, false)),
                root -> false,
                token -> false,
                Map.of(),
                Telemetry.NONE,
                logged::add);
        opened.add(gateway);
        HttpClient http = HttpClient.newHttpClient();
        opened.add(http);
        URI address = URI.create(gateway.address());
        HttpResponse<InputStream> begun = new Posting(http, address, "")
                .post("{\"jsonrpc\":\"2.0\",\"id\":\"begin\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                        + "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
        begun.body().close();
        return new Posting(
                http, address, begun.headers().firstValue("Mcp-Session-Id").orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({"audit, false, 21", "audit, true, 22", "enforce, false, 23", "enforce, true, 24"})
    void overHttp_nothingChangesButTheLabel(String mode, boolean events, long number) throws Exception {
        Guard guard = guard(mode, "url: '" + serve() + "'");
        Posting client = client(guard);
        RandomTraffic traffic = new RandomTraffic(
                number,
                List.of("\n", "\r\n", "\r"),
                guard.policy().gateway().limits().depth());
        for (int i = 0; i < 100; i++) {
            seed = "seed " + number + ", message " + i + ": ";
            tell(client, traffic.notification(traffic.oneOf(TOLD)));
            Refused refused = traffic.refused(traffic.oneOf(JUDGED));
            HttpResponse<InputStream> refusal = client.post(refused.message());
            assertEquals(400, refusal.statusCode(), seed + refused.message());
            assertRefused(refused, text(refusal.body().readAllBytes()));
            String id = traffic.id();
            String asked = traffic.request(id, traffic.oneOf(JUDGED));
            boolean failed = traffic.below(4) == 0;
            String answer = failed ? traffic.failure(id) : traffic.result(id);
            Reply reply = new Reply(events, new LinkedBlockingQueue<>());
            replies.add(reply);
            if (!events) {
                reply.messages().add(RandomTraffic.sent(answer));
                HttpResponse<InputStream> response = client.post(RandomTraffic.sent(asked));
                assertEquals(RandomTraffic.kept(asked), next(atServer, asked), seed + "to the server");
                assertPassed(answer, text(response.body().readAllBytes()), !failed);
                continue;
            }
            String told = traffic.notification(traffic.oneOf(TOLD));
            String wanted = traffic.id();
            String asking = traffic.request(wanted, traffic.oneOf(OF_SERVERS));
            reply.messages().addAll(List.of(RandomTraffic.sent(told), RandomTraffic.sent(asking)));
            HttpResponse<InputStream> response = client.post(RandomTraffic.sent(asked));
            assertEquals(RandomTraffic.kept(asked), next(atServer, asked), seed + "to the server");
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                assertPassed(onOneLine(told), event(in), false);
                assertPassed(onOneLine(asking), event(in), false);
                tell(client, traffic.below(3) == 0 ? traffic.failure(wanted) : traffic.result(wanted));
                reply.messages().addAll(List.of(RandomTraffic.sent(answer), Reply.END));
                assertPassed(onOneLine(answer), event(in), !failed);
            }
        }
        assertTrue(labels > 30, "results are labelled");
        assertEquals(List.of(), logged, "nothing is said of it");
    }

    /** Two line ends that are one for the events of a server are one space. */
    private static String onOneLine(String message) {
        return Passed.ON_ONE_LINE.of(message.replace("\r\n", "\n"));
    }

    private void tell(Posting client, String message) throws Exception {
        replies.add(Reply.none());
        HttpResponse<InputStream> taken = client.post(RandomTraffic.sent(message));
        taken.body().close();
        assertEquals(202, taken.statusCode(), seed + message);
        assertEquals(RandomTraffic.kept(message), next(atServer, message), seed + "to the server");
    }

    private static String event(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.startsWith("data: ")) {
                return line.substring(6);
            }
        }
        throw new IOException("the stream ended early");
    }
}
