package dev.sluice.mcpjava.enforce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/** Transports that find in the context who asks: what Sluice asks for somebody must not go out in the name of another. */
class AskersTest {

    private static final String FIRST_PAGE = "{'tools':[],'nextCursor':'two'}";

    /** All that went out: the method, and in whose name. */
    private final List<String> sent = new CopyOnWriteArrayList<>();

    private final Clinic clinic = new Clinic(builder -> builder);

    private void note(String method, ContextView context) {
        sent.add(method + " " + context.getOrDefault("who", "nobody"));
    }

    private void await(int messages) throws InterruptedException {
        for (int tries = 0; tries < 600 && sent.size() < messages; tries++) {
            Thread.sleep(100);
        }
    }

    private static byte[] answer(Object id, String result) {
        return ("{'jsonrpc':'2.0','id':'" + id + "','result':" + result + "}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A transport of the first stack, and what it would answer. */
    private final class Noting implements McpClientTransport {
        private final List<JSONRPCRequest> requests = new CopyOnWriteArrayList<>();
        private Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client = message -> message;

        @Override
        public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
            client = handler;
            return Mono.empty();
        }

        @Override
        public Mono<Void> sendMessage(JSONRPCMessage message) {
            return Mono.deferContextual(context -> {
                if (message instanceof JSONRPCRequest request) {
                    requests.add(request);
                    note(request.method(), context);
                } else {
                    note("another", context);
                }
                return Mono.empty();
            });
        }

        void answer(int number, String result) {
            client.apply(Mono.just(LegacyMessages.of(JsonTree.toClient(
                            AskersTest.answer(requests.get(number).id(), result)))))
                    .subscribe();
        }

        @Override
        public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
            return McpJsonDefaults.getMapper().convertValue(data, type);
        }

        @Override
        public Mono<Void> closeGracefully() {
            return Mono.empty();
        }
    }

    @Test
    void secondPageOfTheTools_isAskedForInTheNameOfWhoCalls() throws Exception {
        Noting noting = new Noting();
        GuardedTransport transport = GuardedTransport.of(noting, clinic.conversation, "web");
        transport.connect(message -> message).block();
        transport
                .sendMessage(new JSONRPCRequest("tools/call", "1", Map.of("name", "get", "arguments", Map.of())))
                .contextWrite(context -> context.put("who", "ana"))
                .subscribe();
        await(1);
        transport
                .sendMessage(new JSONRPCNotification("notifications/initialized", Map.of()))
                .contextWrite(context -> context.put("who", "bob"))
                .block();
        noting.answer(0, FIRST_PAGE);
        await(3);
        noting.answer(1, "{'tools':[]}");
        await(4);
        assertEquals(List.of("tools/list ana", "another bob", "tools/list ana", "tools/call ana"), sent);
    }

    @Test
    void secondPageOfTheTools_isAskedForInTheNameOfWhoCalls_inTheModernStack() throws Exception {
        Sinks.One<String> first = Sinks.one();
        GuardedModernTransport transport = GuardedModernTransport.of(
                request -> Flux.deferContextual(context -> {
                    note(request.message().method() + " " + request.protocolVersion(), context);
                    Mono<String> result = sent.size() == 1 ? first.asMono() : Mono.just("{'tools':[],'content':[]}");
                    return result.map(each -> ModernMessages.of(
                                    JsonTree.toClient(answer(request.message().id(), each))))
                            .flux();
                }),
                clinic.conversation,
                "web");
        Mono<Void> calls = exchange(transport, "1", "tools/call", "one", "ana");
        calls.subscribe();
        await(1);
        exchange(transport, "2", "ping", "two", "bob").block();
        first.tryEmitValue(FIRST_PAGE).orThrow();
        await(4);
        assertEquals(List.of("tools/list one ana", "ping two bob", "tools/list one ana", "tools/call one ana"), sent);
    }

    private static Mono<Void> exchange(
            GuardedModernTransport transport, String id, String method, String version, String who) {
        String request =
                "{'jsonrpc':'2.0','id':'" + id + "','method':'" + method + "','params':{'name':'get','arguments':{}}}";
        return transport
                .exchange(McpTransportRequest.builder(
                                (io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest)
                                        ModernMessages.of(JsonTree.toServer(
                                                request.replace('\'', '"').getBytes(StandardCharsets.UTF_8))),
                                version)
                        .name(method.equals("ping") ? null : "get")
                        .build())
                .then()
                .contextWrite(context -> context.put("who", who));
    }
}
