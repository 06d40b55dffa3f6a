package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that hold answers of the client's to what a server asked before. */
class InputResponsesTest {

    private static final String POLICY = """
            version: 1
            gateway: {ask: {wait: 0s}}
            servers:
              web:
                defaults: {integrity: untrusted, confidentiality: public}
                tools:
                  act: {effects: [reads]}
              open:
                defaults: {integrity: trusted, confidentiality: public}
              ward:
                defaults: {integrity: trusted, confidentiality: private}
                tools:
                  act: {effects: [reads]}
            """;

    private final Policy policy = PolicyParser.parse("p.yaml", POLICY);
    private final Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
    private final AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
    private final PlayedClient client = PlayedClient.ofAnswers();
    private final List<String> log = new ArrayList<>();
    private final ScriptedLink web = link();

    /** What the server answers to the calls that come next, before it answers as usual. */
    private final Queue<String> next = new ConcurrentLinkedQueue<>();

    private ScriptedLink link() {
        return new ScriptedLink((played, message) -> {
            if (message instanceof RpcMessage.Request request) {
                String scripted = next.poll();
                if (scripted != null) {
                    played.answer(request, scripted.replace('\'', '"'));
                    return;
                }
                played.answer(request, "{\"content\":[{\"type\":\"text\",\"text\":\"a broken arm\"}],\"contents\":[]}");
            }
        });
    }

    private ProxySession session(String server, ScriptedLink link) throws IOException {
        return ProxySession.direct(
                guard,
                agent,
                client,
                log::add,
                why -> {},
                root -> root.equals("file:///state"),
                new Server(Objects.requireNonNull(policy.servers().get(server)), principal -> link),
                Watch.NONE);
    }

    private String ask(ProxySession session, String method, String params) throws InterruptedException {
        String request = "{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':" + params + "}";
        session.fromClient(request.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return client.next();
    }

    @BeforeEach
    void readARecord() throws Exception {
        var _ = guard.open(agent);
        try (ProxySession ward = session("ward", link())) {
            assertTrue(ask(ward, "tools/call", "{'name':'act','arguments':{}}").contains("a broken arm"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'inputResponses':{'a':{'action':'accept','content':{'n':'SECRET'}}}",
                "'inputResponses':{'a':{},'b':'SECRET'}",
                "'inputResponses':'SECRET'",
                "'requestState':'SECRET'"
            })
    void answersInACall_areJudgedAsAModels(String answers) throws Exception {
        try (ProxySession session = session("web", web)) {
            for (String call : List.of("tools/call", "tools/resolve", "resources/read", "prompts/get")) {
                String denied = ask(session, call, "{'name':'act','uri':'x:act','arguments':{}," + answers + "}");
                assertTrue(denied.contains("flow-not-permitted"), denied);
            }
            assertTrue(ask(session, "tools/list", "{" + answers + "}").contains("leave out `inputResponses`"));
            String plain = ask(session, "tools/call", "{'name':'act','arguments':{}}");
            assertTrue(plain.contains("a broken arm"), plain);
        }
        assertTrue(web.got.stream().noneMatch(text -> text.contains("SECRET")), web.got.toString());
    }

    private static final String CALL = "{'name':'act','arguments':{}";

    private static String asks(String method) {
        return "{'resultType':'input_required','requestState':'s','inputRequests':{'k':{'method':'" + method
                + "','params':{'message':'your name?','_meta':{'dev.sluice/label':1,'a':2}}}}}";
    }

    @ParameterizedTest
    @CsvSource({
        "elicitation/create, tools/call, true",
        "elicitation/create, resources/read, true",
        "elicitation/create, prompts/get, true",
        "sampling/createMessage, tools/call, false",
        "roots/list, tools/call, false"
    })
    void answer_isJudgedByWhatWasAsked(String asked, String method, boolean passes) throws Exception {
        String given = ",'requestState':'s','inputResponses':{'k':{'action':'accept','content':{'n':'SECRET'}}}}";
        String call = method.equals("tools/call") ? CALL : "{'arguments':{}";
        try (ProxySession session = session("web", web)) {
            next.add(asks(asked));
            String question = ask(session, method, call + "}");
            assertTrue(question.contains("\"a\":2"), question);
            assertTrue(!question.contains("\"dev.sluice/label\":1"), "nobody speaks in our name: " + question);
            String answer = ask(session, method, call + given);
            assertEquals(passes, web.got.stream().anyMatch(text -> text.contains("SECRET")), answer);
            String again = ask(session, method, call + given);
            assertTrue(again.contains("flow-not-permitted"), "it was asked for once: " + again);
        }
    }

    /** Approves the question that a refusal names. */
    private void approve(String refusal) {
        Matcher named = Pattern.compile("approval ([0-9a-f]+), pending").matcher(refusal);
        assertTrue(named.find(), refusal);
        guard.answer(guard.question(named.group(1)).orElseThrow(), true, "ana");
    }

    @Test
    void callThatIsDenied_usesNothingUpOfWhatItAnswers() throws Exception {
        String call = "{'name':'act','arguments':{'text':'a broken arm'}";
        String given = ",'requestState':'s','inputResponses':{'k':{'action':'accept','content':{'n':'SECRET'}}}}";
        try (ProxySession session = session("web", web)) {
            next.add(asks("elicitation/create"));
            approve(ask(session, "tools/call", call + "}"));
            assertTrue(ask(session, "tools/call", call + "}").contains("your name?"));

            approve(ask(session, "tools/call", call + given));
            String made = ask(session, "tools/call", call + given);
            assertTrue(web.got.stream().anyMatch(text -> text.contains("SECRET")), made);

            String again = ask(session, "tools/call", call + given);
            assertTrue(again.contains("denied `sampling/createMessage`"), "it was asked for once: " + again);
        }
    }

    @Test
    void answersToATask_areJudgedByWhatItAsked() throws Exception {
        String task = "'taskId':'task-786512e2-9e0d'";
        String given = "{" + task + ",'inputResponses':{'k':{'content':'SECRET'}}}";
        try (ProxySession session = session("web", web)) {
            next.add("{'task':{" + task + "}}");
            var _ = ask(session, "tools/call", CALL + "}");
            String early = ask(session, "tasks/update", given);
            assertTrue(early.contains("flow-not-permitted"), early);
            next.add("{" + task + ",'status':'input_required','inputRequests':{'k':{'method':'elicitation/create'}}}");
            String polled = ask(session, "tasks/get", "{" + task + "}");
            assertTrue(polled.contains("input_required"), polled);
            String answer = ask(session, "tasks/update", given);
            assertTrue(web.got.stream().anyMatch(text -> text.contains("SECRET")), answer);
            String again = ask(session, "tasks/update", given);
            assertTrue(again.contains("flow-not-permitted"), again);
        }
    }

    @Test
    void whatAClientSaysOfItselfWithARequest_isNotJudgedAsWhatItSends() throws Exception {
        String meta = ",'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28'"
                + ",'io.modelcontextprotocol/clientInfo':{'name':'a client','version':'1.0'}"
                + ",'io.modelcontextprotocol/clientCapabilities':{}%s}}";
        try (ProxySession session = session("web", web)) {
            String legacy = ask(session, "resources/read", "{'uri':'act'}");
            String modern = ask(session, "resources/read", "{'uri':'act'" + meta.formatted(""));
            assertEquals(legacy.contains("flow-not-permitted"), modern.contains("flow-not-permitted"), modern);
            String plain = ask(session, "prompts/get", "{" + meta.formatted("").substring(1));
            assertTrue(!plain.contains("flow-not-permitted"), plain);
            String other = ask(
                    session,
                    "prompts/get",
                    "{" + meta.formatted(",'note':'a broken arm'").substring(1));
            assertTrue(other.contains("flow-not-permitted"), other);
        }
    }

    @Test
    void answersThatAreNotTrustedAndPublic_areNotCached() throws Exception {
        String cached = "{'contents':[],'ttlMs':60000,'cacheScope':'public'}";
        try (ProxySession session = session("web", web)) {
            next.add(cached);
            String got = ask(session, "resources/read", "{}");
            assertTrue(got.contains("\"ttlMs\":0") && got.contains("\"cacheScope\":\"private\""), got);
        }
        try (ProxySession open = session("open", link())) {
            next.add(cached);
            String got = ask(open, "resources/read", "{}");
            assertTrue(got.contains("\"ttlMs\":60000") && got.contains("\"cacheScope\":\"public\""), got);
        }
    }

    @Test
    void rootsThatHoldTheState_areNotGivenAwayWithACall() throws Exception {
        try (ProxySession session = session("ward", web)) {
            String given = "{'name':'act','arguments':{},'inputResponses':{'r':{'roots':[{'uri':'file:///%s'}]}}}";
            String refused = ask(session, "tools/call", given.formatted("state"));
            assertTrue(refused.contains("roots hold files that no server may have"), refused);
            String passed = ask(session, "tools/call", given.formatted("other"));
            assertTrue(passed.contains("a broken arm"), passed);
            assertEquals(1, log.stream().filter(line -> line.contains("roots")).count(), log.toString());
        }
    }

    /** It has no label and no record. */
    @ParameterizedTest
    @ValueSource(strings = {"resources/list", "resources/templates/list", "prompts/list", "ping", "logging/setLevel"})
    void answerToAPlainRequest_asksNothing(String method) throws Exception {
        try (ProxySession session = session("web", web)) {
            next.add("{'resources':[],'inputRequests':{'k':{'method':'elicitation/create'}}}");
            String got = ask(session, method, "{}");
            assertTrue(got.contains("asks for something in the answer to `" + method + "`"), got);
            assertTrue(got.contains("\"error\"") && !got.contains("elicitation"), got);
        }
    }
}
