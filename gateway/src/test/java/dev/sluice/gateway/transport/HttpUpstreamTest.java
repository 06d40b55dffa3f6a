// This file has more than 400 lines because each thing that a server can do over HTTP stands here with what comes of
// it.
package dev.sluice.gateway.transport;

import static dev.sluice.gateway.transport.ScriptedServer.afterHandshake;
import static dev.sluice.gateway.transport.ScriptedServer.handshake;
import static dev.sluice.gateway.transport.ScriptedServer.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.transport.ScriptedServer.Got;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A line to a server over HTTP, and a server that does right and wrong. */
class HttpUpstreamTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final int LIMIT = 1 << 16;

    private final UpstreamHttp http = new UpstreamHttp();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();

    /** What came over a line, one text for each thing. */
    private class Client implements UpstreamLink.Receiver {
        private final BlockingQueue<String> came = new LinkedBlockingQueue<>();
        private final Set<String> asked = ConcurrentHashMap.newKeySet();
        private final List<String> streams = new CopyOnWriteArrayList<>();
        private final HttpUpstream link;

        Client(URI address, Map<String, String> headers, List<String> variables) throws IOException {
            link = new HttpUpstream(
                    "notes", HttpAddress.of("notes", address, headers, variables), http, LIMIT, logged::add);
            link.start(this);
            opened.add(link);
        }

        void ask(String id, String method) throws IOException {
            asked.add(
                    RpcMessage.parse(bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"x\"}"))
                                    instanceof RpcMessage.Request request
                            ? request.id().key()
                            : "");
            link.send(bytes("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{}}"));
        }

        void tell(String method) throws IOException {
            link.send(bytes("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"}"));
        }

        /** Shakes hands, and says so. */
        Client begin() throws Exception {
            ask("0", "initialize");
            assertTrue(next().contains("protocolVersion"));
            tell("notifications/initialized");
            return this;
        }

        String next() throws InterruptedException {
            return Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
        }

        @Override
        public void text(byte[] bytes) {
            switch (RpcMessage.parse(bytes)) {
                case RpcMessage.Result result -> asked.remove(result.id().key());
                case RpcMessage.Failure failure -> asked.remove(failure.id().key());
                case RpcMessage.Request request -> {}
                case RpcMessage.Notification notification -> {}
            }
            came.add(new String(bytes, StandardCharsets.UTF_8));
        }

        @Override
        public void text(byte[] bytes, RpcId stream) {
            streams.add(stream.json() + " " + new String(bytes, StandardCharsets.UTF_8));
            text(bytes);
        }

        @Override
        public void tooLong(MessageLines.TooLong line) {
            came.add("too long: " + line.id().map(RpcId::json).orElse("?"));
            line.id().ifPresent(id -> asked.remove(id.key()));
        }

        @Override
        public boolean awaits(RpcId id) {
            return asked.contains(id.key());
        }

        @Override
        public void lost(RpcId id, String why, boolean entered) {
            if (asked.remove(id.key())) {
                came.add("lost " + id.json() + (entered ? " after a part: " : ": ") + why);
            }
        }

        @Override
        public void unreachable(String why) {
            came.add("unreachable: " + why);
        }

        @Override
        public void ended(String why) {
            came.add("ended: " + why);
        }
    }

    private static final String MODERN = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

    /** Sends a request that says of itself what every request says since 2026-07-28. */
    private static void askModern(Client client, String id, String method, String members, Map<String, String> headers)
            throws IOException {
        String request = "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":{" + members
                + MODERN + "}}";
        client.asked.add(
                RpcMessage.parse(bytes(request)) instanceof RpcMessage.Request parsed
                        ? parsed.id().key()
                        : "");
        client.link.send(bytes(request), headers);
    }

    @Test
    void modernRequest_saysInHeadersWhatItIs_andHasNoSession() throws Exception {
        ScriptedServer server = server((got, reply) -> reply.json(200, result(got, "{}")));
        Client client = new Client(server.address(), Map.of("Authorization", "Bearer s3cret"), List.of("TOKEN"));
        askModern(client, "1", "tools/call", "\"name\":\"höre\",", Map.of("Mcp-Param-Region", "eu"));
        assertTrue(client.next().endsWith("\"result\":{}}"));
        askModern(client, "2", "resources/read", "\"uri\":\"note:1\",", Map.of());
        assertTrue(client.next().endsWith("\"result\":{}}"));
        askModern(client, "3", "tools/list", "", Map.of());
        assertTrue(client.next().endsWith("\"result\":{}}"));
        client.link.close();

        Got call = server.asked("tools/call").get(0);
        assertEquals("2026-07-28", call.header("MCP-Protocol-Version"));
        assertEquals("tools/call", call.header("Mcp-Method"));
        assertEquals("=?base64?aMO2cmU=?=", call.header("Mcp-Name"));
        assertEquals("eu", call.header("Mcp-Param-Region"));
        assertEquals("Bearer s3cret", call.header("Authorization"));
        assertEquals("note:1", server.asked("resources/read").get(0).header("Mcp-Name"));
        assertEquals("", server.asked("tools/list").get(0).header("Mcp-Name"));
        assertEquals(3, server.all.size(), "nothing is listened to, and no session ended");
        server.all.forEach(got -> assertEquals("", got.header("Mcp-Session-Id")));
    }

    @Test
    void modernRequestThatIsTakenBack_itsStreamIsClosed_andNothingIsSaid() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ScriptedServer server = server((got, reply) -> {
            reply.stream().event("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}");
            try {
                while (true) {
                    reply.write(": there?\n\n");
                    Thread.sleep(5);
                }
            } catch (IOException e) {
                closed.countDown();
            }
        });
        Client client = client(server);
        askModern(client, "7", "tools/call", "\"name\":\"slow\",", Map.of());
        assertTrue(client.next().contains("progress"));
        client.asked.clear();
        client.link.send(
                bytes("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}"));

        assertTrue(closed.await(HANG_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, server.all.size());
    }

    @Test
    void modernStreamThatEndsBeforeTheAnswer_isNotResumed() throws Exception {
        ScriptedServer server = server((got, reply) -> reply.stream().write("id: 1\ndata: \n\n"));
        Client client = client(server);
        askModern(client, "1", "tools/call", "\"name\":\"a\",", Map.of());

        assertEquals("lost 1: its stream ended before the answer", client.next());
        assertEquals(1, server.all.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"id\":1,", "\"id\":null,", ""})
    void modernRefusal_isTheAnswer_whateverItSaysOfTheId(String id) throws Exception {
        ScriptedServer server = server((got, reply) ->
                reply.json(400, "{\"jsonrpc\":\"2.0\"," + id + "\"error\":{\"code\":-32020,\"message\":\"headers\"}}"));
        Client client = client(server);
        askModern(client, "1", "tools/call", "\"name\":\"a\",", Map.of());

        String answer = client.next();
        assertTrue(answer.contains("-32020") && answer.contains("\"id\":1"), answer);
    }

    @Test
    void answersToAModernServer_areNotSent() throws Exception {
        ScriptedServer server = server((got, reply) -> {
            if (got.rpcMethod().startsWith("notifications/")) {
                reply.status(202);
            } else {
                reply.json(200, result(got, "{}"));
            }
        });
        Client client = client(server);
        askModern(client, "1", "tools/list", "", Map.of());
        assertTrue(client.next().endsWith("\"result\":{}}"));
        client.link.send(bytes("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}"));
        client.tell("notifications/mine");
        until(() -> server.all.size() == 2);

        assertEquals("notifications/mine", server.all.get(1).header("Mcp-Method"));
        assertEquals("2026-07-28", server.all.get(1).header("MCP-Protocol-Version"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private ScriptedServer server(ScriptedServer.Script script) throws IOException {
        ScriptedServer server = new ScriptedServer(script);
        opened.add(server);
        return server;
    }

    /** Counts the sessions that it begins; in the first of them it refuses some methods, in others it answers them. */
    private ScriptedServer forgetful(AtomicInteger sessions, Set<String> methods, ScriptedServer.Script refusal)
            throws IOException {
        return server((got, reply) -> {
            switch (got.rpcMethod()) {
                case "initialize" ->
                    reply.header("Mcp-Session-Id", "session-" + sessions.incrementAndGet())
                            .json(200, handshake(got));
                case "notifications/initialized" -> reply.status(202);
                case String method
                when methods.contains(method) -> {
                    if (got.header("Mcp-Session-Id").equals("session-1")) {
                        refusal.play(got, reply);
                    } else {
                        reply.json(200, result(got, "{}"));
                    }
                }
                default -> reply.status(405);
            }
        });
    }

    private Client client(ScriptedServer server) throws IOException {
        return new Client(server.address(), Map.of(), List.of());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        http.close();
    }

    private static void until(java.util.function.BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANG_SECONDS);
        while (!holds.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "it never came to that");
            Thread.sleep(5);
        }
    }

    @Test
    void jsonAnswer_isHandedOn_andSessionAndRevisionAreSaidFromThenOn() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) -> reply.json(200, result(got, "{\"n\": 1e400}"))));
        Client client =
                new Client(server.address(), Map.of("Authorization", "Bearer s3cret"), List.of("TOKEN")).begin();
        client.ask("9007199254740993", "tools/call");

        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{\"n\": 1e400}}", client.next());
        Got hello = server.asked("initialize").get(0);
        assertEquals("", hello.header("Mcp-Session-Id") + hello.header("MCP-Protocol-Version"));
        Got call = server.asked("tools/call").get(0);
        assertEquals("session-1", call.header("Mcp-Session-Id"));
        assertEquals("2025-11-25", call.header("MCP-Protocol-Version"));
        assertEquals("application/json, text/event-stream", call.header("Accept"));
        assertEquals("application/json", call.header("Content-Type"));
        assertEquals("", call.header("Accept-Encoding") + call.header("Cookie"));
        server.all.forEach(got -> assertEquals("Bearer s3cret", got.header("Authorization"), got.method()));
        assertEquals(
                List.of("initialize", "notifications/initialized"),
                server.with("POST").stream().limit(2).map(Got::rpcMethod).toList());
    }

    @Test
    void upstreamThatHoldsBackTheRest_firstEventIsThere() throws Exception {
        CountDownLatch rest = new CountDownLatch(1);
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            reply.stream().event("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}");
            rest.await();
            reply.event(result(got, "{}"));
        }));
        Client client = client(server).begin();
        client.ask("1", "tools/call");

        assertEquals("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}", client.next());
        assertTrue(client.streams.contains("1 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}"));
        rest.countDown();
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", client.next());
    }

    @Test
    void silentStreams_keepNoOtherAnswerBack() throws Exception {
        CountDownLatch rest = new CountDownLatch(1);
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            if (got.rpcMethod().equals("slow")) {
                reply.stream();
                rest.await();
            }
            reply.json(200, result(got, "{}"));
        }));
        Client client = client(server).begin();
        for (int i = 0; i < 100; i++) {
            client.ask("\"slow-" + i + "\"", "slow");
        }
        client.ask("1", "quick");

        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", client.next());
        rest.countDown();
    }

    @Test
    void forgottenSession_isBegunAnew_andTheRequestIsSentOnceMore() throws Exception {
        AtomicInteger sessions = new AtomicInteger();
        ScriptedServer server = forgetful(sessions, Set.of("resources/read"), (got, reply) -> reply.status(404));
        Client client = client(server).begin();
        for (int i = 1; i <= 8; i++) {
            client.ask(String.valueOf(i), "resources/read");
        }
        for (int i = 1; i <= 8; i++) {
            assertTrue(client.next().endsWith("\"result\":{}}"));
        }

        assertEquals(
                8,
                server.asked("resources/read").stream()
                        .filter(got -> got.header("Mcp-Session-Id").equals("session-2"))
                        .count(),
                "each is done once");
        assertEquals(2, sessions.get(), "and one session is begun for all");
        assertEquals(
                server.asked("initialize").get(0).body(),
                server.asked("initialize").get(1).body());
        assertEquals(
                List.of("session-1", "session-2"),
                server.asked("notifications/initialized").stream()
                        .map(got -> got.header("Mcp-Session-Id"))
                        .toList());
        assertEquals(List.of("`notes` forgot the session; it is begun anew"), logged);
    }

    @Test
    void sessionForgottenWith400_isBegunAnew_whereAPingIsRefusedToo() throws Exception {
        AtomicInteger sessions = new AtomicInteger();
        ScriptedServer server = forgetful(
                sessions,
                Set.of("resources/read", "ping"),
                (got, reply) -> reply.json(400, error(got, "no valid session")));
        Client client = client(server).begin();
        client.ask("1", "resources/read");

        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", client.next());
        assertEquals(2, sessions.get());
        assertEquals(2, server.asked("resources/read").size());
    }

    /** Its tools may be others now, and only its word says that the call did not run. */
    @Test
    void callOfATool_inAForgottenSession_isNotSentOnceMore() throws Exception {
        AtomicInteger sessions = new AtomicInteger();
        ScriptedServer server =
                forgetful(sessions, Set.of("tools/call"), (got, reply) -> reply.json(404, error(got, "no such item")));
        Client client = client(server).begin();
        client.ask("1", "tools/call");
        assertEquals("lost 1: it forgot the session, which is begun anew now; call again", client.next());
        assertEquals(1, server.asked("tools/call").size());
        client.ask("2", "tools/call");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", client.next());
        assertEquals(2, sessions.get());
    }

    @Test
    void requestRefusedWith400_inASessionThatAnswersPings_isRefused() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            if (got.rpcMethod().equals("ping")) {
                reply.json(200, result(got, "{}"));
            } else {
                reply.json(400, error(got, "no such tool"));
            }
        }));
        Client client = client(server).begin();
        client.ask("1", "tools/call");

        assertTrue(client.next().contains("no such tool"));
        assertEquals(1, server.asked("initialize").size());
        assertEquals(1, server.asked("tools/call").size());
    }

    private static String error(ScriptedServer.Got got, String message) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + got.id() + ",\"error\":{\"code\":-32000,\"message\":\"" + message
                + "\"}}";
    }

    @Test
    void sessionForgottenAtOnce_isAnError() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) -> reply.status(404)));
        Client client = client(server).begin();
        client.ask("1", "resources/read");

        assertEquals("lost 1: it does not know the session that it just began (status 404)", client.next());
        assertEquals(2, server.asked("initialize").size());
        assertEquals(2, server.asked("resources/read").size());
    }

    @Test
    void streamThatEndsBeforeTheAnswer_goesOnAfterItsLastEvent() throws Exception {
        AtomicInteger resumed = new AtomicInteger();
        ScriptedServer server = server((got, reply) -> {
            if (got.method().equals("GET") && !got.header("Last-Event-ID").isEmpty()) {
                reply.stream();
                if (resumed.incrementAndGet() == 1) {
                    reply.write("id: e-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n");
                } else {
                    reply.write("id: e-3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
                }
            } else {
                afterHandshake((call, answer) -> answer.stream().write("id: e-1\nretry: 60\ndata:\n\n"))
                        .play(got, reply);
            }
        });
        Client client = client(server).begin();
        client.ask("1", "tools/call");

        assertEquals("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}", client.next());
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", client.next());
        assertTrue(
                client.streams.contains("1 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"),
                "what comes on the rest of a stream is of its request too: " + client.streams);
        assertEquals(
                List.of("e-1", "e-2"),
                server.with("GET").stream()
                        .map(got -> got.header("Last-Event-ID"))
                        .filter(id -> !id.isEmpty())
                        .toList());
        assertEquals(1, server.asked("tools/call").size(), "the call is not repeated");
    }

    @Test
    void streamThatCanNotGoOn_isLost() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) ->
                reply.stream().write(got.rpcMethod().equals("with") ? "id: e-1\nretry: 0\ndata:\n\n" : ": hello\n\n")));
        Client client = client(server).begin();
        client.ask("1", "without");
        assertEquals("lost 1: its stream ended before the answer", client.next());
        client.ask("2", "with");
        assertEquals(
                "lost 2: its stream broke off before the answer, and it does not go on with it (status 405)",
                client.next());
    }

    @Test
    void streamOfNoRequest_isListenedTo_andGoesOnAfterItsLastEvent() throws Exception {
        AtomicInteger times = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(1);
        ScriptedServer server = server((got, reply) -> {
            if (!got.method().equals("GET")) {
                afterHandshake((call, answer) -> {}).play(got, reply);
            } else if (times.incrementAndGet() == 1) {
                reply.stream().write("retry: 50\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n");
            } else {
                reply.stream().event("{\"jsonrpc\":\"2.0\",\"method\":\"b\"}");
                over.await();
            }
        });
        Client client = client(server).begin();

        assertEquals("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", client.next());
        assertEquals("{\"jsonrpc\":\"2.0\",\"method\":\"b\"}", client.next());
        assertTrue(
                client.streams.stream().noneMatch(text -> text.contains("\"method\"")),
                "it is of no request: " + client.streams);
        assertEquals("text/event-stream", server.with("GET").get(0).header("Accept"));
        assertEquals("", server.with("GET").get(0).header("Last-Event-ID"));
        assertEquals("7", server.with("GET").get(1).header("Last-Event-ID"));
        over.countDown();
    }

    @Test
    void serverWithoutSuchAStream_isAskedOnce() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) -> reply.json(200, result(got, "{}"))));
        Client client = client(server).begin();
        until(() -> server.with("GET").size() == 1);
        for (int i = 1; i <= 20; i++) {
            client.ask(String.valueOf(i), "ping");
            client.next();
        }
        assertEquals(1, server.with("GET").size());
        assertEquals(List.of(), logged);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "401 | it wants another credential (status 401); look at `NOTES_TOKEN`",
                "403 | it lets this credential do nothing here (status 403); look at `NOTES_TOKEN`",
                "404 | nothing is at its address (status 404); check the path of its `url`",
                "405 | no MCP server over Streamable HTTP is at its address (status 405); check the path of its `url`",
                "429 | it has too much to do (status 429); call again later",
                "302 | it sends on to another address (status 302), which is not followed; write that address as its `url`",
                "307 | it sends on to another address (status 307), which is not followed; write that address as its `url`",
                "202 | it took the request and gave no answer (status 202)",
                "503 | it answered with status 503",
            })
    void refusal_saysTheMend_andNotTheCredential(int status, String why) throws Exception {
        ScriptedServer elsewhere = server((got, reply) -> reply.status(200));
        ScriptedServer server = server(
                (got, reply) -> reply.header("Location", elsewhere.address().toString())
                        .header("WWW-Authenticate", "Basic realm=\"x\"")
                        .status(status));
        Client client = new Client(server.address(), Map.of("Authorization", "Bearer s3cret"), List.of("NOTES_TOKEN"));
        client.ask("1", "initialize");

        assertEquals("lost 1: " + why, client.next());
        assertEquals(1, server.all.size());
        assertEquals(List.of(), elsewhere.all, "nothing is sent on");
        assertFalse(logged.toString().contains("s3cret"));
    }

    @Test
    void refusalThatIsTheAnswer_isHandedOn() throws Exception {
        String failure = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"no\"}}";
        Client client = client(server(afterHandshake((got, reply) -> {
                    if (got.rpcMethod().equals("ping")) {
                        reply.json(200, result(got, "{}"));
                    } else {
                        reply.json(400, failure);
                    }
                })))
                .begin();
        client.ask("1", "tools/call");
        assertEquals(failure, client.next());
        client.ask("2", "tools/call");
        assertEquals("lost 2: it answered with status 400", client.next(), "an answer to something else is none");
    }

    @Test
    void answerOverTheLimit_isLost_andTheLineGoesOn() throws Exception {
        String long1 = "x".repeat(LIMIT);
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            switch (got.rpcMethod()) {
                case "json" -> reply.json(200, result(got, "\"" + long1 + "\""));
                case "events" -> reply.stream().event(result(got, "\"" + long1 + "\""));
                case "comment" ->
                    reply.stream().write(":" + long1.repeat(64) + "\n").event(result(got, "1"));
                default -> reply.json(200, result(got, "{}"));
            }
        }));
        Client client = client(server).begin();
        client.ask("1", "json");
        assertEquals("lost 1 after a part: its answer has more bytes than the limit of 65536", client.next());
        client.ask("2", "events");
        assertEquals("too long: 2", client.next());
        client.ask("3", "comment");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":1}", client.next());
        client.ask("4", "ping");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{}}", client.next());
    }

    @Test
    void answersThatAreNone_areLost() throws Exception {
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            switch (got.rpcMethod()) {
                case "html" -> {
                    reply.header("Content-Type", "text/html").status(200);
                }
                case "packed" -> reply.header("Content-Encoding", "gzip").json(200, result(got, "{}"));
                case "other" -> reply.json(200, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}");
                case "headers" -> reply.header("X-Long", "x".repeat(1 << 20)).json(200, result(got, "{}"));
                default -> reply.stream().write("data: {\"jsonrpc\"");
            }
        }));
        Client client = client(server).begin();
        client.ask("1", "html");
        assertEquals("lost 1: its answer is neither JSON nor an event stream", client.next());
        client.ask("2", "packed");
        assertEquals("lost 2: its answer is compressed, which nobody asked for", client.next());
        client.ask("3", "other");
        client.next();
        assertEquals("lost 3 after a part: what it answered is not the answer to the request", client.next());
        client.ask("4", "headers");
        assertEquals("lost 4: the connection broke off before its answer", client.next());
        client.ask("5", "half");
        assertEquals("lost 5: its stream ended before the answer", client.next());
    }

    @Test
    void sessionIdThatCanNotBeSentBack_isRefused() throws Exception {
        Client client = client(server((got, reply) ->
                reply.header("Mcp-Session-Id", "x".repeat(2_000)).json(200, handshake(got))));
        client.ask("0", "initialize");
        assertEquals(
                "lost 0: the id of its session can't be used: it must be up to 1024 visible ASCII characters",
                client.next());
    }

    @Test
    void nobodyThere_isToldWithTheAddress_andTheLineGoesOn() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Client client = new Client(URI.create("http://127.0.0.1:" + port + "/mcp?key=s3cret"), Map.of(), List.of());
        client.ask("1", "initialize");
        assertEquals(
                "lost 1: it can't be reached at http://127.0.0.1:" + port + ": it takes no connection", client.next());
        assertEquals("unreachable: it takes no connection", client.next());
        opened.add(new ScriptedServer(port, afterHandshake((got, reply) -> reply.json(200, result(got, "{}")))));
        client.begin();
        client.ask("2", "ping");
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", client.next());
    }

    @Test
    void closing_endsTheSessionThere_andWhatIsOpen() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            reply.stream();
            never.await();
        }));
        Client client = client(server).begin();
        client.ask("1", "tools/call");
        until(() -> !server.asked("tools/call").isEmpty());
        client.link.close();
        client.link.close();

        assertEquals("ended: the line to it was closed", client.next());
        assertEquals("session-1", server.with("DELETE").get(0).header("Mcp-Session-Id"));
        assertEquals(1, server.with("DELETE").size());
        assertThrows(IOException.class, () -> client.ask("2", "ping"));
        never.countDown();
    }

    @Test
    void cancellation_isTold_andClosesNothing() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            if (got.rpcMethod().equals("notifications/cancelled")) {
                reply.status(202);
                told.countDown();
            } else {
                reply.stream();
                told.await();
                reply.event("{\"jsonrpc\":\"2.0\",\"method\":\"last\"}").event(result(got, "{}"));
            }
        }));
        Client client = client(server).begin();
        client.ask("1", "tools/call");
        until(() -> !server.asked("tools/call").isEmpty()); // each comes on a connection of its own
        client.link.send(
                bytes("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"));

        assertEquals("{\"jsonrpc\":\"2.0\",\"method\":\"last\"}", client.next());
        assertEquals(
                List.of("tools/call", "notifications/cancelled"),
                server.with("POST").stream().skip(2).map(Got::rpcMethod).toList());
    }

    @Test
    void receiverThatWaits_makesTheServerWait() throws Exception {
        AtomicLong written = new AtomicLong();
        String event = "{\"jsonrpc\":\"2.0\",\"method\":\"" + "x".repeat(LIMIT / 2) + "\"}";
        int events = 2_000;
        ScriptedServer server = server(afterHandshake((got, reply) -> {
            reply.stream();
            for (int i = 0; i < events; i++) {
                reply.event(event);
                written.addAndGet(event.length());
            }
            reply.event(result(got, "{}"));
        }));
        CountDownLatch read = new CountDownLatch(1);
        Client client = new Client(server.address(), Map.of(), List.of()) {
            @Override
            public void text(byte[] bytes) {
                try {
                    assertTrue(read.await(HANG_SECONDS, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                super.text(bytes);
            }
        };
        client.ask("1", "tools/call");
        long before = -1;
        while (written.get() == 0 || written.get() != before) {
            before = written.get();
            Thread.sleep(300);
        }

        assertTrue(before < (long) events * event.length() / 2, "the server wrote " + before + " bytes");
        read.countDown();
        until(() -> client.came.size() == events + 1);
    }

    @Test
    void headerOfTwoLines_isRefused_andNotShown() {
        IOException fault = assertThrows(
                IOException.class,
                () -> HttpAddress.of(
                        "notes",
                        URI.create("https://notes.example/mcp"),
                        Map.of("Authorization", "Bearer s3cret\r\nX-Other: y"),
                        List.of("NOTES_TOKEN")));
        assertEquals(
                "the header `Authorization` of `notes` can't be sent: its value must be one line of ASCII without spaces"
                        + " around it; look at `NOTES_TOKEN`",
                fault.getMessage());
    }
}
