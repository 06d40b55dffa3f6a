// This file has more than 400 lines because each pair of eras is played on the same lines.
package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.client.RequestedInputs;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Clients of one era and servers of the other. */
class ErasBridgedTest {

    private static final PlayedLink.Script ANSWERS = (link, request) -> link.answer(request, "{\"content\":[]}");

    private static final String POLICY = """
            version: 1
            gateway: {ask: {wait: 0s}}
            servers:
              a:
                command: a
                ERA
                defaults: {integrity: trusted, confidentiality: public}
                tools:
                  act: {effects: [reads]}
              ward:
                command: ward
                defaults: {integrity: trusted, confidentiality: private}
                tools:
                  act: {effects: [reads]}
            """;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<String> logged = new CopyOnWriteArrayList<>();
    private final List<PlayedLink> links = new CopyOnWriteArrayList<>();
    private Policy policy = PolicyParser.parse("p.yaml", POLICY.replace("ERA", "era: auto"));
    private Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    private int sessions;

    /** A client and its session. */
    private final class Client extends PlayedClient {
        private volatile Runnable atNext = () -> {};

        Client(AgentSession agent, JsonNode resumed, Server... servers) {
            var _ = guard.open(agent);
            opened.add(in(ProxySession.shared(
                    guard, agent, this, logged::add, root -> false, List.of(servers), resumed, Watch.NONE)));
        }

        @Override
        public boolean send(byte[] message, String request) {
            super.send(message, request);
            Runnable now = atNext;
            atNext = () -> {};
            now.run();
            return true;
        }
    }

    private AgentSession agent() {
        String key = "s" + ++sessions;
        return new AgentSession(key, "ana", key, AgentSession.Start.CLEAN, "");
    }

    private Client legacy(Server... servers) throws InterruptedException {
        Client client = new Client(agent(), JsonNodeFactory.instance.missingNode(), servers);
        client.begin("{'elicitation':{},'roots':{}}");
        return client;
    }

    private Client modern(Server... servers) {
        return new Client(
                agent(),
                JsonMapper.shared()
                        .readTree("{\"protocolVersion\":\"2026-07-28\",\"capabilities\":{\"sampling\":{}},"
                                + "\"clientInfo\":{\"name\":\"m\",\"version\":\"1\"}}"),
                servers);
    }

    private Server server(Supplier<PlayedLink> made) {
        return server("a", made);
    }

    private Server server(String name, Supplier<PlayedLink> made) {
        return new Server(Objects.requireNonNull(policy.servers().get(name)), principal -> {
            PlayedLink link = made.get();
            links.add(link);
            return link;
        });
    }

    private void policy(String era) {
        policy = PolicyParser.parse("p.yaml", POLICY.replace("ERA", era));
        guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    }

    private PlayedLink link(int number) {
        return links.get(number);
    }

    private static String meta(RpcMessage.Request request, String key) {
        return request.params()
                .orElseThrow()
                .member("_meta")
                .flatMap(meta -> meta.member(key))
                .map(value -> value.raw())
                .orElse("");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void legacyClient_ofAModernServer_isSpokenForWithEachRequest() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(ANSWERS)));
        assertTrue(client.ask(1, "logging/setLevel", "{'level':'warning'}").contains("\"result\":{}"));
        assertTrue(client.ask(2, "tools/call", "{'name':'act','arguments':{ }}").contains("\"content\":[]"));
        client.say("{'jsonrpc':'2.0','method':'notifications/roots/list_changed'}");
        assertTrue(client.ask(3, "ping", "{}").contains("\"result\":{}"));

        RpcMessage.Request call = link(0).asked("tools/call").get(0);
        assertEquals("\"2026-07-28\"", meta(call, RequestMeta.VERSION));
        assertEquals("{\"name\":\"t\",\"version\":\"1\"}", meta(call, RequestMeta.CLIENT_INFO));
        assertEquals("\"warning\"", meta(call, RequestMeta.LOG_LEVEL));
        assertEquals(
                "{\"elicitation\":{},\"roots\":{},\"extensions\":{\"io.modelcontextprotocol/trust-annotations\":{},"
                        + "\"io.modelcontextprotocol/action-metadata\":{}}}",
                meta(call, RequestMeta.CAPABILITIES));
        assertTrue(new String(call.bytes(), StandardCharsets.UTF_8).contains("\"arguments\":{ }"));
        assertEquals(
                "\"2026-07-28\"",
                meta(link(0).asked("tools/list").get(0), RequestMeta.VERSION),
                "sluice's own requests say so too");
        for (String method : List.of("notifications/initialized", "roots/list_changed", "setLevel", "\"ping\"")) {
            assertTrue(link(0).got.stream().noneMatch(text -> text.contains(method)), method);
        }
    }

    /** What a server says of itself has no label and no record. */
    @Test
    void serverThatAsksInWhatItSaysOfItself_isNotHeard() throws Exception {
        String asking = "[\"2026-07-28\"],\"inputRequests\":{\"k\":{\"method\":\"sampling/createMessage\"}}";
        Client client = modern(server(() -> new PlayedLink(Era.MODERN, asking, ANSWERS)));
        String said = client.ask(
                1,
                "server/discover",
                "{'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                        + "'io.modelcontextprotocol/clientCapabilities':{}}}");
        assertTrue(said.contains("supportedVersions") && said.contains("\"listChanged\":true"), said);
        assertFalse(said.contains("inputRequests"), said);
    }

    @Test
    void modernClient_ofALegacyServer_shakesHands_andSaysNothingOfItselfElsewhere() throws Exception {
        Client client = modern(server(() -> PlayedLink.legacy(ANSWERS)));
        String call = "{'name':'act','arguments':{},'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                + "'io.modelcontextprotocol/clientCapabilities':{},'mine':1.0}}";
        assertTrue(client.ask(1, "tools/call", call).contains("\"content\":[]"));

        assertEquals(
                List.of("server/discover", "initialize"),
                List.of(
                        link(0).asked("server/discover").get(0).method(),
                        link(0).asked("initialize").get(0).method()));
        assertTrue(
                link(0).got.get(1).contains("\"protocolVersion\":\"2025-11-25\""),
                link(0).got.get(1));
        RpcMessage.Request sent = link(0).asked("tools/call").get(0);
        assertEquals(
                "{\"mine\":1.0}",
                sent.index().root().pointer("/params/_meta").orElseThrow().raw());
    }

    @Test
    void modernClient_ofAModernServer_speaksForItself_andNothingIsTriedBefore() throws Exception {
        Client client = modern(server(() -> PlayedLink.modern(ANSWERS)));
        String meta = "{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                + "'io.modelcontextprotocol/clientCapabilities':{ 'roots':{}}}";
        assertTrue(client.ask(1, "tools/call", "{'name':'act','arguments':{},'_meta':" + meta + "}")
                .contains("\"content\":[]"));

        assertTrue(link(0).asked("initialize").isEmpty());
        assertEquals(
                "{ \"roots\":{},\"extensions\":{\"io.modelcontextprotocol/trust-annotations\":{},"
                        + "\"io.modelcontextprotocol/action-metadata\":{}}}",
                meta(link(0).asked("tools/call").get(0), RequestMeta.CAPABILITIES));
    }

    @Test
    void eraOfAServer_isTriedFirstFromThenOn_andTheOtherWhereItFails() throws Exception {
        List<PlayedLink> next = new ArrayList<>(
                List.of(PlayedLink.modern(ANSWERS), PlayedLink.modern(ANSWERS), PlayedLink.legacy(ANSWERS)));
        Server server = server(() -> next.remove(0));
        legacy(server);
        assertEquals(1, link(0).asked("initialize").size());
        legacy(server);
        assertEquals(List.of(), link(1).asked("initialize"), "it is known by now");
        legacy(server);
        assertEquals(1, link(2).asked("server/discover").size());
        assertEquals(1, link(2).asked("initialize").size());
        assertEquals(Era.LEGACY, server.standing().era().orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({"era: legacy, initialize, server/discover", "era: modern, server/discover, initialize"})
    void eraThatTheOperatorStates_isTheOnlyOne(String said, String asked, String never) throws Exception {
        policy(said);
        Client client =
                legacy(server(() -> said.contains("modern") ? PlayedLink.legacy(ANSWERS) : PlayedLink.modern(ANSWERS)));
        String away = client.ask(1, "tools/call", "{'name':'act','arguments':{}}");

        assertTrue(away.contains("isError") && away.contains("take `era` out of its entry"), away);
        assertFalse(link(0).asked(asked).isEmpty());
        assertEquals(List.of(), link(0).asked(never));
    }

    @Test
    void serverOfOtherRevisionsAlone_isAway_andSaidToBeWhy() throws Exception {
        Client client = legacy(server(() -> new PlayedLink(Era.MODERN, "[\"2027-01-01\",\"\\u001b[2J\"]", ANSWERS)));
        String away = client.ask(1, "tools/call", "{'name':'act','arguments':{}}");
        assertTrue(
                away.contains("speaks only `2027-01-01`, `?` of MCP, and sluice 2026-07-28 and 2024-11-05, 2025-06-18,"
                        + " 2025-11-25"),
                away);
    }

    @Test
    void serverThatAsks_onALineThatHasNoSuchRequests_isRefused() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern((link, request) -> {
            link.say("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"sampling/createMessage\",\"params\":{}}");
            link.answer(request, "{\"content\":[]}");
        })));
        assertTrue(client.ask(1, "tools/call", "{'name':'act','arguments':{}}").contains("\"content\":[]"));

        assertTrue(
                link(0).got.stream().anyMatch(text -> text.contains("\"id\":\"x\",\"error\":{\"code\":-32601")),
                link(0).got.toString());
        assertTrue(logged.stream().anyMatch(line -> line.contains("a request, of which its revision of MCP has none")));
    }

    private static final String FORM =
            "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\",\"n\":1.0}}";

    private static PlayedLink.Script asking(String inputs, String state) {
        return (link, request) -> {
            if (request.params().orElseThrow().member("inputResponses").isPresent()
                    || (inputs.equals("{}")
                            && request.params()
                                    .orElseThrow()
                                    .member("requestState")
                                    .isPresent())) {
                link.answer(request, "{\"resultType\":\"complete\",\"content\":[]}");
            } else {
                link.answer(
                        request,
                        "{\"resultType\":\"input_required\",\"inputRequests\":" + inputs
                                + (state.isEmpty() ? "" : ",\"requestState\":" + state) + "}");
            }
        };
    }

    @Test
    void whatAModernServerAsksInAnAnswer_aLegacyClientIsAsked_andTheCallIsMadeAgain() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{\"who \\n\":" + FORM + "}", "\"s\\u0041\""))));
        client.say("{'jsonrpc':'2.0','id':7,'method':'tools/call','params':{'name':'act','arguments':{'n':1e0},"
                + "'_meta':{'progressToken':5}}}");
        String asked = client.next();
        assertTrue(
                asked.contains("\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\",\"n\":1.0}"), asked);
        String id = JsonMapper.shared().readTree(asked).path("id").stringValue();
        client.say("{'jsonrpc':'2.0','id':'" + id + "','result':{'action':'accept','content':{'n':2.00},"
                + "'_meta':{'dev.sluice/label':1}}}");
        String answer = client.next();

        assertTrue(answer.contains("\"id\":7"), answer);
        List<RpcMessage.Request> calls = link(0).asked("tools/call");
        assertEquals(2, calls.size());
        String again = new String(calls.get(1).bytes(), StandardCharsets.UTF_8);
        assertTrue(again.contains("\"arguments\":{\"n\":1e0}"), again);
        assertTrue(
                again.contains("\"inputResponses\":{\"who \\n\":{\"action\":\"accept\",\"content\":{\"n\":2.00},"
                        + "\"_meta\":{}}},\"requestState\":\"s\\u0041\""),
                again);
        assertFalse(calls.get(0).id().key().equals(calls.get(1).id().key()), "a request made again is another one");
        assertEquals("5", meta(calls.get(1), "progressToken"));
    }

    @Test
    void idThatAnotherServerTakes_isNotThatOfAQuestion() throws Exception {
        Server a = server(() -> PlayedLink.modern(asking("{\"who\":" + FORM + "}", "")));
        Server ward = server(
                "ward",
                () -> PlayedLink.legacy((link, request) ->
                        link.say("{\"jsonrpc\":\"2.0\",\"id\":\"sluice-input-1\",\"method\":\"elicitation/create\","
                                + "\"params\":{\"message\":\"your password?\"}}")));
        Client client = legacy(a, ward);
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'a__act','arguments':{}}}");
        String ofA = JsonMapper.shared().readTree(client.next()).path("id").stringValue();
        assertTrue(ofA.matches("sluice-input-[0-9a-f]{24}"), ofA);
        client.say("{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'ward__act','arguments':{}}}");
        JsonNode question = JsonMapper.shared().readTree(client.next());
        assertEquals("your password?", question.at("/params/message").stringValue());
        assertEquals("sluice-s1", question.path("id").stringValue());

        client.say("{'jsonrpc':'2.0','id':'sluice-s1','result':{'action':'accept','content':{'p':'hers'}}}");
        PlayedLink hers = links.stream()
                .filter(link -> link.asked("server/discover").isEmpty())
                .findFirst()
                .orElseThrow();
        PlayedClient.until(() -> hers.got.stream()
                .anyMatch(text -> text.contains("\"id\":\"sluice-input-1\"") && text.contains("hers")));
        client.say("{'jsonrpc':'2.0','id':'" + ofA + "','result':{'action':'accept','content':{'n':1}}}");
        assertTrue(client.next().contains("\"id\":1,"));
        assertTrue(
                links.stream()
                        .filter(link -> link != hers)
                        .allMatch(link -> link.got.stream().noneMatch(text -> text.contains("hers"))),
                "no answer reaches the other");
    }

    @Test
    void legacyClient_thatSaysItsRevisionAgain_isOne() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{\"who\":" + FORM + "}", ""))));
        client.say("{'jsonrpc':'2.0','id':7,'method':'tools/call','params':{'name':'act','arguments':{},"
                + "'_meta':{'io.modelcontextprotocol/protocolVersion':'2025-11-25',"
                + "'io.modelcontextprotocol/clientInfo':{'name':'approver','version':'1'}}}}");
        String asked = client.next();
        assertTrue(asked.contains("\"method\":\"elicitation/create\""), asked);
        RpcMessage.Request call = link(0).asked("tools/call").get(0);
        assertEquals("\"2026-07-28\"", meta(call, RequestMeta.VERSION));
        assertEquals("{\"name\":\"t\",\"version\":\"1\"}", meta(call, RequestMeta.CLIENT_INFO));
    }

    @Test
    void stateAlone_theCallIsMadeAgainAfterAWhile() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{}", "\"later\""))));
        String answer = client.ask(1, "tools/call", "{'name':'act','arguments':{}}");

        assertTrue(answer.contains("\"resultType\":\"complete\""), answer);
        assertEquals(
                "\"later\"",
                link(0).asked("tools/call")
                        .get(1)
                        .params()
                        .orElseThrow()
                        .member("requestState")
                        .orElseThrow()
                        .raw());
    }

    @Test
    void whatTheClientCannotBeAsked_endsTheCall() throws Exception {
        for (String inputs : List.of(
                "{\"a\":{\"method\":\"sampling/createMessage\",\"params\":{}}}",
                "{\"a\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"url\":\"https://x.example\"}}}",
                "{\"a\":" + FORM + ",\"b\":{\"method\":\"tools/call\"}}",
                "{\"a\":1}")) {
            Client client = legacy(server(() -> PlayedLink.modern(asking(inputs, ""))));
            String answer = client.ask(1, "tools/call", "{'name':'act','arguments':{}}");
            assertTrue(answer.contains("\"isError\":true"), answer);
            assertTrue(
                    answer.contains("this client can't do") || answer.contains("no client of this revision"), answer);
            String read = client.ask(2, "resources/read", "{'uri':'x:y'}");
            assertTrue(read.contains("\"code\":-32021") || read.contains("\"code\":-31502"), read);
        }
    }

    @Test
    void serverThatAsksForEver_isStopped() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern((link, request) ->
                link.answer(request, "{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":" + FORM + "}}"))));
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':{}}}");
        int asked = 0;
        String came = client.next();
        while (came.contains("elicitation/create")) {
            asked++;
            String id = JsonMapper.shared().readTree(came).path("id").stringValue();
            client.say("{'jsonrpc':'2.0','id':'" + id + "','result':{'action':'decline'}}");
            came = client.next();
        }
        assertEquals(InputRounds.MOST_ROUNDS, asked);
        assertTrue(came.contains("asked for something 20 times"), came);
    }

    @Test
    void callThatIsTakenBackMeanwhile_isNotMadeAgain_andItsQuestionIsTakenBackToo() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{\"a\":" + FORM + "}", ""))));
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':{}}}");
        String id = JsonMapper.shared().readTree(client.next()).path("id").stringValue();
        client.say("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}");
        String cancelled = client.next();
        assertTrue(cancelled.contains("notifications/cancelled") && cancelled.contains(id), cancelled);
        client.say("{'jsonrpc':'2.0','id':'" + id + "','result':{'action':'accept','content':{}}}");
        assertTrue(client.ask(2, "ping", "{}").contains("\"id\":2"));

        assertEquals(1, link(0).asked("tools/call").size());
        assertTrue(
                logged.stream().anyMatch(line -> line.contains("an answer to nothing that was asked")),
                logged.toString());
    }

    @Test
    void callThatIsTakenBackBeforeItsQuestionIsOut_takesTheQuestionBackOnce() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{\"a\":" + FORM + "}", ""))));
        client.atNext =
                () -> client.say("{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':1}}");
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':{}}}");
        String id = JsonMapper.shared().readTree(client.next()).path("id").stringValue();
        String cancelled = client.next();
        assertTrue(cancelled.contains("notifications/cancelled") && cancelled.contains(id), cancelled);
        String next = client.ask(2, "ping", "{}");
        assertTrue(next.contains("\"id\":2"), next);
    }

    @Test
    void clientThatAnswersWithAnError_itsCallEndsWithOne() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(asking("{\"a\":" + FORM + "}", ""))));
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':{}}}");
        String id = JsonMapper.shared().readTree(client.next()).path("id").stringValue();
        client.say("{'jsonrpc':'2.0','id':'" + id + "','error':{'code':-1,'message':'no'}}");
        assertTrue(client.next().contains("answered what the server asks for with an error"));
    }

    @Test
    void answerThatTheServerMayNotHave_isNotGiven() throws Exception {
        Server ward = server("ward", () -> PlayedLink.modern(ANSWERS));
        policy = PolicyParser.parse("p.yaml", POLICY.replace("ERA", "era: auto"));
        Client client = new Client(
                agent(),
                JsonNodeFactory.instance.missingNode(),
                ward,
                server(() -> PlayedLink.modern(asking(
                        "{\"a\":{\"method\":\"sampling/createMessage\",\"params\":{\"maxTokens\":1,\"messages\":[]}}}",
                        ""))));
        client.begin("{'sampling':{}}");
        client.say("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'a__act','arguments':{}}}");
        String id = JsonMapper.shared().readTree(client.next()).path("id").stringValue();
        assertTrue(client.ask(2, "tools/call", "{'name':'ward__act','arguments':{}}")
                .contains("\"content\":[]"));
        String denied = client.ask(3, "ping", "{}");
        assertTrue(denied.contains("\"id\":3"), denied);
        client.say("{'jsonrpc':'2.0','id':'" + id
                + "','result':{'role':'assistant','content':{'type':'text','text':'SECRET'}}}");
        String end = client.next();

        assertTrue(end.contains("\"id\":1") && end.contains("flow-not-permitted"), end);
        for (PlayedLink link : links) {
            assertTrue(link.got.stream().noneMatch(text -> text.contains("SECRET")), link.got.toString());
        }
    }

    private RpcMessage.Request listening(int line, int number) throws InterruptedException {
        PlayedClient.until(() -> link(line).asked(Subscriptions.LISTEN).size() > number);
        return link(line).asked(Subscriptions.LISTEN).get(number);
    }

    private void tell(RpcMessage.Request stream, String method, String members) {
        link(0).say("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":{" + members + "\"_meta\":{\""
                + RequestMeta.SUBSCRIPTION + "\":" + stream.id().json() + "}}}");
    }

    @Test
    void changesThatAModernServerTells_reachALegacyClient_withoutTheStreamTheyCameOn() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(ANSWERS)));
        RpcMessage.Request first = listening(0, 0);
        assertTrue(new String(first.bytes(), StandardCharsets.UTF_8)
                .contains("\"notifications\":{\"toolsListChanged\":true}"));
        assertTrue(client.ask(1, "tools/call", "{'name':'act','arguments':{}}").contains("\"content\":[]"));
        tell(first, "notifications/tools/list_changed", "");
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{}}", client.next());
        assertTrue(client.ask(2, "tools/call", "{'name':'act','arguments':{}}").contains("\"content\":[]"));
        assertEquals(2, link(0).asked("tools/list").size(), "the tools are learnt again");

        assertTrue(client.ask(3, "resources/subscribe", "{'uri':'x:y'}").contains("\"result\":{}"));
        RpcMessage.Request second = listening(0, 1);
        assertTrue(new String(second.bytes(), StandardCharsets.UTF_8).contains("\"resourceSubscriptions\":[\"x:y\"]"));
        PlayedClient.until(() -> link(0).got.stream()
                .anyMatch(text -> text.contains("notifications/cancelled")
                        && text.contains(first.id().json())));
        tell(second, "notifications/resources/updated", "\"uri\":\"x:y\",");
        assertTrue(client.next().contains("\"params\":{\"uri\":\"x:y\"}}"));
        assertTrue(client.ask(4, "resources/unsubscribe", "{'uri':'x:y'}").contains("\"result\":{}"));
        assertFalse(new String(listening(0, 2).bytes(), StandardCharsets.UTF_8).contains("resourceSubscriptions"));
        assertEquals(List.of(), link(0).asked("resources/subscribe"));
    }

    @Test
    void streamThatEnds_isBegunAnew_andToolsAreLearntAgain() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(ANSWERS)));
        RpcMessage.Request first = listening(0, 0);
        assertTrue(client.ask(1, "tools/call", "{'name':'act','arguments':{}}").contains("\"content\":[]"));
        link(0).answer(first, "{\"resultType\":\"complete\"}");
        listening(0, 1);
        PlayedClient.until(() -> {
            try {
                assertTrue(client.ask(2, "tools/call", "{'name':'act','arguments':{}}")
                        .contains("\"content\":[]"));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return link(0).asked("tools/list").size() == 2;
        });
    }

    @Test
    void sharedModernServer_tellsSessionsApart() throws Exception {
        policy("shared: true");
        Server server = Server.shared(
                Objects.requireNonNull(policy.servers().get("a")),
                principal -> {
                    PlayedLink link = PlayedLink.modern(ANSWERS);
                    links.add(link);
                    return link;
                },
                close -> opened.add(close::run),
                logged::add);
        Client one = legacy(server);
        Client other = modern(server);
        assertTrue(one.ask(1, "tools/call", "{'name':'act','arguments':{}}").contains("\"id\":1"));
        assertTrue(other.ask(
                        1,
                        "tools/call",
                        "{'name':'act','arguments':{},'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                                + "'io.modelcontextprotocol/clientCapabilities':{}}}")
                .contains("\"id\":1"));

        assertEquals(1, links.size());
        assertEquals(1, link(0).asked("server/discover").size());
        listening(0, 1);
        assertTrue(one.ask(2, "resources/subscribe", "{'uri':'x:y'}").contains("\"result\":{}"));
        RpcMessage.Request watching = listening(0, 2);
        tell(watching, "notifications/resources/updated", "\"uri\":\"x:y\",");
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"x:y\"}}",
                one.next());
        assertTrue(other.came.isEmpty(), other.came.toString());
    }

    private static final String META = "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
            + "'io.modelcontextprotocol/clientCapabilities':{'extensions':{'io.modelcontextprotocol/tasks':{}}}}";

    private static PlayedLink tasks(Era era) {
        PlayedLink.Script script = (link, request) -> link.answer(request, "{\"taskId\":\"t-1\"}");
        return era == Era.MODERN ? PlayedLink.modern(script) : PlayedLink.legacy(script);
    }

    private Server taskServer(Era era, boolean shared) {
        Server.Links made = principal -> {
            PlayedLink link = tasks(era);
            links.add(link);
            return link;
        };
        var entry = Objects.requireNonNull(policy.servers().get("a"));
        return shared
                ? Server.shared(entry, made, close -> opened.add(close::run), logged::add)
                : new Server(entry, made);
    }

    @ParameterizedTest
    @CsvSource({"MODERN, false", "MODERN, true", "LEGACY, true"})
    void taskOfAnotherSession_isNotGiven_whereTheServerCantTellThemApart(Era era, boolean shared) throws Exception {
        policy("shared: " + shared);
        Server server = taskServer(era, shared);
        Client one = modern(server);
        Client other = modern(server);
        String made = one.ask(1, "tools/call", "{'name':'act','arguments':{}," + META + "}");
        assertTrue(made.contains("t-1"), made);
        for (String method : List.of("tasks/get", "tasks/update", "tasks/cancel", "tasks/result")) {
            String refused = other.ask(2, method, "{'taskId':'t-1'," + META + "}");
            assertTrue(refused.contains("-32602") && refused.contains("no server here is known"), refused);
        }
        String all = one.ask(3, "tasks/list", "{" + META + "}");
        assertTrue(all.contains("-32601") && all.contains("tasks of others"), all);
        assertTrue(
                links.stream().flatMap(link -> link.got.stream()).noneMatch(text -> text.contains("tasks/")),
                "nothing went there");
        String got = one.ask(4, "tasks/get", "{'taskId':'t-1'," + META + "}");
        assertTrue(got.contains("t-1") && got.contains("result"), got);
    }

    @Test
    void taskOfALegacyLineOfOnesOwn_isTheServersToGive() throws Exception {
        policy("era: legacy");
        Client one = legacy(taskServer(Era.LEGACY, false));
        assertTrue(one.ask(1, "tasks/get", "{'taskId':'t-0'}").contains("\"result\""));
        assertTrue(one.ask(2, "tasks/list", "{}").contains("\"result\""));
    }

    @Test
    void resourceThatAServerDoesNotLetBeWatched_doesNotKeepItsLine() throws Exception {
        policy("idle: 1s");
        Client client = legacy(server(() -> PlayedLink.legacy((link, request) -> {
            if (request.method().equals("resources/subscribe")) {
                link.fail(request, -32602, "{}");
            } else {
                link.answer(request, "{}");
            }
        })));
        assertTrue(client.ask(1, "resources/subscribe", "{'uri':'x:y'}").contains("\"error\""));
        PlayedClient.until(() -> logged.stream().anyMatch(line -> line.contains("is stopped")));
    }

    @Test
    void resourceThatIsWatchedAlready_staysSo_whereItIsAskedForAgainInVain() throws Exception {
        AgentSession agent = agent();
        var _ = guard.open(agent);
        Set<String> watched = ConcurrentHashMap.newKeySet();
        Connection line = new Connection(
                guard.connect(Objects.requireNonNull(policy.servers().get("a"))),
                PlayedLink.legacy(ANSWERS),
                new UpstreamMessages(
                        guard,
                        agent,
                        new Client(agent(), JsonNodeFactory.instance.missingNode()),
                        key -> {},
                        logged::add,
                        why -> {},
                        Observation.NONE,
                        new RequestedInputs()),
                Duration.ofSeconds(1),
                watched,
                logged::add);
        assertTrue(line.watches("resources/subscribe", "x:y", "n1"));
        assertTrue(line.watches("resources/subscribe", "x:y", "n2"));
        line.subscribed("n1", false);
        assertEquals(Set.of("x:y"), watched, "the second may still be agreed to");
        line.subscribed("n2", true);
        assertTrue(line.watches("resources/subscribe", "x:y", "n3"));
        line.subscribed("n3", false);
        assertEquals(Set.of("x:y"), watched, "it was agreed to before");
        assertTrue(line.watches("resources/subscribe", "x:z", "n4"));
        line.abandon("n4");
        assertEquals(Set.of("x:y"), watched, "nobody waits for that");
    }

    @Test
    void idThatLooksLikeAFronts_givesALegacyClientNothing() throws Exception {
        Client client = legacy(server(() -> PlayedLink.modern(ANSWERS)));
        client.say("{'jsonrpc':'2.0','id':'modern-own-1','method':'logging/setLevel','params':{'level':'aloud'}}");
        String answer = client.next();
        assertTrue(answer.contains("`level` must be one of"), answer);
    }

    @Test
    void answerToOneServersQuestion_isJudgedAnew_whereItsCallGoesToAnother() throws Exception {
        policy = PolicyParser.parse("p.yaml", """
                version: 1
                gateway: {ask: {wait: 0s, approvers: [{client: desk}]}}
                servers:
                  a: {command: a, defaults: {integrity: untrusted, confidentiality: public}}
                  b: {command: b, defaults: {integrity: untrusted, confidentiality: public}}
                  ward:
                    command: ward
                    defaults: {integrity: trusted, confidentiality: private}
                    tools: {act: {effects: [reads]}}
                """);
        guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        AtomicBoolean lists = new AtomicBoolean();
        PlayedLink.Script playedByA = (link, request) -> {
            switch (request.method()) {
                case "resources/list" -> link.answer(request, "{\"resources\":[]}");
                case "resources/templates/list" ->
                    link.answer(request, "{\"resourceTemplates\":[{\"uriTemplate\":\"x:{n}\",\"name\":\"n\"}]}");
                default ->
                    link.answer(
                            request,
                            "{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":" + FORM
                                    + "},\"requestState\":\"s\"}");
            }
        };
        PlayedLink.Script playedByB = (link, request) -> {
            switch (request.method()) {
                case "resources/list" ->
                    link.answer(
                            request,
                            "{\"resources\":[" + (lists.get() ? "{\"uri\":\"x:1\",\"name\":\"n\"}" : "") + "]}");
                case "resources/templates/list" -> link.answer(request, "{\"resourceTemplates\":[]}");
                default -> link.answer(request, "{\"contents\":[]}");
            }
        };
        PlayedLink b = PlayedLink.modern(playedByB);
        Client client = modern(
                server("a", () -> PlayedLink.modern(playedByA)),
                server("b", () -> b),
                server("ward", () -> PlayedLink.modern(ANSWERS)));
        String read = "{'uri':'x:1',%s'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"
                + "'io.modelcontextprotocol/clientInfo':{'name':'desk','version':'1'},"
                + "'io.modelcontextprotocol/clientCapabilities':{'elicitation':{}}}}";
        String asked = client.ask(1, "resources/read", read.formatted(""));
        assertTrue(asked.contains("input_required") && asked.contains("Who?"), asked);
        String call = client.ask(2, "tools/call", read.formatted("'name':'ward__act','arguments':{},"));
        assertTrue(call.contains("\"content\":[]"), call);
        String own = "'inputResponses':{'k':{'action':'accept','content':{'n':'SECRET'}}},'requestState':'s',";
        JsonNode sluices = JsonMapper.shared().readTree(client.ask(3, "resources/read", read.formatted(own)));
        String key = sluices.at("/result/inputRequests").propertyNames().stream()
                .findFirst()
                .orElse("none: " + sluices);
        assertTrue(key.startsWith("sluice-ask-"), key);
        lists.set(true);
        String back = "'inputResponses':{'" + key + "':{'action':'accept','content':{'answer':'approve'}}},"
                + "'requestState':'" + sluices.at("/result/requestState").stringValue() + "',";
        String answer = client.ask(4, "resources/read", read.formatted(back));
        assertTrue(answer.contains("flow-not-permitted") && answer.contains("\"error\""), answer);
        assertEquals(List.of(), b.asked("resources/read"));
    }
}
