// This file has more than 400 lines because all that can be done to a state is tried on one desk.
package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.ApprovalStore.Approval;
import dev.sluice.store.ApprovalStore.Status;
import dev.sluice.store.AuditRecord;
import dev.sluice.store.Engine;
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
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A question that is put in the answer to a call, and what comes back with the call. */
class RoundTripsTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String POLICY = """
            version: 1
            gateway: {ask: {wait: 0s, approvers: [{client: desk}]}}
            servers:
              board:
                tools:
                  read: {effects: [reads], returns: {integrity: untrusted, confidentiality: public}}
                  secret: {effects: [reads], returns: {integrity: trusted, confidentiality: private}}
                  keep: {effects: [writes], returns: {integrity: trusted, confidentiality: public}}
                  post:
                    effects: [sends]
                    audience: public
                    payload: [text]
                    derives: false
                    returns: {integrity: trusted, confidentiality: public}
            """;

    private static final String APPROVE = "{'action':'accept','content':{'answer':'approve'}}";

    private final Engine engine = new MemoryEngine();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final Clock clock = ticking();
    private final Policy policy = PolicyParser.parse("p.yaml", POLICY);
    private final List<String> log = new ArrayList<>();

    private Clock ticking() {
        return new Clock() {
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
                return now.get();
            }
        };
    }

    /** One client at one process, with a line of its own to the server. */
    private final class Desk implements AutoCloseable {

        final BlockingQueue<JsonNode> came = new LinkedBlockingQueue<>();
        final Guard guard = new Guard(engine, policy, clock, 0);
        final ScriptedLink link = new ScriptedLink((played, message) -> {
            if (message instanceof RpcMessage.Request request) {
                played.answer(request, "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}");
            }
        });
        final ProxySession session;

        Desk(String principal) throws IOException {
            AgentSession agent = new AgentSession("of " + principal, principal, "t", AgentSession.Start.CLEAN, "");
            var _ = guard.open(agent);
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
            session = ProxySession.direct(
                    guard,
                    agent,
                    client,
                    log::add,
                    why -> {},
                    root -> false,
                    new Server(Objects.requireNonNull(policy.servers().get("board")), who -> link),
                    Watch.NONE);
            link.listsByScript = true;
        }

        void send(int id, String method, String params) {
            session.fromClient(("{'jsonrpc':'2.0','id':" + id + ",'method':'" + method + "','params':" + params + "}")
                    .replace('\'', '"')
                    .getBytes(StandardCharsets.UTF_8));
        }

        JsonNode next() throws InterruptedException {
            return Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
        }

        JsonNode ask(String method, String params) throws InterruptedException {
            send(1, method, params);
            return next();
        }

        JsonNode call(String tool, String arguments, String more) throws InterruptedException {
            return ask("tools/call", params(tool, arguments, more, "desk", "{'elicitation':{}}"));
        }

        JsonNode post(String more) throws InterruptedException {
            return call("post", "{'text':'words'}", more);
        }

        /** Posts after outsiders' text was read, and returns the state of the question. */
        String asked() throws InterruptedException {
            var _ = call("read", "{}", "");
            return state(post(""));
        }

        List<String> posts() {
            return link.got.stream()
                    .filter(each -> each.contains("\"name\":\"post\""))
                    .toList();
        }

        @Override
        public void close() {
            session.close();
        }
    }

    private static String params(String tool, String arguments, String more, String client, String capabilities) {
        return "{'name':'" + tool + "','arguments':" + arguments + more
                + ",'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28'"
                + ",'io.modelcontextprotocol/clientInfo':{'name':'" + client + "','version':'1'}"
                + ",'io.modelcontextprotocol/clientCapabilities':" + capabilities + "}}";
    }

    private static String state(JsonNode asked) {
        assertEquals("input_required", asked.at("/result/resultType").asString(""), asked.toString());
        return asked.at("/result/requestState").asString("");
    }

    private static String back(String state, String id, String answer) {
        return ",'requestState':'" + state + "','inputResponses':{'sluice-ask-" + id + "':" + answer + "}";
    }

    private String back(String state, String answer) {
        return back(state, question().id(), answer);
    }

    private Approval question() {
        List<Approval> open = engine.transact(tx -> tx.approvals().open(now.get()));
        return open.get(open.size() - 1);
    }

    private static String why(JsonNode refused) {
        assertEquals(-32602, refused.at("/error/code").asInt(0), refused.toString());
        return refused.at("/error/message").asString("");
    }

    private static boolean isDenied(JsonNode answer) {
        return answer.at("/result/isError").asBoolean(false)
                && answer.at("/result/content/0/text").asString("").startsWith("sluice denied `post`");
    }

    private static String approval(JsonNode denied) {
        return denied.at("/result/_meta/dev.sluice~1decision/approval/state").asString("");
    }

    @Test
    void approver_isAskedInTheAnswer_andTheCallGoesThroughOnce() throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.call("read", "{}", "");
            JsonNode asked = desk.post("");
            String key = "sluice-ask-" + question().id();
            JsonNode form = asked.at("/result/inputRequests").path(key);
            assertEquals("elicitation/create", form.path("method").asString(""), asked.toString());
            String shown = form.at("/params/message").asString("");
            assertTrue(shown.contains("If you approve, `post` of `board` runs once"), shown);
            assertEquals(
                    "[\"approve\",\"deny\"]",
                    form.at("/params/requestedSchema/properties/answer/enum").toString());
            assertEquals(List.of(), desk.posts());

            JsonNode done = desk.post(back(state(asked), APPROVE));
            assertEquals("done", done.at("/result/content/0/text").asString(""), done.toString());
            assertEquals(1, desk.posts().size());
            assertFalse(desk.posts().get(0).contains("sluice-ask"), desk.posts().toString());
            assertFalse(
                    desk.posts().get(0).contains("inputResponses"), desk.posts().toString());
            assertEquals(
                    "input_required", desk.post("").at("/result/resultType").asString(""), "once");
        }
        assertTrue(audit().stream()
                .anyMatch(event -> event.path("event").asString("").equals("approved")
                        && event.path("by").asString("").equals("client")));
        assertFalse(log.toString().contains("sluice-ask:"), "the state is in no log");
    }

    private List<JsonNode> audit() {
        return engine.transact(tx -> tx.audit().read(0, 1_000)).stream()
                .map(AuditRecord::json)
                .map(JsonMapper.shared()::readTree)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'action':'accept','content':{'answer':'deny'}}    | denied",
                "{'action':'accept','content':{'answer':'Approve'}} | denied",
                "{'action':'accept'}                                | denied",
                "{'action':'decline'}                               | denied",
                "{'action':'cancel'}                                | pending",
                "{'action':'allow','content':{'answer':'approve'}}  | pending",
                "\"approve\"                                         | pending",
                "null                                               | pending"
            })
    void anythingButApprove_letsNothingThrough_andEndsInADenial(String answer, String state) throws Exception {
        try (Desk desk = new Desk("ana")) {
            JsonNode denied = desk.post(back(desk.asked(), answer));
            assertTrue(isDenied(denied), denied.toString());
            assertEquals(state, approval(denied));
            assertEquals(List.of(), desk.posts());
        }
    }

    @Test
    void stateWithoutAnyAnswer_endsInADenialThatSaysWhatIsPending() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String state = desk.asked();
            JsonNode denied = desk.post(",'requestState':'" + state + "'");
            assertTrue(isDenied(denied), denied.toString());
            assertTrue(
                    denied.at("/result/content/0/text")
                            .asString("")
                            .contains("(approval " + question().id() + ", pending)"),
                    denied.toString());
            assertTrue(why(desk.post(back(state, APPROVE))).contains("was given back before"), "that was its one use");
            assertEquals(Status.PENDING, question().status());
        }
    }

    @Test
    void requestThatIsKnownByAnotherIdThanItsTextHas_isAnsweredUnderThat() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String params =
                    params("post", "{'text':'words'}", back(desk.asked(), APPROVE), "desk", "{'elicitation':{}}");
            RpcMessage.Request text = (RpcMessage.Request)
                    RpcMessage.parse(("{'jsonrpc':'2.0','id':7,'method':'tools/call','params':" + params + "}")
                            .replace('\'', '"')
                            .getBytes(StandardCharsets.UTF_8));
            desk.session.fromClient(
                    new RpcMessage.Request(text.index(), RpcId.ofText("known-7"), text.method(), text.params()));
            JsonNode done = desk.next();
            assertEquals("known-7", done.path("id").asString(""), done.toString());
            assertEquals("done", done.at("/result/content/0/text").asString(""), done.toString());
        }
    }

    @Test
    void answeredElsewhereMeanwhile_goesThroughWhateverTheFormSays() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String state = desk.asked();
            desk.guard.answer(question(), true, "approver");
            JsonNode done = desk.post(back(state, "{'action':'cancel'}"));
            assertEquals("done", done.at("/result/content/0/text").asString(""), done.toString());
        }
    }

    @Test
    void deniedElsewhereMeanwhile_isNotApprovedByTheForm() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String state = desk.asked();
            desk.guard.answer(question(), false, "approver");
            JsonNode denied = desk.post(back(state, APPROVE));
            assertEquals("denied", approval(denied), denied.toString());
            assertEquals(List.of(), desk.posts());
        }
    }

    @Test
    void otherRequestOrCaller_isRefused_andTheStateIsNotUsedUp() throws Exception {
        try (Desk desk = new Desk("ana");
                Desk other = new Desk("ben")) {
            String state = desk.asked();
            String answer = back(state, APPROVE);
            assertTrue(why(other.post(answer)).contains("given to another client"));
            String named = params("post", "{'text':'words'}", answer, "chair", "{'elicitation':{}}");
            assertTrue(why(desk.ask("tools/call", named)).contains("given to another client"));
            assertTrue(why(desk.call("post", "{'text':'other'}", answer)).contains("of another request"));
            assertTrue(why(desk.call("read", "{'text':'words'}", answer)).contains("of another request"));
            assertTrue(why(desk.ask(
                            "prompts/get", params("post", "{'text':'words'}", answer, "desk", "{'elicitation':{}}")))
                    .contains("of another request"));
            assertEquals(List.of(), desk.posts());
            assertEquals("done", desk.post(answer).at("/result/content/0/text").asString(""));
        }
    }

    @Test
    void expired_isRefused() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String answer = back(desk.asked(), APPROVE);
            now.set(now.get().plus(Duration.ofHours(1)));
            assertTrue(why(desk.post(answer)).contains("is over"));
            assertEquals(List.of(), desk.posts());
        }
    }

    @Test
    void otherPolicy_isRefused() throws Exception {
        try (Desk desk = new Desk("ana")) {
            String answer = back(desk.asked(), APPROVE);
            desk.guard.adopt(PolicyParser.parse("p.yaml", POLICY + "# changed\n"));
            String why = why(desk.post(answer));
            assertTrue(why.contains("the policy changed"), why);
            assertEquals(List.of(), desk.posts());
        }
    }

    @Test
    void answerWithoutItsState_isRefused_andReachesNoServer() throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.asked();
            String alone = ",'inputResponses':{'sluice-ask-" + question().id() + "':" + APPROVE + "}";
            assertTrue(why(desk.post(alone)).contains("without the `requestState`"));
            assertTrue(
                    why(desk.post(alone + ",'requestState':'of the server'")).contains("without the `requestState`"));
            assertEquals(List.of(), desk.posts());
        }
    }

    @Test
    void labelThatRoseMeanwhile_asksAgain() throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.call("read", "{}", "");
            String state = state(desk.call("keep", "{'text':'words'}", ""));
            String first = question().id();
            now.set(now.get().plusSeconds(1));
            var _ = desk.call("secret", "{}", "");
            JsonNode again = desk.call("keep", "{'text':'words'}", back(state, first, APPROVE));
            assertEquals("input_required", again.at("/result/resultType").asString(""), again.toString());
            assertFalse(question().id().equals(first), "it is another question");
            JsonNode done = desk.call("keep", "{'text':'words'}", back(state(again), APPROVE));
            assertEquals("done", done.at("/result/content/0/text").asString(""), done.toString());
        }
    }

    @Test
    void whatTheServerAskedForBefore_isGivenToItByteForByte() throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.call("read", "{}", "");
            String own = ",'requestState':'s\\u00e9 \\/1','inputResponses':{ 'k' : {'n':1.0e0} }";
            String state = state(desk.post(own));
            String done = desk.post(back(state, APPROVE)).toString();
            assertTrue(done.contains("done"), done);
            String got = desk.posts().get(0);
            assertTrue(got.contains("\"requestState\":\"s\\u00e9 \\/1\""), got);
            assertTrue(got.contains("\"inputResponses\":{ \"k\" : {\"n\":1.0e0} }"), got);
        }
    }

    @Test
    void whatIsTooLongToBeGivenBack_isNotAskedAboutSo() throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.call("read", "{}", "");
            String fits = "x".repeat(RoundTrips.MOST_WRAPPED - 100);
            assertTrue(state(desk.post(",'requestState':'" + fits + "'")).length() > fits.length());
            JsonNode denied = desk.post(",'requestState':'" + fits + "x".repeat(100) + "'");
            assertEquals("pending", approval(denied), denied.toString());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other | {'elicitation':{}}",
                "desk  | {}",
                "desk  | {'elicitation':{'url':{}}}",
                "desk  | {'elicitation':true}"
            })
    void clientThatIsNoApproverOrHasNoForms_isNotAsked(String client, String capabilities) throws Exception {
        try (Desk desk = new Desk("ana")) {
            var _ = desk.call("read", "{}", "");
            JsonNode denied = desk.ask("tools/call", params("post", "{'text':'words'}", "", client, capabilities));
            assertEquals("pending", approval(denied), denied.toString());
            assertFalse(denied.toString().contains("inputRequests"), denied.toString());
        }
    }

    @Test
    void stateWithAnyByteChanged_isRefused() throws Exception {
        SplittableRandom random = new SplittableRandom(20260728);
        try (Desk desk = new Desk("ana")) {
            String state = desk.asked();
            for (int at = 0; at < state.length(); at++) {
                char other;
                do {
                    other = (char) ('!' + random.nextInt(94));
                } while (other == state.charAt(at) || other == '"' || other == '\\' || other == '\'');
                String altered = state.substring(0, at) + other + state.substring(at + 1);
                String why = why(desk.post(back(altered, APPROVE)));
                assertTrue(
                        why.contains("was altered") || why.contains("without the `requestState` of its question"),
                        at + ": " + why);
            }
            for (String altered : List.of(
                    state + "=",
                    state + "A",
                    state.substring(0, state.length() - 1),
                    "sluice-ask:",
                    "sluice-ask:1:.",
                    state.replace(":1:", ":2:"))) {
                assertTrue(why(desk.post(back(altered, APPROVE))).contains("was altered"), altered);
            }
            assertEquals(List.of(), desk.posts());
            assertTrue(desk.post(back(state, APPROVE)).toString().contains("done"), "the one that was given is good");
        }
    }

    @Test
    void givenBackByManyAtOnceAtTwoProcesses_countsOnce() throws Exception {
        int many = 16;
        try (Desk one = new Desk("ana");
                Desk two = new Desk("ana")) {
            String answer = back(one.asked(), APPROVE);
            CountDownLatch begin = new CountDownLatch(1);
            List<Thread> threads = IntStream.range(0, many)
                    .mapToObj(i -> Thread.ofVirtual().start(() -> {
                        try {
                            begin.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        (i % 2 == 0 ? one : two)
                                .send(
                                        100 + i,
                                        "tools/call",
                                        params("post", "{'text':'words'}", answer, "desk", "{'elicitation':{}}"));
                    }))
                    .toList();
            begin.countDown();
            List<JsonNode> answers = new ArrayList<>();
            for (Desk desk : List.of(one, two)) {
                for (int i = 0; i < many / 2; i++) {
                    answers.add(desk.next());
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(1, one.posts().size() + two.posts().size());
            assertEquals(
                    1,
                    answers.stream()
                            .filter(each -> each.at("/result/content/0/text")
                                    .asString("")
                                    .equals("done"))
                            .count());
            assertEquals(
                    many - 1,
                    answers.stream()
                            .filter(each ->
                                    each.at("/error/message").asString("").contains("was given back before"))
                            .count(),
                    answers.toString());
        }
    }
}
