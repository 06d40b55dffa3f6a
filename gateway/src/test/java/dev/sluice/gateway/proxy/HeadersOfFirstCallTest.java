package dev.sluice.gateway.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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

/** A call that comes before the tools of its server are known: its headers are compared when they are. */
class HeadersOfFirstCallTest {

    /** Ends a wait that would never end; no assertion on speed. */
    private static final long HANG_SECONDS = 60;

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final BlockingQueue<JsonNode> atClient = new LinkedBlockingQueue<>();
    private final ScriptedLink server = new ScriptedLink((link, message) -> {
        if (message instanceof RpcMessage.Request request) {
            link.answer(
                    request,
                    request.method().equals("tools/list")
                            ? json("{'tools':[{'name':'act','inputSchema':{'type':'object','properties':"
                                    + "{'to':{'type':'string','x-mcp-header':'To'}}}}]}")
                            : json("{'content':[]}"));
        }
    });
    private final ModernFront front = new ModernFront(
            new ClientSide() {
                @Override
                public void answer(byte[] message, String request) {
                    atClient.add(JsonMapper.shared().readTree(message));
                }

                @Override
                public boolean send(byte[] message, String request) {
                    return true;
                }

                @Override
                public void finish(String request) {}
            },
            ParkedCalls.LONGEST,
            () -> Optional.of("session"),
            ParkedCalls.Room.FREE,
            log::add);
    private final ProxySession session;

    HeadersOfFirstCallTest() {
        server.listsByScript = true;
        Policy policy = PolicyParser.parse("p.yaml", """
                version: 1
                servers: {a: {era: legacy, tools: {act: {effects: [reads]}}}}
                """);
        Guard guard = new Guard(new MemoryEngine(), policy, Clock.systemUTC(), 0);
        AgentSession agent = new AgentSession("one", "ana", "one", AgentSession.Start.CLEAN, "");
        var _ = guard.open(agent);
        session = ProxySession.shared(
                guard,
                agent,
                front,
                log::add,
                root -> false,
                List.of(new Server(Objects.requireNonNull(policy.servers().get("a")), principal -> server)),
                ModernFront.handshake(RequestMeta.of(call()).orElseThrow()),
                Watch.NONE);
        front.connect(session);
    }

    @AfterEach
    void close() {
        front.close();
        session.close();
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static RpcMessage.Request call() {
        return (RpcMessage.Request) RpcMessage.parse(
                json("{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'act','arguments':"
                                + "{'to':'ana'},'_meta':{'" + RequestMeta.VERSION + "':'2026-07-28','"
                                + RequestMeta.CAPABILITIES + "':{}}}}")
                        .getBytes(StandardCharsets.UTF_8));
    }

    private JsonNode answer() throws InterruptedException {
        return Objects.requireNonNull(atClient.poll(HANG_SECONDS, TimeUnit.SECONDS), log::toString);
    }

    private boolean called() {
        return server.got.stream().anyMatch(each -> each.contains("tools/call"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eve", "ana,ana"})
    void callWhoseHeadersDiffer_isRefused_andNotForwarded(String sent) throws Exception {
        List<String> values = sent.isEmpty() ? List.of() : List.of(sent.split(","));
        assertEquals(0, server.got.size(), "nothing is known yet");
        front.fromClient(front.admitted(call(), name -> values));
        JsonNode answer = answer();
        assertEquals(-32020, answer.at("/error/code").asInt(), answer.toString());
        assertTrue(answer.at("/error/message").asString("").contains("Mcp-Param-To"), answer.toString());
        assertFalse(called(), server.got.toString());
    }

    @Test
    void callWhoseHeadersAreRight_goesOn() throws Exception {
        front.fromClient(front.admitted(call(), name -> name.equals("Mcp-Param-To") ? List.of("ana") : List.of()));
        assertTrue(answer().path("result").isObject());
        assertTrue(called(), server.got.toString());
    }

    @Test
    void callWithoutHeaders_isNotCompared() throws Exception {
        front.fromClient(front.admitted(call()));
        assertTrue(answer().path("result").isObject());
    }
}
