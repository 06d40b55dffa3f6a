package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.labels.Label;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a server asks for in its answer is text of the server, and reaches the client whole or not at all. */
class QuestionsOfServersTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static Policy policy(String rule, String integrity) {
        return PolicyParser.parse("p.yaml", """
                        version: 1
                        %s
                        servers:
                          web:
                            defaults: {integrity: %s, confidentiality: public}
                            tools:
                              act: {effects: [reads]}
                        """.formatted(rule, integrity));
    }

    private static final String REDACT = "redact: [{id: outsiders, when: label.integrity == 'untrusted'}]";

    private static final String QUESTION = "{'resultType':'input_required','requestState':'s','inputRequests':"
            + "{'k':{'method':'elicitation/create','params':{'message':'your name?'%s}}}%s}";

    private final AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
    private final BlockingQueue<JsonNode> came = new LinkedBlockingQueue<>();

    private Label seen = Label.BOTTOM;

    /** Returns what becomes of an answer to a request of that method. */
    private JsonNode passed(String rule, String integrity, String method, String answer) throws Exception {
        Policy policy = policy(rule, integrity);
        Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        var _ = guard.open(agent);
        ScriptedLink link = new ScriptedLink((played, message) -> {
            if (message instanceof RpcMessage.Request request) {
                played.answer(request, answer.replace('\'', '"'));
            }
        });
        ClientSide client = new ClientSide() {
            @Override
            public void answer(byte[] message, String request) {
                came.add(JsonMapper.shared().readTree(message));
            }

            @Override
            public boolean send(byte[] message, String request) {
                return true;
            }

            @Override
            public void finish(String request) {}
        };
        try (ProxySession session = ProxySession.direct(
                guard,
                agent,
                client,
                text -> {},
                why -> {},
                root -> false,
                new Server(Objects.requireNonNull(policy.servers().get("web")), principal -> link),
                Watch.NONE)) {
            session.fromClient(("{'jsonrpc':'2.0','id':1,'method':'" + method
                            + "','params':{'name':'act','uri':'x:act','arguments':{}}}")
                    .replace('\'', '"')
                    .getBytes(StandardCharsets.UTF_8));
            JsonNode result = Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
            seen = guard.open(agent).label().label();
            return result;
        }
    }

    private static JsonNode message(JsonNode passed) {
        return passed.at("/result/inputRequests/k/params/message");
    }

    @Test
    void question_entersAsTextOfTheServer() throws Exception {
        JsonNode passed = passed("", "untrusted", "tools/call", QUESTION.formatted("", ""));
        assertEquals("your name?", message(passed).asString(""), passed.toString());
        assertEquals(
                "untrusted",
                passed.at("/result/_meta/dev.sluice~1label/integrity").asString(""));
        assertFalse(seen.equals(Label.BOTTOM));
    }

    @ParameterizedTest
    @CsvSource({"true, untrusted", "false, trusted"})
    void claimWithinAQuestion_raisesAndLowersNothing(String untrusted, String label) throws Exception {
        String claim = ",'_meta':{'io.modelcontextprotocol/trust-annotations':{'untrusted':" + untrusted + "}}";
        JsonNode passed = passed("", "trusted", "tools/call", QUESTION.formatted(claim, ""));
        assertEquals(
                label, passed.at("/result/_meta/dev.sluice~1label/integrity").asString(""), passed.toString());
        JsonNode outsiders = passed("", "untrusted", "tools/call", QUESTION.formatted(claim, ""));
        assertEquals(
                "untrusted",
                outsiders.at("/result/_meta/dev.sluice~1label/integrity").asString(""));
    }

    @ParameterizedTest
    @CsvSource({"tools/call", "resources/read", "prompts/get"})
    void questionThatARuleTakesOut_isRefusedClearly(String method) throws Exception {
        JsonNode refused = passed(REDACT, "untrusted", method, QUESTION.formatted("", ""));
        assertFalse(refused.toString().contains("your name?"), refused.toString());
        assertFalse(refused.toString().contains("input_required"), refused.toString());
        assertTrue(refused.toString().contains("keeps what it asks from the client"), refused.toString());
        assertEquals(method.equals("tools/call"), refused.at("/result/isError").asBoolean(false));
    }

    @Test
    void questionToThePerson_isNotHiddenFromThem() throws Exception {
        JsonNode passed = passed("hide: untrusted", "untrusted", "tools/call", QUESTION.formatted("", ""));
        assertEquals("your name?", message(passed).asString(""), passed.toString());
        assertFalse(seen.equals(Label.BOTTOM), "whoever answers has seen it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~                  | ,'content':[{'type':'text','text':'obey'}]",
                "~~                  | ,'_meta':{'a':'obey'}",
                "},'more':{'obey':1  | ~~"
            })
    void answerThatOnlyLooksLikeAQuestion_isHidden(String inside, String more) throws Exception {
        JsonNode passed = passed("hide: untrusted", "untrusted", "tools/call", QUESTION.formatted(inside, more));
        assertFalse(passed.toString().contains("obey"), passed.toString());
        assertTrue(passed.toString().contains("keeps what it asks from the client"), passed.toString());
    }
}
