// This file has more than 400 lines because a server that is played stands here once, for all that a front does.
package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Modern clients in front of legacy servers. */
class ModernFrontTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String ALL = "{'elicitation':{},'sampling':{},'roots':{}}";
    private static final String FORM = "{'message':'Who?','requestedSchema':{'type':'object','properties':{}}}";

    private final Policy policy = PolicyParser.parse("p.yaml", """
            version: 1
            gateway: {ask: {wait: 0s}}
            servers: {a: {tools: {act: {effects: [reads]}, ask: {effects: [reads]}}}}
            """);
    private final Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    private final AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final BlockingQueue<RpcMessage> atServer = new LinkedBlockingQueue<>();
    private final BlockingQueue<JsonNode> atClient = new LinkedBlockingQueue<>();
    private final List<String> finished = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private Duration parked = ParkedCalls.LONGEST;
    private ParkedCalls.Room room = ParkedCalls.Room.FREE;
    private final ScriptedLink server = new ScriptedLink((link, message) -> {
        if (message instanceof RpcMessage.Request request && request.method().equals("server/discover")) {
            link.say(json("{'jsonrpc':'2.0','id':" + request.id().json()
                    + ",'error':{'code':-32601,'message':'method not found'}}"));
            return;
        }
        atServer.add(message);
        if (message instanceof RpcMessage.Request request && request.method().equals("logging/setLevel")) {
            link.answer(request, "{}"); // nothing goes on before it is
        }
    });
    private ModernFront front = front();

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static RpcMessage message(String text) {
        return RpcMessage.parse(json(text).getBytes(StandardCharsets.UTF_8));
    }

    private static String meta(String capabilities, String more) {
        return "'_meta':{'" + RequestMeta.VERSION + "':'2026-07-28','" + RequestMeta.CAPABILITIES + "':" + capabilities
                + more + "}";
    }

    private ModernFront front() {
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
            public void finish(String request) {
                finished.add(request);
            }
        };
        ModernFront made =
                new ModernFront(out, parked, () -> guard.resume(agent).map(Session::id), room, log::add);
        RpcMessage first = message("{'jsonrpc':'2.0','id':1,'method':'tools/list','params':{" + meta("{}", "") + "}}");
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

    /** Returns the key of the request. */
    private String ask(String id, String method, String params, String capabilities, String more) {
        String text = "{'jsonrpc':'2.0','id':" + id + ",'method':'" + method + "','params':{" + params
                + (params.isEmpty() ? "" : ",") + meta(capabilities, more) + "}}";
        RpcMessage.Request admitted = front.admitted((RpcMessage.Request) message(text));
        front.fromClient(admitted);
        return admitted.id().key();
    }

    private String call(String id, String more) {
        return ask(id, "tools/call", "'name':'act','arguments':{'n':1}" + more, ALL, "");
    }

    private JsonNode atClient() throws InterruptedException {
        return Objects.requireNonNull(atClient.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> "nothing came: " + log);
    }

    /** Returns what the server gets next beside the end of the handshake. */
    private RpcMessage atServer() throws InterruptedException {
        RpcMessage next =
                Objects.requireNonNull(atServer.poll(HANG_SECONDS, TimeUnit.SECONDS), () -> "nothing came: " + log);
        return next instanceof RpcMessage.Notification done && done.method().equals("notifications/initialized")
                ? atServer()
                : next;
    }

    private RpcMessage.Request requestAtServer(String method) throws InterruptedException {
        RpcMessage next = atServer();
        while (!(next instanceof RpcMessage.Request)) {
            next = atServer(); // a request that is taken back while it goes out may be taken back twice
        }
        RpcMessage.Request request = (RpcMessage.Request) next;
        assertEquals(method, request.method());
        return request;
    }

    private void serverSays(String text) {
        server.say(json(text));
    }

    private void serverAsks(String id, String method, String params) {
        serverSays("{'jsonrpc':'2.0','id':" + id + ",'method':'" + method + "','params':" + params + "}");
    }

    private static String string(JsonNode node, String pointer) {
        return node.at(pointer).asString("");
    }

    private static String tree(RpcMessage message) {
        return message.index().root().tree().toString();
    }

    @Test
    void answer_hasTheClientsIdAndAResultType() throws Exception {
        call("'c 1'", "");
        server.answer(requestAtServer("tools/call"), "{\"content\":[],\"big\":12345678901234567890}");
        JsonNode answer = atClient();
        assertEquals("c 1", string(answer, "/id"));
        assertEquals("complete", string(answer, "/result/resultType"));
        assertTrue(answer.toString().contains("12345678901234567890"), answer.toString());
        assertTrue(answer.at("/result/ttlMs").isMissingNode(), answer.toString());
    }

    @Test
    void otherResultTypes_pass() throws Exception {
        call("1", "");
        server.answer(requestAtServer("tools/call"), "{\"resultType\":\"task\",\"taskId\":\"t\"}");
        assertEquals("task", string(atClient(), "/result/resultType"));
    }

    @Test
    void listsAndResources_sayThatTheyAreNotKept_whereTheyDoNotSay() throws Exception {
        server.listsByScript = true;
        ask("1", "tools/list", "'cursor':'next'", "{}", "");
        RpcMessage.Request list = requestAtServer("tools/list");
        assertEquals("next", string(list.index().root().tree(), "/params/cursor"));
        server.answer(list, "{\"tools\":[],\"ttlMs\":5,\"nextCursor\":\"more\",\"x\":1}");
        assertEquals(
                JsonMapper.shared()
                        .readTree(json("{'tools':[],'ttlMs':5,'nextCursor':'more','x':1,'resultType':'complete',"
                                + "'cacheScope':'private'}")),
                atClient().path("result"));
        ask("2", "resources/read", "'uri':'x:1'", "{}", "");
        server.answer(requestAtServer("resources/read"), "{\"contents\":[]}");
        JsonNode read = atClient();
        assertEquals(0, read.at("/result/ttlMs").asInt(-1));
        assertEquals("private", string(read, "/result/cacheScope"));
    }

    @Test
    void resourceThatIsNotFound_hasTheCodeOfTheRevision_andOtherErrorsTheirOwn() throws Exception {
        ask("1", "resources/read", "'uri':'x:1'", "{}", "");
        serverSays("{'jsonrpc':'2.0','id':"
                + requestAtServer("resources/read").id().json()
                + ",'error':{'code':-32002,'message':'no','data':{'u':1}}}");
        JsonNode failure = atClient();
        assertEquals(-32602, failure.at("/error/code").asInt());
        assertEquals(1, failure.at("/error/data/u").asInt());
        call("2", "");
        serverSays("{'jsonrpc':'2.0','id':" + requestAtServer("tools/call").id().json()
                + ",'error':{'code':-32002,'message':'no'}}");
        assertEquals(-32002, atClient().at("/error/code").asInt());
    }

    @Test
    void twoClientsWithOneIdAndOneToken_getEachItsOwn() throws Exception {
        String more = ",'progressToken':7";
        ask("1", "tools/call", "'name':'act','arguments':{'n':1}", ALL, more);
        ask("1", "tools/call", "'name':'act','arguments':{'n':2}", ALL, more);
        RpcMessage.Request one = requestAtServer("tools/call");
        RpcMessage.Request two = requestAtServer("tools/call");
        assertNotEquals(one.id().key(), two.id().key());
        String token = two.index()
                .root()
                .pointer("/params/_meta/progressToken")
                .orElseThrow()
                .raw();
        assertNotEquals("7", token);
        serverSays("{'jsonrpc':'2.0','method':'notifications/progress','params':{'progressToken':" + token
                + ",'progress':0.50}}");
        assertEquals("7", atClient().at("/params/progressToken").toString());
        serverSays("{'jsonrpc':'2.0','method':'notifications/progress','params':{'progressToken':99,'progress':1}}");
        server.answer(two, "{\"content\":[],\"who\":2}");
        assertEquals(2, atClient().at("/result/who").asInt());
        server.answer(one, "{\"content\":[],\"who\":1}");
        assertEquals(1, atClient().at("/result/who").asInt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "initialize",
                "ping",
                "logging/setLevel",
                "resources/subscribe",
                "resources/unsubscribe",
                "tasks/result",
                "tasks/list"
            })
    void methodsOfOtherRevisions_areNotFound(String method) throws Exception {
        ask("5", method, "'uri':'x:1'", "{}", "");
        JsonNode refused = atClient();
        assertEquals(-32601, refused.at("/error/code").asInt());
        assertEquals(5, refused.path("id").asInt());
        assertTrue(
                string(refused, "/error/message").contains("2026-07-28 has no `" + method + "`"), refused.toString());
        assertTrue(server.got.isEmpty(), server.got.toString());
    }

    @Test
    void messages_comeWithRequestsThatWantThem_andAreGraveEnough() throws Exception {
        String level = ",'" + RequestMeta.LOG_LEVEL + "':'warning'";
        ask("1", "tools/call", "'name':'act','arguments':{}", "{}", level);
        RpcMessage.Request set = requestAtServer("logging/setLevel");
        assertEquals("warning", string(set.index().root().tree(), "/params/level"));
        RpcMessage.Request call = requestAtServer("tools/call");
        serverSays("{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'info','data':'low'}}");
        serverSays("{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'error','data':'high'}}");
        serverSays("{'jsonrpc':'2.0','method':'notifications/other','params':{}}");
        assertEquals("high", string(atClient(), "/params/data"));
        server.answer(call, "{\"content\":[]}");
        assertEquals(1, atClient().path("id").asInt());
        call("2", "");
        RpcMessage.Request second = requestAtServer("tools/call");
        serverSays("{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'error','data':'unwanted'}}");
        server.answer(second, "{\"content\":[]}");
        assertEquals(2, atClient().path("id").asInt());
    }

    @Test
    void pingOfAServer_isAnswered() throws Exception {
        call("1", "");
        requestAtServer("tools/call");
        serverSays("{'jsonrpc':'2.0','id':'p','method':'ping'}");
        assertEquals(json("{'jsonrpc':'2.0','id':'p','result':{}}"), tree(atServer()));
    }

    @Test
    void whatAServerAsks_isAskedInTheAnswer_andTheCallGoesOn() throws Exception {
        call("1", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        JsonNode asked = atClient();
        assertEquals(1, asked.path("id").asInt());
        assertEquals("input_required", string(asked, "/result/resultType"));
        assertEquals(
                JsonMapper.shared().readTree(json("{'input-1':{'method':'elicitation/create','params':" + FORM + "}}")),
                asked.at("/result/inputRequests"));
        String state = string(asked, "/result/requestState");
        assertTrue(state.matches("sluice-parked:[0-9a-f]{48}"), state);

        call("2", ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'decline','n':1.50},'x':{}}");
        RpcMessage.Result given = (RpcMessage.Result) atServer();
        assertEquals(json("{'action':'decline','n':1.50}"), given.result().raw());
        assertEquals("se", given.id().key());
        server.answer(call, "{\"content\":[]}");
        JsonNode answer = atClient();
        assertEquals(2, answer.path("id").asInt());
        assertEquals("complete", string(answer, "/result/resultType"));
        assertEquals(
                1,
                server.got.stream().filter(text -> text.contains("tools/call")).count(),
                server.got.toString());

        call("3", ",'requestState':'" + state + "','inputResponses':{'input-1':{}}");
        assertRefused("3", "nothing waits under this `requestState`");
    }

    private void assertRefused(String id, String why) throws InterruptedException {
        JsonNode refused = atClient();
        assertEquals(id, refused.path("id").toString());
        assertEquals(-32602, refused.at("/error/code").asInt());
        assertTrue(string(refused, "/error/message").contains(why), refused.toString());
    }

    private String park(String id) throws InterruptedException {
        call(id, "");
        requestAtServer("tools/call");
        serverAsks("'e" + id + "'", "elicitation/create", FORM);
        return string(atClient(), "/result/requestState");
    }

    @Test
    void stateOfAnotherCall_isRefused_andGoodForItsOwn() throws Exception {
        String state = park("1");
        String back = ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'accept'}}";
        ask("2", "tools/call", "'name':'act','arguments':{'n':2}" + back, ALL, "");
        assertRefused("2", "is of another call");
        ask("3", "tools/call", "'name':'ask','arguments':{'n':1}" + back, ALL, "");
        assertRefused("3", "is of another call");
        ask("4", "resources/read", "'uri':'x:1'" + back, ALL, "");
        assertRefused("4", "is of another call");
        ask("5", "tools/list", back.substring(1), ALL, "");
        assertRefused("5", "is of another call");
        call("6", ",'requestState':'" + state + "','inputResponses':{'input-1':'accept'}");
        assertRefused("6", "must hold one object");
        call("7", ",'requestState':'" + state + "0'");
        assertRefused("7", "nothing waits");
        call("8", back);
        assertEquals("accept", string(((RpcMessage.Result) atServer()).result().tree(), "/action"));
    }

    @Test
    void stateOfAServersOwn_passes() throws Exception {
        call("1", ",'requestState':'of-a-server'");
        assertEquals(
                "of-a-server",
                string(requestAtServer("tools/call").index().root().tree(), "/params/requestState"));
    }

    @Test
    void severalQuestionsOfOneCall_becomeRounds_andWhatIsNotAnsweredIsAskedAgain() throws Exception {
        call("1", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'a'", "elicitation/create", FORM);
        serverAsks("'b'", "sampling/createMessage", "{'messages':[],'maxTokens':1}");
        serverAsks("'c'", "roots/list", "{}");
        String first = string(atClient(), "/result/requestState");
        call("2", ",'requestState':'" + first + "'");
        JsonNode again = atClient();
        assertEquals(
                List.of("input-2", "input-3", "input-4"),
                List.copyOf(again.at("/result/inputRequests").propertyNames()));
        assertEquals("elicitation/create", string(again, "/result/inputRequests/input-2/method"));
        call(
                "3",
                ",'requestState':'" + string(again, "/result/requestState")
                        + "','inputResponses':{'input-2':{'action':'cancel'},'input-3':{'role':'assistant'},"
                        + "'input-4':{'roots':[]}}");
        Set<String> answered = new TreeSet<>(); // each is judged by itself, so they go out in any order
        for (int i = 0; i < 3; i++) {
            answered.add(((RpcMessage.Result) atServer()).id().key());
        }
        assertEquals(Set.of("sa", "sb", "sc"), answered);
        server.answer(call, "{\"content\":[]}");
        assertEquals(3, atClient().path("id").asInt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{} | sampling/createMessage | {}",
                "{'elicitation':{'url':{}}} | elicitation/create | {'message':'?'}",
                "{'elicitation':{}} | elicitation/create | {'mode':'url','url':'https://x.example'}",
                "{'sampling':{}} | sampling/createMessage | {'tools':[]}",
                "{} | roots/list | {}",
                "{'roots':{}} | something/else | {}"
            })
    void whatTheClientDoesNotSayItCan_isRefusedToTheServer_andTheCallGoesOn(String asked) throws Exception {
        String[] parts = asked.split(" \\| ");
        ask("1", "tools/call", "'name':'act','arguments':{}", parts[0], "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", parts[1], parts[2]);
        RpcMessage.Failure refused = (RpcMessage.Failure) atServer();
        assertEquals(-32601, refused.error().tree().path("code").asInt());
        server.answer(call, "{\"content\":[]}");
        assertEquals("complete", string(atClient(), "/result/resultType"));
    }

    @Test
    void questionWhileNoCallIsOpen_isRefused() throws Exception {
        ask("1", "completion/complete", "'ref':{'type':'ref/prompt','name':'p'}", ALL, "");
        requestAtServer("completion/complete");
        serverAsks("'e'", "elicitation/create", FORM);
        assertTrue(tree(atServer()).contains("no call is open"), server.got.toString());
    }

    @Test
    void answerThatComesWhileTheCallIsParked_isThereForWhoComesBack() throws Exception {
        call("1", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        String state = string(atClient(), "/result/requestState");
        server.answer(call, "{\"content\":[],\"late\":true}");
        assertTrue(tree(atServer()).contains("has its answer"), server.got.toString());
        call("2", ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'accept'}}");
        JsonNode answer = atClient();
        assertEquals(2, answer.path("id").asInt());
        assertTrue(answer.at("/result/late").asBoolean(), answer.toString());
    }

    /** The server is told of its question and of its call, in any order: two threads do it. */
    private void assertGivenUp(String why) throws InterruptedException {
        String both = tree(atServer()) + tree(atServer());
        assertTrue(both.contains(why) && both.contains("\"notifications/cancelled\""), both);
    }

    @Test
    void callToWhichNobodyComesBack_isGivenUp() throws Exception {
        parked = Duration.ofMillis(50);
        front = front();
        String state = park("1");
        assertGivenUp("did not come back");
        call("2", ",'requestState':'" + state + "'");
        assertRefused("2", "its time is over");
    }

    @Test
    void callsThatWaitForTheirClients_areSoMany_andNoMore() throws Exception {
        for (int i = 0; i < ParkedCalls.MOST; i++) {
            call(Integer.toString(i), "");
            RpcMessage.Request call = requestAtServer("tools/call");
            serverAsks("'e" + i + "'", "elicitation/create", FORM);
            assertEquals(i, atClient().path("id").asInt());
            server.answer(call, "{\"content\":[]}");
            assertTrue(tree(atServer()).contains("has its answer"), server.got.toString());
        }
        call("1000", "");
        RpcMessage.Request last = requestAtServer("tools/call");
        serverAsks("'more'", "elicitation/create", FORM);
        assertTrue(tree(atServer()).contains("too many calls wait for the client"), server.got.toString());
        server.answer(last, "{\"content\":[]}");
        assertEquals("complete", string(atClient(), "/result/resultType"));
    }

    /** Room that a test gives, and looks at. */
    private static final class Bytes implements ParkedCalls.Room {
        private final AtomicLong left;

        Bytes(long bytes) {
            left = new AtomicLong(bytes);
        }

        @Override
        public boolean take(long bytes) {
            boolean there = bytes <= left.get();
            left.addAndGet(there ? -bytes : 0);
            return there;
        }

        @Override
        public void give(long bytes) {
            left.addAndGet(bytes);
        }
    }

    @Test
    void longRequestThatWaitsForItsClient_takesRoomUntilItsCallIsOver() throws Exception {
        Bytes bytes = new Bytes(100_000);
        room = bytes;
        front = front();
        String padding = ",'padding':'" + "x".repeat(50_000) + "'";
        call("1", padding);
        RpcMessage.Request call = requestAtServer("tools/call");
        assertEquals(100_000, bytes.left.get(), "whose client waits is counted elsewhere");
        serverAsks("'e'", "elicitation/create", FORM);
        String state = string(atClient(), "/result/requestState");
        assertTrue(bytes.left.get() < 50_000, bytes.left.toString());
        server.answer(call, "{\"content\":[]}"); // or the next question could be of either
        assertTrue(tree(atServer()).contains("has its answer"));

        call("2", padding);
        RpcMessage.Request second = requestAtServer("tools/call");
        serverAsks("'f'", "elicitation/create", FORM);
        assertTrue(tree(atServer()).contains("too much waits for the client"));
        server.answer(second, "{\"content\":[]}");
        assertEquals("complete", string(atClient(), "/result/resultType"));

        call("3", ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'decline'}}");
        assertEquals(3, atClient().path("id").asInt());
        assertEquals(100_000, bytes.left.get());
    }

    @Test
    void clientThatDidNotTakeWhatItIsAsked_isNotWaitedFor() throws Exception {
        String key = call("1", "");
        var _ = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        String state = string(atClient(), "/result/requestState");
        front.gone(key);
        assertGivenUp("went away before it was asked");
        call("2", ",'requestState':'" + state + "'");
        assertRefused("2", "its time is over");
    }

    private static final String OPENING = "{'elicitation':{'url':{}}}";

    /** A call whose server says that a person must open an address first. */
    private void mustOpen(String id, String capabilities, String more) throws InterruptedException {
        ask(id, "tools/call", "'name':'act','arguments':{'n':1}" + more, capabilities, "");
        RpcMessage.Request call = requestAtServer("tools/call");
        assertTrue(!tree(call).contains("requestState") && !tree(call).contains("inputResponses"), tree(call));
        serverSays("{'jsonrpc':'2.0','id':" + call.id().json() + ",'error':{'code':-32042,'message':'Log in first',"
                + "'data':{'elicitations':[{'mode':'url','elicitationId':'x','url':'https://a.example/in','message':'Log in',"
                + "'_meta':{'dev.sluice/label':{}}}]}}}");
    }

    private static String back(JsonNode asked, String responses) {
        return ",'requestState':'" + string(asked, "/result/requestState") + "','inputResponses':{" + responses + "}";
    }

    @Test
    void addressThatAPersonMustOpenFirst_isAskedInTheAnswer_andTheCallIsMadeAnew() throws Exception {
        mustOpen("1", OPENING, "");
        JsonNode asked = atClient();
        assertEquals("input_required", string(asked, "/result/resultType"), asked.toString());
        assertEquals("elicitation/create", string(asked, "/result/inputRequests/input-1/method"));
        assertEquals("https://a.example/in", string(asked, "/result/inputRequests/input-1/params/url"));
        assertTrue(!asked.toString().contains("dev.sluice"), asked.toString());

        ask("2", "tools/call", "'name':'act','arguments':{'n':1}" + back(asked, ""), OPENING, "");
        JsonNode again = atClient();
        assertEquals("input_required", string(again, "/result/resultType"), "what is not answered is asked again");

        String agreed = "'input-2':{'action':'accept','content':{'secret':1}}";
        mustOpen("3", OPENING, back(again, agreed));
        JsonNode stillNotThere = atClient();
        assertEquals(3, stillNotThere.path("id").asInt());
        ask("4", "tools/call", "'name':'act','arguments':{'n':1}" + back(again, agreed), OPENING, "");
        assertRefused("4", "nothing waits under this `requestState`");
        ask("5", "tools/call", "'name':'act','arguments':{'n':2}" + back(stillNotThere, agreed), OPENING, "");
        assertRefused("5", "is of another call");
        ask(
                "6",
                "tools/call",
                "'name':'act','arguments':{'n':1}" + back(stillNotThere, "'input-1':{'action':'accept'}"),
                OPENING,
                "");
        RpcMessage.Request made = requestAtServer("tools/call");
        server.answer(made, "{\"content\":[]}");
        JsonNode answer = atClient();
        assertEquals(6, answer.path("id").asInt());
        assertEquals("complete", string(answer, "/result/resultType"));
        assertTrue(server.got.stream().noneMatch(text -> text.contains("secret")), server.got.toString());
    }

    @Test
    void addressThatAPersonDoesNotOpen_endsTheCall() throws Exception {
        mustOpen("1", OPENING, "");
        JsonNode asked = atClient();
        ask(
                "2",
                "tools/call",
                "'name':'act','arguments':{'n':1}" + back(asked, "'input-1':{'action':'decline'}"),
                OPENING,
                "");
        JsonNode answer = atClient();
        assertEquals(2, answer.path("id").asInt());
        assertTrue(answer.at("/result/isError").asBoolean(false), answer.toString());
        assertTrue(string(answer, "/result/content/0/text").contains("did not agree"), answer.toString());
        assertEquals(
                1,
                server.got.stream().filter(text -> text.contains("tools/call")).count());
    }

    @Test
    void addressToOpen_forAClientThatCanNot_isAMissingCapability() throws Exception {
        mustOpen("1", ALL, "");
        JsonNode refused = atClient();
        assertEquals(1, refused.path("id").asInt());
        assertEquals(-32021, refused.at("/error/code").asInt(), refused.toString());
        assertTrue(
                refused.at("/error/data/requiredCapabilities/elicitation/url").isObject(), refused.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'elicitations':[]}", "{'elicitations':[{'mode':'form','url':'u','message':'m'}]}"})
    void addressesThatAreNone_areTheServersError(String data) throws Exception {
        ask("1", "tools/call", "'name':'act','arguments':{}", OPENING, "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverSays("{'jsonrpc':'2.0','id':" + call.id().json() + ",'error':{'code':-32042,'message':'no','data':" + data
                + "}}");
        assertEquals(-32042, atClient().at("/error/code").asInt());
    }

    @Test
    void messageWhileSeveralRequestsAreOpen_isDropped() throws Exception {
        String level = ",'" + RequestMeta.LOG_LEVEL + "':'debug'";
        ask("1", "tools/call", "'name':'act','arguments':{}", "{}", level);
        requestAtServer("logging/setLevel");
        RpcMessage.Request one = requestAtServer("tools/call");
        ask("2", "completion/complete", "'ref':{'type':'ref/prompt','name':'p'}", "{}", level);
        RpcMessage.Request two = requestAtServer("completion/complete");
        serverSays("{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'error','data':'whose'}}");
        server.answer(one, "{\"content\":[]}");
        assertEquals(1, atClient().path("id").asInt());
        serverSays("{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'error','data':'two'}}");
        assertEquals("two", string(atClient(), "/params/data"));
        server.answer(two, "{\"completion\":{\"values\":[]}}");
        assertEquals(2, atClient().path("id").asInt());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answerOfASessionThatEnded_isNotGivenOut(boolean begunAnew) throws Exception {
        call("1", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        String state = string(atClient(), "/result/requestState");
        server.answer(call, "{\"content\":[],\"secret\":true}");
        assertTrue(tree(atServer()).contains("has its answer"), server.got.toString());
        guard.end(agent);
        if (begunAnew) {
            var _ = guard.open(agent);
        }
        String back = ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'accept'}}";
        call("2", back);
        assertRefused("2", "the session in which this `requestState` was given has ended");
        call("3", back);
        assertRefused("3", "nothing waits under this `requestState`");
    }

    @Test
    void callOfASessionThatEnded_isTakenBackFromItsServer() throws Exception {
        String state = park("1");
        guard.end(agent);
        call("2", ",'requestState':'" + state + "','inputResponses':{'input-1':{'action':'accept'}}");
        assertRefused("2", "make the call anew without it");
        assertGivenUp("the session in which this was asked has ended");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tools/list", "prompts/list", "resources/list", "resources/templates/list"})
    void listsThatAServerCallsPublic_areTheClientsOwn(String method) throws Exception {
        server.capabilities = "{\"tools\":{},\"prompts\":{},\"resources\":{}}";
        server.listsByScript = true;
        ask("1", method, "", "{}", "");
        server.answer(requestAtServer(method), "{\"x\":[],\"ttlMs\":60000,\"cacheScope\":\"public\"}");
        JsonNode list = atClient();
        assertEquals("private", string(list, "/result/cacheScope"), list.toString());
        assertEquals(60000, list.at("/result/ttlMs").asInt(), list.toString());
    }

    @Test
    void listThatSomethingIsHeldBackOf_isNotKept() throws Exception {
        server.listsByScript = true;
        String tools = "{\"tools\":[{\"name\":\"act\",\"description\":\"D\",\"inputSchema\":{\"type\":\"object\"}}],"
                + "\"ttlMs\":60000}";
        ask("1", "tools/list", "", "{}", "");
        server.answer(requestAtServer("tools/list"), tools);
        JsonNode whole = atClient();
        assertEquals(60000, whole.at("/result/ttlMs").asInt(), whole.toString());
        ask("2", "tools/list", "", "{}", "");
        server.answer(requestAtServer("tools/list"), tools.replace("\"D\"", "\"changed\""));
        JsonNode cut = atClient();
        assertEquals(0, cut.at("/result/tools").size(), cut.toString());
        assertEquals(0, cut.at("/result/ttlMs").asInt(-1), cut.toString());
    }

    @Test
    void moreQuestionsThanACallMayHave_areRefusedToTheServer() throws Exception {
        call("1", "");
        requestAtServer("tools/call");
        for (int i = 0; i <= 50; i++) {
            serverAsks("'e" + i + "'", "elicitation/create", FORM);
        }
        JsonNode refused = atServer().index().root().tree();
        assertEquals("e50", string(refused, "/id"));
        assertTrue(string(refused, "/error/message").contains("too many requests"), refused.toString());
    }

    @Test
    void questionThatItsServerTakesBack_isNotWaitedFor() throws Exception {
        call("1", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        String state = string(atClient(), "/result/requestState");
        serverSays("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':'e'}}");
        call("2", ",'requestState':'" + state + "'");
        server.answer(call, "{\"content\":[]}");
        assertEquals(2, atClient().path("id").asInt());
    }

    @Test
    void clientThatTakesItsRequestBack_takesItBackFromTheServer() throws Exception {
        String key = call("'mine'", "");
        RpcMessage.Request call = requestAtServer("tools/call");
        front.fromClient(message(
                "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':'mine','reason':'no'}}"));
        JsonNode cancelled = atServer().index().root().tree();
        assertEquals(call.id().json(), cancelled.at("/params/requestId").toString());
        assertEquals("no", string(cancelled, "/params/reason"));
        assertEquals(List.of(key), finished);
        String closed = call("2", "");
        RpcMessage.Request second = requestAtServer("tools/call");
        front.gone(closed);
        assertEquals(
                second.id().json(),
                atServer().index().root().tree().at("/params/requestId").toString());
        server.answer(second, "{\"content\":[]}");
        call("3", "");
        server.answer(requestAtServer("tools/call"), "{\"content\":[]}");
        assertEquals(3, atClient().path("id").asInt());
    }

    @Test
    void discovery_saysWhatIsServed() throws Exception {
        ask("1", "server/discover", "", "{}", "");
        JsonNode result = atClient().path("result");
        assertEquals(
                List.of("2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"),
                result.path("supportedVersions").values().stream()
                        .map(JsonNode::asString)
                        .toList());
        assertEquals("complete", string(result, "/resultType"));
        assertEquals("private", string(result, "/cacheScope"));
        assertEquals(0, result.path("ttlMs").asInt(-1));
        assertEquals(
                "s",
                result.path("_meta").path(RequestMeta.SERVER_INFO).path("name").asString(""));
        assertTrue(result.at("/capabilities/logging").isObject(), result.toString());
        assertTrue(
                result.at("/capabilities/extensions").has("io.modelcontextprotocol/trust-annotations"),
                result.toString());
    }

    @Test
    void changes_comeOnTheStreamThatListens_afterWhatItKeeps() throws Exception {
        server.capabilities = "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true}}";
        String key = ask(
                "'l'",
                "subscriptions/listen",
                "'notifications':{'toolsListChanged':true,'promptsListChanged':true,"
                        + "'resourceSubscriptions':['x:1','x:2','x:1']}",
                "{}",
                "");
        RpcMessage.Request one = requestAtServer("resources/subscribe");
        RpcMessage.Request two = requestAtServer("resources/subscribe");
        serverSays("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}");
        server.answer(one, "{}");
        serverSays("{'jsonrpc':'2.0','id':" + two.id().json() + ",'error':{'code':-32602,'message':'no'}}");
        JsonNode first = atClient();
        assertEquals("notifications/subscriptions/acknowledged", string(first, "/method"));
        assertEquals(
                "l", first.at("/params/_meta").path(RequestMeta.SUBSCRIPTION).asString(""));
        assertEquals(
                JsonMapper.shared().readTree(json("{'toolsListChanged':true,'resourceSubscriptions':['x:1']}")),
                first.at("/params/notifications"));
        JsonNode early = atClient();
        assertEquals("notifications/tools/list_changed", string(early, "/method"));
        assertEquals(
                "l", early.at("/params/_meta").path(RequestMeta.SUBSCRIPTION).asString(""));
        serverSays("{'jsonrpc':'2.0','method':'notifications/prompts/list_changed'}");
        serverSays("{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{'uri':'x:2'}}");
        serverSays(
                "{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{'uri':'x:1/a','_meta':{'k':1}}}");
        JsonNode updated = atClient();
        assertEquals("x:1/a", string(updated, "/params/uri"));
        assertEquals(1, updated.at("/params/_meta/k").asInt());
        assertEquals(
                "l", updated.at("/params/_meta").path(RequestMeta.SUBSCRIPTION).asString(""));

        ask("'m'", "subscriptions/listen", "'notifications':{'resourceSubscriptions':['x:1']}", "{}", "");
        assertEquals(
                "m",
                atClient().at("/params/_meta").path(RequestMeta.SUBSCRIPTION).asString(""));
        front.gone(key);
        front.fromClient(message("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':'m'}}"));
        assertEquals(
                "x:1",
                string(requestAtServer("resources/unsubscribe").index().root().tree(), "/params/uri"));
        serverSays("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}");
        call("3", "");
        server.answer(requestAtServer("tools/call"), "{\"content\":[]}");
        assertEquals(3, atClient().path("id").asInt());
    }

    @Test
    void streams_endWithAnAnswer_whenTheFrontDoes() throws Exception {
        ask("7", "subscriptions/listen", "'notifications':{'toolsListChanged':true}", "{}", "");
        assertEquals(JsonMapper.shared().readTree("{}"), atClient().at("/params/notifications"));
        front.close();
        JsonNode end = atClient();
        assertEquals(7, end.path("id").asInt());
        assertEquals(7, end.at("/result/_meta").path(RequestMeta.SUBSCRIPTION).asInt());
        assertEquals("complete", string(end, "/result/resultType"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "'notifications':[]",
                "'notifications':{'resourceSubscriptions':'x:1'}",
                "'notifications':{'resourceSubscriptions':[1]}"
            })
    void wishesThatAreNone_areRefused(String params) throws Exception {
        ask("1", "subscriptions/listen", params, "{}", "");
        assertRefused("1", "`notifications` must be an object");
    }

    @Test
    void wishForTasks_needsTheirExtension_andIsNotKept() throws Exception {
        String wishes = "'notifications':{'toolsListChanged':true,'taskIds':['t']}";
        ask("1", "subscriptions/listen", wishes, "{}", "");
        JsonNode refused = atClient();
        assertEquals(-32021, refused.at("/error/code").asInt(), refused.toString());
        assertTrue(
                refused.at("/error/data/requiredCapabilities/extensions/io.modelcontextprotocol~1tasks")
                        .isObject(),
                refused.toString());
        ask("2", "subscriptions/listen", wishes, "{'extensions':{'io.modelcontextprotocol/tasks':{}}}", "");
        assertTrue(atClient().at("/params/notifications/taskIds").isMissingNode());
    }

    @Test
    void clientThatTurnsToAHandshake_isServedAsItIs_andModernRequestsToo() throws Exception {
        ask("1", "tools/list", "", "{}", "");
        assertEquals("private", string(atClient(), "/result/cacheScope"));
        front.fromClient(
                message("{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-11-25',"
                        + "'capabilities':{'elicitation':{}},'clientInfo':{'name':'t','version':'1'}}}"));
        assertEquals("2025-11-25", string(atClient(), "/result/protocolVersion"));
        front.fromClient(message("{'jsonrpc':'2.0','method':'notifications/initialized'}"));
        front.fromClient(message("{'jsonrpc':'2.0','id':2,'method':'tools/list','params':{}}"));
        JsonNode list = atClient();
        assertFalse(list.path("result").has("resultType"), list.toString());
        front.fromClient(
                message("{'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'act','arguments':{}}}"));
        RpcMessage.Request call = requestAtServer("tools/call");
        serverAsks("'e'", "elicitation/create", FORM);
        assertEquals("elicitation/create", string(atClient(), "/method"));
        front.fromClient(message("{'jsonrpc':'2.0','id':'e','result':{'action':'accept'}}"));
        assertEquals("se", ((RpcMessage.Result) atServer()).id().key());
        serverSays("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}");
        assertEquals("notifications/tools/list_changed", string(atClient(), "/method"));
        server.answer(call, "{\"content\":[]}");
        assertFalse(atClient().path("result").has("resultType"));
        front.fromClient(message("{'jsonrpc':'2.0','id':'modern-1','method':'tools/list'}"));
        assertTrue(string(atClient(), "/error/message").contains("ids that begin with `modern-`"));
        call("4", "");
        server.answer(requestAtServer("tools/call"), "{\"content\":[]}");
        assertEquals("complete", string(atClient(), "/result/resultType"));
    }

    @Test
    void answersAndUnknownNotificationsOfAClient_areSkipped() throws Exception {
        front.fromClient(message("{'jsonrpc':'2.0','id':'e','result':{}}"));
        front.fromClient(message("{'jsonrpc':'2.0','method':'notifications/roots/list_changed'}"));
        call("1", "");
        requestAtServer("tools/call");
        assertTrue(log.stream().anyMatch(line -> line.contains("skipped from the client: an answer")), log.toString());
    }
}
