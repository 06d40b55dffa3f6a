package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import dev.sluice.store.Session;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a legacy server asks while several calls of modern clients are open on its line. */
class AskersTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String META = "'_meta':{'" + RequestMeta.VERSION + "':'2026-07-28','"
            + RequestMeta.CAPABILITIES + "':{'elicitation':{}},'" + RequestMeta.LOG_LEVEL + "':'debug'}";

    private final BlockingQueue<RpcMessage> atServer = new LinkedBlockingQueue<>();
    private final BlockingQueue<JsonNode> atClient = new LinkedBlockingQueue<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final ScriptedLink server = new ScriptedLink((link, message) -> {
        switch (message) {
            case RpcMessage.Request request
            when request.method().equals("server/discover") ->
                link.say(json("{'jsonrpc':'2.0','id':" + request.id().json()
                        + ",'error':{'code':-32601,'message':'method not found'}}"));
            case RpcMessage.Request request
            when request.method().equals("logging/setLevel") -> link.answer(request, "{}");
            case RpcMessage.Notification done when done.method().equals("notifications/initialized") -> {}
            default -> atServer.add(message);
        }
    });

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    /** Returns a front before a server whose calls may be silent for that long. */
    private ModernFront front(String timeout) {
        Policy policy = PolicyParser.parse("p.yaml", """
                version: 1
                gateway: {ask: {wait: 0s}}
                servers: {a: {timeout: %s, command: [a], tools: {act: {effects: [reads]}}}}
                """.formatted(timeout));
        Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
        ClientSide out = new ClientSide() {
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
        ModernFront made = new ModernFront(
                out, ParkedCalls.LONGEST, () -> guard.resume(agent).map(Session::id), ParkedCalls.Room.FREE, log::add);
        RpcMessage first =
                RpcMessage.parse(json("{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" + META + "}}")
                        .getBytes(StandardCharsets.UTF_8));
        ProxySession session = ProxySession.shared(
                guard,
                agent,
                made,
                log::add,
                root -> false,
                List.of(new Server(Objects.requireNonNull(policy.servers().get("a")), principal -> server)),
                ModernFront.handshake(RequestMeta.of(first).orElseThrow()),
                Watch.NONE);
        made.connect(session::fromClient);
        opened.add(session);
        opened.add(made);
        var _ = guard.open(agent);
        return made;
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    /** A call: what it is to the transport, and what it is to the server. */
    private record Call(String key, RpcMessage.Request atServer) {}

    private Call call(ModernFront front, int id, String more) throws InterruptedException {
        RpcMessage.Request admitted = front.admitted((RpcMessage.Request) RpcMessage.parse(
                json("{'jsonrpc':'2.0','id':" + id + ",'method':'tools/call','params':{'name':'act','arguments':{}"
                                + more + "," + META + "}}")
                        .getBytes(StandardCharsets.UTF_8)));
        front.fromClient(admitted);
        return new Call(admitted.id().key(), (RpcMessage.Request) atServer());
    }

    private static String question(String id) {
        return json("{'jsonrpc':'2.0','id':'" + id + "','method':'elicitation/create','params':{'message':'" + id
                + "?','requestedSchema':{'type':'object','properties':{}}}}");
    }

    private RpcMessage atServer() throws InterruptedException {
        return Objects.requireNonNull(atServer.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> "nothing came: " + log);
    }

    private JsonNode atClient() throws InterruptedException {
        return Objects.requireNonNull(atClient.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> "nothing came: " + log);
    }

    private void assertAsked(int id, String question) throws InterruptedException {
        JsonNode asked = atClient();
        assertEquals(id, asked.path("id").asInt(), asked.toString());
        assertEquals("input_required", asked.at("/result/resultType").asString(""), asked.toString());
        assertTrue(asked.toString().contains(question + "?"), asked.toString());
    }

    private void assertRefused(String id, String why) throws InterruptedException {
        JsonNode refused = atServer().index().root().tree();
        assertEquals(id, refused.path("id").asString(""), refused.toString());
        assertEquals(-32600, refused.at("/error/code").asInt(), refused.toString());
        assertTrue(refused.at("/error/message").asString("").contains(why), refused.toString());
    }

    private void assertAnswered(int id) throws InterruptedException {
        JsonNode answer = atClient();
        assertEquals(id, answer.path("id").asInt(), answer.toString());
        assertEquals("complete", answer.at("/result/resultType").asString(""), answer.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void questionInTheAnswerToACall_isAskedInThatOne(int which) throws Exception {
        ModernFront front = front("5m");
        List<Call> calls = List.of(call(front, 0, ""), call(front, 1, ""));
        server.say(question("e"), calls.get(which).atServer());
        assertAsked(which, "e");
    }

    @Test
    void questionInTheAnswerToACallThatWasTakenBack_isRefused() throws Exception {
        ModernFront front = front("5m");
        Call one = call(front, 1, "");
        call(front, 2, "");
        front.gone(one.key());
        assertTrue(atServer() instanceof RpcMessage.Notification);
        server.say(question("e"), one.atServer());
        assertRefused("e", "was taken back");
    }

    @Test
    void questionInTheAnswerToNoOpenCall_isRefused() throws Exception {
        ModernFront front = front("5m");
        Call one = call(front, 1, "");
        call(front, 2, "");
        server.answer(one.atServer(), "{\"content\":[]}");
        assertAnswered(1);
        server.say(question("e"), one.atServer());
        assertRefused("e", "has its answer");
    }

    @Test
    void questionOfOneOfSeveralCalls_waitsUntilTheOthersAreAnswered() throws Exception {
        ModernFront front = front("5m");
        Call one = call(front, 1, "");
        call(front, 2, "");
        Call three = call(front, 3, "");
        server.say(question("e"));
        Call later = call(front, 4, "");
        server.answer(three.atServer(), "{\"content\":[]}");
        assertAnswered(3);
        server.say(json("{'jsonrpc':'2.0','id':'p','method':'ping'}"));
        assertEquals("sp", ((RpcMessage.Result) atServer()).id().key(), "a ping needs no call");
        server.say(json("{'jsonrpc':'2.0','id':'u','method':'unknown/ask'}"));
        assertTrue(((RpcMessage.Failure) atServer()).error().raw().contains("-32601"));
        server.answer(one.atServer(), "{\"content\":[]}");
        assertAnswered(1);
        assertAsked(2, "e");
        server.answer(later.atServer(), "{\"content\":[]}");
        assertAnswered(4);
    }

    @Test
    void questionOfOneOfSeveralCallsThatGoOn_isRefusedInTheEnd_andNobodyIsAsked() throws Exception {
        ModernFront front = front("1s");
        call(front, 1, "");
        call(front, 2, "");
        server.say(question("e"));
        assertRefused("e", "which call this belongs to can't be told");
        assertNull(atClient.peek());
    }

    @Test
    void questionThatIsTakenBackWhileItWaits_isNotAsked() throws Exception {
        ModernFront front = front("5m");
        Call one = call(front, 1, "");
        call(front, 2, "");
        server.say(question("e"));
        server.say(json("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':'e'}}"));
        server.answer(one.atServer(), "{\"content\":[]}");
        assertAnswered(1);
        server.say(question("f"));
        assertAsked(2, "f");
    }

    @Test
    void lateQuestionOfACallThatWasTakenBack_isAskedInNoOther() throws Exception {
        ModernFront front = front("5m");
        Call one = call(front, 1, "");
        Call two = call(front, 2, "");
        front.gone(one.key());
        assertTrue(atServer() instanceof RpcMessage.Notification);
        server.say(question("late"));
        server.answer(two.atServer(), "{\"content\":[]}");
        assertAnswered(2);
        assertRefused("late", "was taken back");
        server.say(question("later"));
        assertRefused("later", "was taken back");
    }

    @Test
    void questionBesideACallThatWaitsForItsClient_isAskedInTheOther() throws Exception {
        ModernFront front = front("1s");
        Call one = call(front, 1, "");
        server.say(question("e"));
        JsonNode asked = atClient();
        Call two = call(front, 2, "");
        Thread.sleep(200); // what it asks at the same time could be of either
        server.say(question("f"));
        assertAsked(2, "f");

        RpcMessage.Request back = front.admitted((RpcMessage.Request) RpcMessage.parse(
                json("{'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'act','arguments':{},'requestState':'"
                                + asked.at("/result/requestState").asString("")
                                + "','inputResponses':{'input-1':{'action':'decline'}}," + META + "}}")
                        .getBytes(StandardCharsets.UTF_8)));
        front.fromClient(back);
        assertEquals("se", ((RpcMessage.Result) atServer()).id().key());
        server.answer(one.atServer(), "{\"content\":[]}");
        assertAnswered(3);
        server.answer(two.atServer(), "{\"content\":[]}");
        assertRefused("f", "has its answer");
    }

    @Test
    void questionRightBesideAnother_mayBeOfTheSameCall_andIsAskedInNoOther() throws Exception {
        ModernFront front = front("5m");
        call(front, 1, "");
        Call two = call(front, 2, "");
        server.say(question("e"), two.atServer());
        assertAsked(2, "e");
        server.say(question("f"));
        server.say(json("{'jsonrpc':'2.0','id':'p','method':'ping'}"));
        assertEquals("sp", ((RpcMessage.Result) atServer()).id().key());
        assertNull(atClient.peek());
    }

    @Test
    void logMessageInTheAnswerToARequest_isOfThatOne() throws Exception {
        ModernFront front = front("5m");
        call(front, 1, "");
        Call two = call(front, 2, "");
        String message = "{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'error','data':'%s'}}";
        server.say(json(message.formatted("whose")));
        server.say(json(message.formatted("two")), two.atServer());
        assertEquals("two", atClient().at("/params/data").asString(""));
    }
}
