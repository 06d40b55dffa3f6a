package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Streams that listen, where what they wish can't be had, costs much, or ends early. */
class ListensTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String META =
            "'_meta':{'" + RequestMeta.VERSION + "':'2026-07-28','" + RequestMeta.CAPABILITIES + "':{}";

    private final BlockingQueue<JsonNode> atClient = new LinkedBlockingQueue<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Consumer<RpcMessage>> answers = new CopyOnWriteArrayList<>();
    private final ClientSide out = new ClientSide() {
        @Override
        public void answer(byte[] message, String request) {
            atClient.add(JsonMapper.shared().readTree(message));
        }

        @Override
        public boolean send(byte[] message, String request) {
            return atClient.add(JsonMapper.shared().readTree(message));
        }

        @Override
        public void finish(String request) {}
    };
    private final Listens listens = new Listens(out, (method, params, answered) -> {
        asked.add(method);
        answers.add(answered);
    });

    private static RpcMessage message(String text) {
        return RpcMessage.parse(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static RpcMessage.Request request(String method, String params) {
        return (RpcMessage.Request)
                message("{'jsonrpc':'2.0','id':7,'method':'" + method + "','params':{" + params + META + "}}}");
    }

    private void listen(String wishes) {
        RpcMessage.Request request = request("subscriptions/listen", "'notifications':{" + wishes + "},");
        listens.listen(new Waiting(request, RpcId.ofText("own")));
    }

    private void watch(List<String> uris) {
        listen("'resourceSubscriptions':["
                + uris.stream().map(each -> "'" + each + "'").collect(Collectors.joining(",")) + "]");
    }

    private JsonNode atClient() throws InterruptedException {
        return Objects.requireNonNull(atClient.poll(HANG_SECONDS, TimeUnit.SECONDS));
    }

    private void assertRefused(int code, String why) throws InterruptedException {
        JsonNode answer = atClient();
        assertEquals("own", answer.path("id").asString(""), answer.toString());
        assertEquals(code, answer.at("/error/code").asInt(), answer.toString());
        assertEquals(why, answer.at("/error/message").asString(""));
    }

    @Test
    void offerThatCantBeKnown_isAnErrorToWhoListens() throws Exception {
        listen("'toolsListChanged':true");
        answers.get(0)
                .accept(message("{'jsonrpc':'2.0','id':1,'error':{'code':-32600,'message':'too many requests'}}"));
        assertRefused(-31502, "what the servers offer can't be known now (too many requests); listen again later");
        listens.close();
        assertTrue(atClient.isEmpty(), "it is over: " + atClient);
    }

    @Test
    void streamThatHasNotBegun_endsWithAnError() throws Exception {
        listen("'toolsListChanged':true");
        listens.close();
        assertRefused(-31502, "the session is over; listen again");
        answers.get(0).accept(message("{'jsonrpc':'2.0','id':1,'result':{'capabilities':{}}}"));
        assertTrue(atClient.isEmpty(), "nothing comes after the end: " + atClient);
    }

    @Test
    void tooManyResources_areRefused() throws Exception {
        watch(IntStream.rangeClosed(0, 500).mapToObj(i -> "x:" + i).toList());
        assertRefused(
                -32602,
                "`resourceSubscriptions` may have 500 addresses, of 65536 characters together; watch the others on another"
                        + " stream");
        assertEquals(List.of(), asked);
    }

    @Test
    void tooLongAResource_isRefused() throws Exception {
        watch(List.of("x".repeat(2_001)));
        assertRefused(-32602, "an address in `resourceSubscriptions` may have 2000 characters; this one has 2001");
    }

    @Test
    void tooLongResourcesTogether_areRefused() throws Exception {
        watch(IntStream.range(0, 33)
                .mapToObj(i -> String.format("%02d", i) + "x".repeat(1_998))
                .toList());
        JsonNode answer = atClient();
        assertEquals(-32602, answer.at("/error/code").asInt(), answer.toString());
    }

    @Test
    void asManyAsThereMayBe_areAskedFor() {
        watch(IntStream.range(0, 500).mapToObj(i -> "x:" + i).toList());
        answers.get(0)
                .accept(message("{'jsonrpc':'2.0','id':1,'result':{'capabilities':{'resources':{'subscribe':true}}}}"));
        assertEquals(501, asked.size());
    }

    /** Two servers that can be watched, of which nobody knows whose the resources are. */
    private static final class Servers implements AutoCloseable {
        private final List<String> log = new CopyOnWriteArrayList<>();
        private final List<ScriptedLink> links = new ArrayList<>();
        private final ProxySession session;
        private final ModernFront front;

        Servers(ClientSide out, String capabilities, boolean areThere) {
            Policy policy = PolicyParser.parse("p.yaml", """
                    version: 1
                    servers: {a: {era: legacy, tools: {}}, b: {era: legacy, tools: {}}}
                    """);
            Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
            AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
            var _ = guard.open(agent);
            List<Server> servers = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                ScriptedLink link = new ScriptedLink(Servers::play);
                link.capabilities = capabilities;
                links.add(link);
                servers.add(new Server(Objects.requireNonNull(policy.servers().get(name)), principal -> {
                    if (!areThere) {
                        throw new IOException("there is no such program");
                    }
                    return link;
                }));
            }
            this.front = new ModernFront(out, guard, agent, log::add);
            this.session = ProxySession.shared(
                    guard,
                    agent,
                    front,
                    log::add,
                    root -> false,
                    servers,
                    ModernFront.handshake(
                            RequestMeta.of(request("tools/list", "")).orElseThrow()),
                    Watch.NONE);
            front.connect(session);
        }

        private static void play(ScriptedLink link, RpcMessage message) {
            if (message instanceof RpcMessage.Request request) {
                switch (request.method()) {
                    case "resources/list" -> link.answer(request, "{\"resources\":[{\"uri\":\"x:listed\"}]}");
                    case "resources/templates/list" ->
                        link.answer(request, "{\"resourceTemplates\":[{\"uriTemplate\":\"x:{name}\"}]}");
                    case "logging/setLevel" -> {} // it never answers
                    default -> link.answer(request, "{}");
                }
            }
        }

        long got(String method) {
            return links.stream()
                    .flatMap(link -> link.got.stream())
                    .filter(each -> each.contains("\"" + method + "\""))
                    .count();
        }

        void ask(RpcMessage.Request request) {
            front.fromClient(front.admitted(request));
        }

        @Override
        public void close() {
            front.close();
            session.close();
        }
    }

    @Test
    void resourcesThatNobodyListed_costOneListOfEachServer() throws Exception {
        try (Servers servers = new Servers(out, "{\"resources\":{\"subscribe\":true}}", true)) {
            String uris = IntStream.range(0, 20).mapToObj(i -> "'x:" + i + "'").collect(Collectors.joining(","));
            servers.ask(request(
                    "subscriptions/listen", "'notifications':{'resourceSubscriptions':[" + uris + ",'y:none']},"));
            JsonNode kept = atClient();
            assertEquals(
                    20, kept.at("/params/notifications/resourceSubscriptions").size(), kept.toString());
            assertEquals(2, servers.got("resources/list"));
            assertEquals(2, servers.got("resources/templates/list"));
        }
    }

    @Test
    void serversThatCantBeHad_areAnErrorToWhoListens() throws Exception {
        try (Servers servers = new Servers(out, "{}", false)) {
            servers.ask(request("subscriptions/listen", "'notifications':{'toolsListChanged':true},"));
            JsonNode answer = atClient();
            assertEquals(-31502, answer.at("/error/code").asInt(), answer.toString());
            assertTrue(answer.toString().contains("there is no such program"), answer.toString());
        }
    }

    @Test
    void level_isToldToOpenLines_andWaitedForByNobody() throws Exception {
        try (Servers servers = new Servers(out, "{\"tools\":{},\"logging\":{}}", true)) {
            servers.ask(request("tools/list", ""));
            assertTrue(atClient().path("result").isObject());
            String meta = META.replace("{}", "{},'" + RequestMeta.LOG_LEVEL + "':'info'");
            RpcMessage.Request request = (RpcMessage.Request)
                    message("{'jsonrpc':'2.0','id':8,'method':'tools/list','params':{" + meta + "}}}");
            Thread.ofVirtual().start(() -> servers.ask(request));
            assertEquals(8, atClient().path("id").asInt());
            assertEquals(2, servers.got("logging/setLevel"));
        }
    }

    @Test
    void level_beginsNoLine_andIsToldToThoseThatBeginLater() throws Exception {
        try (Servers servers = new Servers(out, "{\"tools\":{},\"logging\":{}}", true)) {
            String meta = META.replace("{}", "{},'" + RequestMeta.LOG_LEVEL + "':'info'");
            servers.ask((RpcMessage.Request) message(
                    "{'jsonrpc':'2.0','id':8,'method':'prompts/get','params':{" + "'name':'a__p'," + meta + "}}}"));
            assertEquals(8, atClient().path("id").asInt());
            assertEquals(1, servers.got("initialize"), "the other one is not needed");
            assertEquals(1, servers.got("logging/setLevel"));
        }
    }

    @Test
    void streamThatDoesNotTakeAWord_isEnded_soThatItsClientListensAnew() throws Exception {
        AtomicBoolean reads = new AtomicBoolean(true);
        Listens slow = new Listens(
                new ClientSide() {
                    @Override
                    public void answer(byte[] message, String request) {
                        out.answer(message, request);
                    }

                    @Override
                    public boolean send(byte[] message, String request) {
                        return reads.get() && out.send(message, request);
                    }

                    @Override
                    public void finish(String request) {}
                },
                (method, params, answered) -> answers.add(answered));
        slow.listen(new Waiting(
                request("subscriptions/listen", "'notifications':{'toolsListChanged':true},"), RpcId.ofText("own")));
        answers.get(0)
                .accept(message("{'jsonrpc':'2.0','id':1,'result':{'capabilities':{'tools':{'listChanged':true}}}}"));
        assertEquals(
                "notifications/subscriptions/acknowledged",
                atClient().path("method").asString(""));
        reads.set(false);
        RpcMessage.Notification changed =
                (RpcMessage.Notification) message("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}");
        slow.notification(changed);
        reads.set(true);
        slow.notification(changed);
        JsonNode end = atClient();
        assertEquals("complete", end.at("/result/resultType").asString(""), end.toString());
        assertTrue(atClient.isEmpty(), "nothing comes after the end: " + atClient);
    }
}
