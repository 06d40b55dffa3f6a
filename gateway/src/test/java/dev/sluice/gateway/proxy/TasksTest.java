package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tasks of two servers behind one endpoint: whose they are, and what their answers are labelled as. */
class TasksTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String POLICY = """
            version: 1
            servers:
              one:
                defaults: {integrity: trusted, confidentiality: public}
                tools:
                  act: {effects: [reads]}
                  web: {effects: [reads], returns: {integrity: untrusted}}
                  diary: {effects: [reads], returns: {confidentiality: private}}
              two:
                defaults: {integrity: trusted, confidentiality: public}
                tools:
                  act: {effects: [reads]}
            """;

    private Policy policy = PolicyParser.parse("p.yaml", POLICY);
    private Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    private final AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
    private final BlockingQueue<JsonNode> came = new LinkedBlockingQueue<>();
    private final Map<String, Queue<String>> next =
            new ConcurrentHashMap<>(Map.of("one", new ConcurrentLinkedQueue<>(), "two", new ConcurrentLinkedQueue<>()));
    private final Map<String, ScriptedLink> links = Map.of("one", link("one"), "two", link("two"));
    private ProxySession session = session();

    private ScriptedLink link(String server) {
        ScriptedLink link = new ScriptedLink((played, message) -> {
            if (message instanceof RpcMessage.Request request) {
                String result = Objects.requireNonNull(next.get(server)).poll();
                played.answer(request, result == null ? "{\"tools\":[]}" : result.replace('\'', '"'));
            }
        });
        return link;
    }

    private ProxySession session() {
        ClientSide client = new ClientSide() {
            @Override
            public void answer(byte[] message, String request) {
                came.add(JsonMapper.shared().readTree(message));
            }

            @Override
            public boolean send(byte[] message, String request) {
                came.add(JsonMapper.shared().readTree(message));
                return true;
            }

            @Override
            public void finish(String request) {}
        };
        JsonNode handshake = JsonMapper.shared()
                .readTree("{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                        + "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
        List<Server> servers = List.of("one", "two").stream()
                .map(name -> new Server(
                        Objects.requireNonNull(policy.servers().get(name)),
                        principal -> Objects.requireNonNull(links.get(name))))
                .toList();
        return ProxySession.shared(guard, agent, client, text -> {}, root -> false, servers, handshake, Watch.NONE);
    }

    @BeforeEach
    void open() {
        var _ = guard.open(agent);
    }

    @AfterEach
    void close() {
        session.close();
    }

    private JsonNode ask(String method, String params) throws InterruptedException {
        session.fromClient(("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':" + params + "}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8));
        return Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
    }

    private JsonNode ask(String server, String method, String params, String result) throws InterruptedException {
        Objects.requireNonNull(next.get(server)).add(result);
        return ask(method, params);
    }

    private JsonNode call(String server, String tool, String result) throws InterruptedException {
        return ask(server, "tools/call", "{'name':'" + server + "__" + tool + "','arguments':{}}", result);
    }

    private static String label(JsonNode answer, String at) {
        JsonNode label = answer.at(at + "/_meta/dev.sluice~1label");
        return label.path("integrity").asString("") + " "
                + label.path("confidentiality").asString("");
    }

    private String seen() {
        var label = guard.open(agent).label().label();
        return label.integrity() + " " + (label.confidentiality().isPublic() ? "PUBLIC" : "PRIVATE");
    }

    private boolean got(String server, String method) {
        return Objects.requireNonNull(links.get(server)).got.stream().anyMatch(text -> text.contains(method));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tasks/get", "tasks/update", "tasks/cancel", "tasks/result"})
    void requestOnATask_goesToTheServerThatMadeIt(String method) throws Exception {
        var _ = call("two", "act", "{'task':{'taskId':'of two','status':'working'}}");
        var _ = call("one", "act", "{'resultType':'task','taskId':'of one','status':'working'}");
        var _ = ask("two", method, "{'taskId':'of two'}", "{'taskId':'of two'}");
        assertTrue(got("two", method));
        assertFalse(got("one", method));
        var _ = ask("one", method, "{'taskId':'of one'}", "{'taskId':'of one'}");
        assertTrue(got("one", method));
    }

    @Test
    void taskThatNobodyIsKnownToHave_isSaidSo() throws Exception {
        JsonNode refused = ask("tasks/get", "{'taskId':'of nobody'}");
        assertEquals(-32602, refused.at("/error/code").asInt(0), refused.toString());
        assertTrue(refused.at("/error/message").asString("").contains("no server here"), refused.toString());
        assertFalse(got("one", "tasks/get") || got("two", "tasks/get"));
    }

    @Test
    void modernClientThatDeclaresNoTasks_isToldSo() throws Exception {
        String meta = ",'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                + "'io.modelcontextprotocol/clientCapabilities':{'extensions':{%s}}}}";
        JsonNode undeclared = ask("tasks/get", "{'taskId':'of nobody'" + meta.formatted(""));
        assertEquals(-32021, undeclared.at("/error/code").asInt(0), undeclared.toString());
        assertTrue(undeclared
                .at("/error/data/requiredCapabilities/extensions/io.modelcontextprotocol~1tasks")
                .isObject());
        JsonNode declared =
                ask("tasks/get", "{'taskId':'of nobody'" + meta.formatted("'io.modelcontextprotocol/tasks':{}"));
        assertEquals(-32602, declared.at("/error/code").asInt(0), declared.toString());
    }

    @Test
    void taskOfAnotherServer_isNotTakenOverByItsName() throws Exception {
        var _ = call("one", "act", "{'task':{'taskId':'t-1'}}");
        var _ = call("two", "act", "{'task':{'taskId':'t-1'}}");
        var _ = ask("one", "tasks/get", "{'taskId':'t-1'}", "{'taskId':'t-1'}");
        assertTrue(got("one", "tasks/get"));
        assertFalse(got("two", "tasks/get"));
    }

    @ParameterizedTest
    @CsvSource({
        "act,   trusted public,    TRUSTED PUBLIC",
        "web,   untrusted public,  UNTRUSTED PUBLIC",
        "diary, trusted private,   TRUSTED PRIVATE"
    })
    void whatATaskGave_isLabelledAsTheToolThatMadeIt(String tool, String label, String seen) throws Exception {
        var _ = call("one", tool, "{'task':{'taskId':'t-1'}}");
        JsonNode got = ask(
                "one",
                "tasks/get",
                "{'taskId':'t-1'}",
                "{'taskId':'t-1','status':'completed','result':{'content':[{'type':'text','text':'dear diary'}]}}");
        assertEquals(label, label(got, "/result"), got.toString());
        assertEquals(label, label(got, "/result/result"), "it may be handed on alone");
        assertEquals(seen, seen());
        assertEquals(label, label(ask("one", "tasks/result", "{'taskId':'t-1'}", "{'content':[]}"), "/result"));
    }

    @Test
    void claimsInWhatATaskGave_raise() throws Exception {
        var _ = call("one", "act", "{'task':{'taskId':'t-1'}}");
        String claims = "'_meta':{'io.modelcontextprotocol/trust-annotations':{'%s':%s}}";
        JsonNode none = ask(
                "one", "tasks/get", "{'taskId':'t-1'}", "{'result':{" + claims.formatted("untrusted", "false") + "}}");
        assertEquals("trusted public", label(none, "/result"), none.toString());
        JsonNode raised = ask(
                "one", "tasks/get", "{'taskId':'t-1'}", "{'result':{" + claims.formatted("untrusted", "true") + "}}");
        assertEquals("untrusted public", label(raised, "/result"), raised.toString());
        JsonNode block = ask(
                "one",
                "tasks/get",
                "{'taskId':'t-1'}",
                "{'result':{'content':[{'type':'text','text':'a'," + claims.formatted("sensitive", "true") + "}]}}");
        assertTrue(label(block, "/result").endsWith(" private"), block.toString());
        assertEquals("UNTRUSTED PRIVATE", seen());
    }

    @Test
    void claimsInWhatATaskGave_lowerNothing_andAreContradicted() throws Exception {
        var _ = call("one", "web", "{'task':{'taskId':'t-1'}}");
        JsonNode got = ask(
                "one",
                "tasks/get",
                "{'taskId':'t-1'}",
                "{'result':{'content':[],'_meta':{'io.modelcontextprotocol/trust-annotations':{'untrusted':false}}}}");
        assertEquals("untrusted public", label(got, "/result"), got.toString());
        assertTrue(
                got.at("/result/result/_meta/io.modelcontextprotocol~1trust-annotations/untrusted")
                        .asBoolean(false),
                got.toString());
    }

    @Test
    void taskThatManyToolsMade_isLabelledAsAllOfThem() throws Exception {
        var _ = call("one", "web", "{'task':{'taskId':'t-1'}}");
        var _ = call("one", "diary", "{'task':{'taskId':'t-1'}}");
        JsonNode got = ask("one", "tasks/get", "{'taskId':'t-1'}", "{'taskId':'t-1'}");
        assertEquals("untrusted private", label(got, "/result"), got.toString());
    }

    @Test
    void whatIsToldOfATask_entersWithTheLabelOfItsTool() throws Exception {
        var _ = call("one", "act", "{'task':{'taskId':'t-1'}}");
        Objects.requireNonNull(links.get("one"))
                .say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"t-1\"}}");
        assertTrue(Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS))
                .has("method"));
        assertEquals("TRUSTED PUBLIC", seen());
        Objects.requireNonNull(links.get("one"))
                .say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks\",\"params\":{\"taskId\":\"of nobody\"}}");
        assertTrue(Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS))
                .has("method"));
        assertEquals("UNTRUSTED PRIVATE", seen(), "it may be the answer of any tool");
    }

    @Test
    void listOfTasks_isNotServed_whateverItNames() throws Exception {
        var _ = call("one", "act", "{'task':{'taskId':'t-1'}}");
        JsonNode refused = ask("tasks/list", "{'taskId':'t-1'}");
        assertEquals(-32601, refused.at("/error/code").asInt(0), refused.toString());
        assertFalse(got("one", "tasks/list"));
    }

    @Test
    void whatIsToldOfATask_isKeptBack_whereARuleTakesOutWhatItsToolGives() throws Exception {
        session.close();
        policy = PolicyParser.parse(
                "p.yaml",
                POLICY + "redact: [{id: outsiders, on: {tools: web}, when: label.integrity == 'untrusted'}]\n");
        guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        var _ = guard.open(agent);
        session = session();
        var _ = call("one", "web", "{'task':{'taskId':'t-1'}}");
        for (String method : List.of("notifications/tasks", "notifications/tasks/status")) {
            Objects.requireNonNull(links.get("one"))
                    .say(("{'jsonrpc':'2.0','method':'" + method + "','params':{'taskId':'t-1','result':{'content':"
                                    + "[{'type':'text','text':'SECRET'}]}}}")
                            .replace('\'', '"'));
        }
        JsonNode after = call("one", "act", "{'content':[]}");
        assertTrue(after.has("result"), after.toString());
        assertTrue(came.isEmpty(), came.toString());
    }
}
