package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.AgentSession;
import dev.sluice.guard.Guard;
import dev.sluice.policy.Policy;
import dev.sluice.policy.PolicyParser;
import dev.sluice.store.MemoryEngine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** Answers of a legacy client that come at the same time, to what a modern server asked together. */
class InputRoundsTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private static final String FORM = "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\"}}";

    private final BlockingQueue<JsonNode> came = new LinkedBlockingQueue<>();

    /** What is done while the first line about something held back is logged. */
    private final AtomicReference<Runnable> atRefusal = new AtomicReference<>(() -> {});

    private final PlayedLink link = PlayedLink.modern((played, request) -> played.answer(
            request,
            request.params().orElseThrow().member("inputResponses").isPresent()
                    ? "{\"content\":[]}"
                    : "{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":" + FORM + ",\"b\":" + FORM + "}}"));

    private final ClientSide client = new ClientSide() {
        @Override
        public void answer(byte[] message, String request) {
            came.add(JsonMapper.shared().readTree(message));
        }

        @Override
        public boolean send(byte[] message, String request) {
            return came.add(JsonMapper.shared().readTree(message));
        }

        @Override
        public void finish(String request) {}
    };

    private static void say(ProxySession session, String message) {
        session.fromClient(message.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode next() throws InterruptedException {
        return Objects.requireNonNull(came.poll(HANG_SECONDS, TimeUnit.SECONDS), "nothing came");
    }

    @Test
    void errorToOneQuestion_endsTheCall_whenTheOtherIsAnsweredAtTheSameTime() throws Exception {
        Policy policy = PolicyParser.parse("p.yaml", """
                version: 1
                servers:
                  a:
                    defaults: {integrity: trusted, confidentiality: public}
                    tools: {act: {effects: [reads]}}
                """);
        Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
        var _ = guard.open(agent);
        Server server = new Server(Objects.requireNonNull(policy.servers().get("a")), principal -> link);
        try (ProxySession session = ProxySession.shared(
                guard,
                agent,
                client,
                line -> {
                    if (line.contains("answered what the server asks for with an error")) {
                        atRefusal.getAndSet(() -> {}).run();
                    }
                },
                root -> false,
                List.of(server),
                JsonNodeFactory.instance.missingNode(),
                Watch.NONE)) {
            say(
                    session,
                    "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'2025-11-25',"
                            + "'capabilities':{'elicitation':{}},'clientInfo':{'name':'t','version':'1'}}}");
            assertTrue(next().has("result"));
            say(session, "{'jsonrpc':'2.0','method':'notifications/initialized'}");
            say(session, "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':{}}}");
            String first = next().path("id").asString("");
            String second = next().path("id").asString("");
            atRefusal.set(() ->
                    say(session, "{'jsonrpc':'2.0','id':'" + second + "','result':{'action':'accept','content':{}}}"));
            say(session, "{'jsonrpc':'2.0','id':'" + first + "','error':{'code':-1,'message':'no'}}");

            JsonNode answer = next();
            assertTrue(answer.at("/result/isError").asBoolean(false), answer.toString());
            assertEquals(1, link.asked("tools/call").size(), "it is not made again: " + link.got);
        }
    }
}
