// This file has more than 400 lines because each fault needs a server of its own, played whole.
package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What goes wrong, or happens at a bad moment, between clients and servers of either era. */
class EraFaultsTest {

    private static final String DISCOVERED = "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
            + "\"capabilities\":{\"tools\":{},\"resources\":{\"subscribe\":true}},\"instructions\":\"be nice\","
            + "\"ttlMs\":0,\"cacheScope\":\"private\"}";
    private static final String TOOLS = "{\"tools\":[{\"name\":\"act\",\"inputSchema\":{\"type\":\"object\"}}]}";
    private static final String FORM = "{\"resultType\":\"input_required\",\"inputRequests\":"
            + "{\"a\":{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\"}}}}";

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();

    /** What is done once when the guard looks at the time next. */
    private final AtomicReference<@Nullable Runnable> atNextLook = new AtomicReference<>();

    /** A server that a test plays whole. */
    private static class Link implements UpstreamLink {
        final List<String> got = new CopyOnWriteArrayList<>();
        private @Nullable Receiver receiver;

        /** Does what the server does with a request. */
        void play(RpcMessage.Request request) {
            switch (request.method()) {
                case "server/discover" -> answer(request, DISCOVERED);
                case "tools/list" -> answer(request, TOOLS);
                case Subscriptions.LISTEN -> {}
                default -> answer(request, "{\"content\":[]}");
            }
        }

        @Override
        public void start(Receiver to) {
            receiver = to;
        }

        @Override
        public void send(byte[] bytes) throws IOException {
            got.add(new String(bytes, StandardCharsets.UTF_8));
            if (RpcMessage.parse(bytes) instanceof RpcMessage.Request request) {
                Thread.ofVirtual().start(() -> play(request));
            }
        }

        void answer(RpcMessage.Request request, String result) {
            say("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"result\":" + result + "}");
        }

        void fail(RpcMessage.Request request, String error) {
            say("{\"jsonrpc\":\"2.0\",\"id\":" + request.id().json() + ",\"error\":" + error + "}");
        }

        synchronized void say(String message) {
            Objects.requireNonNull(receiver).text(message.getBytes(StandardCharsets.UTF_8));
        }

        List<RpcMessage.Request> asked(String method) {
            return got.stream()
                    .map(text -> RpcMessage.parse(text.getBytes(StandardCharsets.UTF_8)))
                    .filter(RpcMessage.Request.class::isInstance)
                    .map(RpcMessage.Request.class::cast)
                    .filter(request -> request.method().equals(method))
                    .toList();
        }

        @Override
        public synchronized void close() {
            Receiver to = receiver;
            receiver = null;
            if (to != null) {
                to.ended("it was stopped");
            }
        }
    }

    private final Clock clock = new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            Runnable once = atNextLook.getAndSet(null);
            if (once != null) {
                once.run();
            }
            return Instant.now();
        }
    };

    private static Policy policy(String line) {
        return PolicyParser.parse(
                "p.yaml",
                "{version: 1, gateway: {ask: {wait: 0s}}, servers: {a: {command: a, " + line
                        + ", defaults: {integrity: trusted, confidentiality: public}, tools: {act: {effects: [reads]}}}}}");
    }

    /** A client with a handshake, and its session. */
    private final class Client extends PlayedClient {

        Client(String line, Link link, boolean direct) throws IOException {
            Policy policy = policy(line);
            Guard guard = new Guard(new MemoryEngine(), policy, clock, 0);
            AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
            var _ = guard.open(agent);
            var own = Objects.requireNonNull(policy.servers().get("a"));
            Server server = own.line().shared()
                    ? Server.shared(own, principal -> link, close -> opened.add(close::run), logged::add)
                    : new Server(own, principal -> link);
            JsonNode nobody = JsonNodeFactory.instance.missingNode();
            ProxySession session = direct
                    ? ProxySession.direct(guard, agent, this, logged::add, why -> {}, root -> false, server, Watch.NONE)
                    : ProxySession.shared(
                            guard, agent, this, logged::add, root -> false, List.of(server), nobody, Watch.NONE);
            opened.add(in(session));
        }

        Client begin() throws InterruptedException {
            begin("{'elicitation':{},'roots':{}}");
            return this;
        }

        String call(int id) throws InterruptedException {
            return ask(id, "tools/call", "{'name':'act','arguments':{}}");
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void callThatIsMadeAgain_andShowsNoProgressThen_isEnded() throws Exception {
        Client client = new Client(
                        "era: modern, timeout: 1s",
                        new Link() {
                            @Override
                            void play(RpcMessage.Request request) {
                                if (!request.method().equals("tools/call")) {
                                    super.play(request);
                                } else if (request.params()
                                        .orElseThrow()
                                        .member("inputResponses")
                                        .isEmpty()) {
                                    answer(request, FORM);
                                }
                            }
                        },
                        false)
                .begin();
        String form = client.call(1);
        String id = JsonMapper.shared().readTree(form).path("id").stringValue();
        client.say("{'jsonrpc':'2.0','id':'" + id + "','result':{'action':'accept','content':{}}}");
        String end = client.next();
        assertTrue(end.contains("it showed no progress for 1 s"), end);
    }

    @Test
    void callThatIsTakenBackWhileWhatItsServerAsksIsJudged_showsNoForm() throws Exception {
        AtomicReference<@Nullable Client> asking = new AtomicReference<>();
        Link link = new Link() {
            @Override
            void play(RpcMessage.Request request) {
                if (request.method().equals("tools/call")) {
                    Client client = Objects.requireNonNull(asking.get());
                    atNextLook.set(() -> client.say(
                            "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}"));
                    answer(request, FORM);
                    client.send(2, "ping", "{}");
                } else {
                    super.play(request);
                }
            }
        };
        Client client = new Client("era: modern", link, false).begin();
        asking.set(client);
        assertEquals("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", client.call(1));
        assertTrue(client.came.isEmpty(), client.came.toString());
    }

    @Test
    void questionThatItsServerTakesBack_holdsNoCallOpen() throws Exception {
        Client client = new Client(
                        "era: legacy, timeout: 1s",
                        new Link() {
                            @Override
                            void play(RpcMessage.Request request) {
                                if (request.method().equals("initialize")) {
                                    answer(
                                            request,
                                            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                                                    + "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}");
                                } else if (request.method().equals("tools/call")) {
                                    say("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}");
                                    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                            + "\"params\":{\"requestId\":\"q\"}}");
                                } else {
                                    super.play(request);
                                }
                            }
                        },
                        false)
                .begin();
        assertTrue(client.call(1).contains("roots/list"));
        assertTrue(client.next().contains("notifications/cancelled"));
        String end = client.next();
        assertTrue(end.contains("it showed no progress for 1 s"), end);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"code\":-32601,\"message\":\"none\"}",
                "{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":[\"2027-01-01\"]}}",
            })
    void handshakeThatIsRefused_isRefusedInTheServersWords_whereItIsNoModernOne(String toDiscover) throws Exception {
        String error = "{\"code\":-32602,\"message\":\"too new\",\"data\":{\"supported\":[\"2024-11-05\"]}}";
        Client client = new Client(
                "era: auto",
                new Link() {
                    @Override
                    void play(RpcMessage.Request request) {
                        fail(request, request.method().equals("initialize") ? error : toDiscover);
                    }
                },
                true);
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":" + error + "}",
                client.hello("{'elicitation':{},'roots':{}}"));
    }

    @Test
    void handshakeThatIsRefused_byAModernServer_isMadeForIt() throws Exception {
        Client client = new Client(
                "era: auto",
                new Link() {
                    @Override
                    void play(RpcMessage.Request request) {
                        if (request.method().equals("initialize")) {
                            fail(request, "{\"code\":-32602,\"message\":\"no\"}");
                        } else {
                            super.play(request);
                        }
                    }
                },
                true);
        assertTrue(client.begin().call(1).contains("\"content\":[]"));
    }

    @Test
    void faultWhileAServerIsFoundOut_isLogged_andAnswered() throws Exception {
        Client client = new Client(
                "era: modern",
                new Link() {
                    @Override
                    void play(RpcMessage.Request request) {
                        atNextLook.set(() -> {
                            throw new IllegalStateException("the clock stopped");
                        });
                        super.play(request);
                    }
                },
                true);
        String hello = client.hello("{'elicitation':{},'roots':{}}");
        assertTrue(hello.contains("\"error\"") && hello.contains("the log of sluice says why"), hello);
        assertTrue(
                logged.stream().anyMatch(line -> line.startsWith("beginning a line to `a` failed")), logged.toString());
    }

    @Test
    void sharedServerThatIsAskedAgainWhatItIs_isAskedUnderAnotherId() throws Exception {
        Link link = new Link() {
            @Override
            void play(RpcMessage.Request request) {
                if (request.method().equals("server/discover")
                        && asked("server/discover").size() == 1) {
                    fail(
                            request,
                            "{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"x\"}}");
                } else {
                    super.play(request);
                }
            }
        };
        Client client = new Client("shared: true, era: modern", link, false).begin();
        assertTrue(client.call(1).contains("\"content\":[]"));
        List<RpcMessage.Request> asked = link.asked("server/discover");
        assertEquals(2, asked.size());
        assertNotEquals(asked.get(0).id().key(), asked.get(1).id().key());
    }

    @Test
    void discovery_isWaitedForLong_whereNothingElseIsLeft() {
        assertEquals(Connection.PATIENCE, Eras.patience(List.of(Era.MODERN)));
        assertEquals(Connection.PATIENCE, Eras.patience(List.of(Era.LEGACY, Era.MODERN)));
        assertEquals(Discovery.PATIENCE, Eras.patience(List.of(Era.MODERN, Era.LEGACY)));
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "false, 0"})
    void discoveryThatIsNotAnswered_isTakenBack_whereOnlyItsStreamIsClosed(boolean http, int takenBack)
            throws Exception {
        Link silent = new Link() {
            @Override
            void play(RpcMessage.Request request) {}

            @Override
            public boolean hasHeaders() {
                return http;
            }
        };
        Policy policy = policy("era: modern");
        Guard guard = new Guard(new MemoryEngine(), policy, clock, 0);
        Client client = new Client("era: modern", new Link(), false);
        AgentSession agent = new AgentSession("two", "bo", "two", AgentSession.Start.CLEAN, "");
        Connection line = new Connection(
                guard.connect(Objects.requireNonNull(policy.servers().get("a"))),
                silent,
                new UpstreamMessages(
                        guard,
                        agent,
                        client,
                        key -> {},
                        logged::add,
                        why -> {},
                        Observation.NONE,
                        new RequestedInputs()),
                Duration.ofSeconds(1),
                ConcurrentHashMap.newKeySet(),
                logged::add);
        line.start();
        Slot.Greeting greeting = new Slot.Greeting() {
            @Override
            public JsonNode handshake() {
                return JsonNodeFactory.instance.objectNode();
            }

            @Override
            public boolean isReady() {
                return false;
            }

            @Override
            public JsonNode level() {
                return JsonNodeFactory.instance.missingNode();
            }
        };
        IOException why = assertThrows(IOException.class, () -> line.discover(greeting, Duration.ofMillis(20)));
        assertTrue(String.valueOf(why.getMessage()).contains("did not answer `server/discover`"), why.getMessage());
        assertEquals(
                takenBack,
                silent.got.stream()
                        .filter(text -> text.contains("notifications/cancelled") && text.contains("\"sluice-1\""))
                        .count());
    }

    @Test
    void resourcesThatAreWatchedAtOnce_takeFewStreams_andNoneIsLost() throws Exception {
        Link link = new Link();
        Client client = new Client("era: modern", link, false).begin();
        for (int i = 1; i <= 500; i++) {
            client.send(i, "resources/subscribe", "{'uri':'x:" + i + "'}");
        }
        for (int i = 1; i <= 500; i++) {
            assertTrue(client.next().contains("\"result\":{}"));
        }
        List<RpcMessage.Request> streams = link.asked(Subscriptions.LISTEN);
        Set<String> uris = ConcurrentHashMap.newKeySet();
        streams.getLast()
                .params()
                .orElseThrow()
                .pointer("/notifications/resourceSubscriptions")
                .orElseThrow()
                .elements()
                .forEach(uri -> uris.add(uri.string()));
        assertEquals(500, uris.size());
        assertTrue(streams.size() < 250, "there are " + streams.size());
        PlayedClient.until(() -> link.got.stream()
                        .filter(text -> text.contains("notifications/cancelled"))
                        .count()
                == streams.size() - 1);
    }

    @Test
    void resourcesBeyondWhatCanBeWatched_areRefused() throws Exception {
        Client client = new Client("era: modern", new Link(), false).begin();
        String half = "x:" + "y".repeat(Connection.LONGEST_WATCHED / 2);
        assertTrue(
                client.ask(1, "resources/subscribe", "{'uri':'" + half + "'}").contains("\"result\":{}"));
        String refused = client.ask(2, "resources/subscribe", "{'uri':'" + half + "z'}");
        assertTrue(refused.contains("unsubscribe from something first"), refused);
        assertTrue(
                client.ask(3, "resources/subscribe", "{'uri':'" + half + "'}").contains("\"result\":{}"));
        assertTrue(
                client.ask(4, "resources/unsubscribe", "{'uri':'" + half + "'}").contains("\"result\":{}"));
        assertTrue(
                client.ask(5, "resources/subscribe", "{'uri':'" + half + "z'}").contains("\"result\":{}"));
    }

    @Test
    void streamThatAnotherReplacedBeforeItWasAskedFor_isTakenBack() {
        Set<String> watched = ConcurrentHashMap.newKeySet();
        List<String> said = new ArrayList<>();
        AtomicReference<@Nullable Subscriptions> of = new AtomicReference<>();
        Subscriptions subscriptions = new Subscriptions(
                new Subscriptions.Line() {
                    private int ids;

                    @Override
                    public RpcId freshId() {
                        return RpcId.ofText("i" + ++ids);
                    }

                    @Override
                    public CompletableFuture<RpcMessage> listen(RpcId id, ObjectNode params) {
                        if (watched.add("x:second")) {
                            Objects.requireNonNull(of.get()).refresh();
                        }
                        said.add("listen " + id.json());
                        return new CompletableFuture<>();
                    }

                    @Override
                    public void takeBack(RpcId id) {
                        said.add("end " + id.json());
                    }

                    @Override
                    public void toolsChanged() {}
                },
                JsonNodeFactory.instance.objectNode(),
                watched);
        of.set(subscriptions);
        watched.add("x:first");
        subscriptions.refresh();
        assertEquals("end \"i1\"", said.getLast(), said.toString());
        assertEquals(List.of("listen \"i2\"", "end \"i1\"", "listen \"i1\"", "end \"i1\""), said);
        assertFalse(subscriptions.is(RpcId.ofText("i1")));
    }
}
