package dev.sluice.guard.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.PolicyParser;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A connection that several conversations share. */
class SharedLineTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private final Enforcement enforcement = Enforcement.builder(PolicyParser.parse("policy.yaml", Clinic.POLICY))
            .build();
    private final Map<String, Conversation> conversations = new HashMap<>();

    /** What went to the server. */
    private final List<String> got = new CopyOnWriteArrayList<>();

    private final SharedLine line = enforcement.share(
            "web",
            meta -> {
                String id = meta.path("c").asString("");
                if (id.isEmpty()) {
                    throw new IllegalArgumentException("whose is it?");
                }
                return conversations.computeIfAbsent(id, enforcement::conversation);
            },
            this::own);

    private CompletableFuture<Void> own(byte[] message) {
        got.add(new String(message, StandardCharsets.UTF_8));
        if (RpcMessage.parse(message) instanceof RpcMessage.Request request) {
            fromServer(
                    "{'jsonrpc':'2.0','id':" + request.id().json()
                            + ",'result':{'tools':[{'name':'get','inputSchema':{'type':'object'}},{'name':'other','inputSchema':{'type':'object'},'resolve':true}]}}");
        }
        return CompletableFuture.completedFuture(null);
    }

    private static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    private Step fromClient(String message) throws Exception {
        return line.fromClient(bytes(message)).toCompletableFuture().get(HANG_SECONDS, TimeUnit.SECONDS);
    }

    private Step fromServer(String message) {
        return line.fromServer(bytes(message));
    }

    private static String call(int id, String conversation) {
        return "{'jsonrpc':'2.0','id':" + id
                + ",'method':'tools/call','params':{'name':'get','arguments':{},'_meta':{'c':'" + conversation + "'}}}";
    }

    private static String page(int id) {
        return "{'jsonrpc':'2.0','id':" + id + ",'result':{'content':[{'type':'text','text':'a page'}]}}";
    }

    private static JsonNode replied(Step step) {
        return JsonMapper.shared()
                .readTree(assertInstanceOf(Step.Reply.class, step).message());
    }

    @Test
    void answers_reachTheConversationThatAsked() throws Exception {
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        assertInstanceOf(Step.Pass.class, fromClient(call(2, "b")));
        assertInstanceOf(Step.Pass.class, fromServer(page(1)));
        assertEquals(
                "UNTRUSTED", conversations.get("a").seen().label().integrity().name());
        assertEquals(
                "TRUSTED", conversations.get("b").seen().label().integrity().name());
        assertInstanceOf(Step.Drop.class, fromServer(page(1)), "it is answered");
        assertInstanceOf(Step.Pass.class, fromServer(page(2)));
    }

    @Test
    void requestOfNobody_isRefused_unlessItCarriesNothing() throws Exception {
        JsonNode refused = replied(fromClient(call(1, "")));
        assertEquals("whose is it?", refused.path("error").path("message").asString());
        assertEquals(1, refused.path("id").asInt());
        assertInstanceOf(
                Step.Reply.class,
                fromClient("{'jsonrpc':'2.0','id':2,'method':'resources/read','params':{'uri':'x:y'}}"));
        assertInstanceOf(Step.Reply.class, fromClient("{'jsonrpc':'2.0','id':3,'method':'odd/method'}"));
        assertInstanceOf(Step.Pass.class, fromClient("{'jsonrpc':'2.0','id':4,'method':'tools/list'}"));
        assertInstanceOf(Step.Pass.class, fromClient("{'jsonrpc':'2.0','id':5,'method':'ping'}"));
        assertEquals(List.of(), got);
    }

    @Test
    void idInUse_isRefused_inAnotherConversationToo() throws Exception {
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        assertTrue(replied(fromClient(call(1, "b")))
                .path("error")
                .path("message")
                .asString()
                .contains("in use"));
        assertInstanceOf(Step.Pass.class, fromServer(page(1)));
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "b")));
    }

    @Test
    void handshake_isThatOfEveryConversation() throws Exception {
        assertInstanceOf(
                Step.Pass.class,
                fromClient(
                        "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-11-25','capabilities':{},"
                                + "'clientInfo':{'name':'c','version':'1'}}}"));
        assertInstanceOf(
                Step.Pass.class,
                fromServer(
                        "{'jsonrpc':'2.0','id':1,'result':{'protocolVersion':'2025-11-25','capabilities':{'tools':{'resolve':true}},"
                                + "'serverInfo':{'name':'s','version':'1'}}}"));
        assertInstanceOf(Step.Pass.class, fromClient(call(2, "a").replace("'get'", "'other'")));
        assertTrue(got.stream().anyMatch(message -> message.contains("tools/resolve")), got.toString());
    }

    @Test
    void cancellation_reachesTheCallOfItsConversation() throws Exception {
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        String cancel = "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}";
        assertInstanceOf(Step.Pass.class, fromClient(cancel));
        assertInstanceOf(Step.Drop.class, fromClient(cancel.replace("1}", "9}")));
        assertInstanceOf(Step.Drop.class, fromServer(page(1)));
        assertEquals(
                "TRUSTED", conversations.get("a").seen().label().integrity().name());
    }

    @Test
    void forgottenRequest_hasNoAnswer() throws Exception {
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        line.forget(bytes(call(1, "a")));
        assertInstanceOf(Step.Drop.class, fromServer(page(1)));
    }

    @Test
    void closedLine_passesNothing() throws Exception {
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        line.close();
        assertInstanceOf(Step.Drop.class, fromServer(page(1)));
        assertInstanceOf(Step.Reply.class, fromClient(call(2, "a")));
        assertInstanceOf(Step.Reply.class, fromClient(call(3, "new")));
    }

    @Test
    void malformedMessages_areRefused() throws Exception {
        assertInstanceOf(Step.Reply.class, fromClient("{'jsonrpc':'2.0','id':1,'id':2,'method':'tools/call'}"));
        assertInstanceOf(Step.Drop.class, fromServer("[1]"));
        assertInstanceOf(Step.Pass.class, fromClient(call(1, "a")));
        Step step = fromServer("{'jsonrpc':'2.0','id':1,'result':{'a':1,'a':2}}");
        assertTrue(new String(assertInstanceOf(Step.Pass.class, step).message(), StandardCharsets.UTF_8)
                .contains("gave no answer that can be passed on"));
    }
}
