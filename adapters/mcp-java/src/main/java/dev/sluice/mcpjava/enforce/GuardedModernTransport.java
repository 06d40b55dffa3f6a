package dev.sluice.mcpjava.enforce;

import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Line;
import dev.sluice.guard.client.Step;
import dev.sluice.guard.client.ToServer;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCMessage;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCRequest;
import io.modelcontextprotocol.modern.JsonRpc.JSONRPCResponse;
import io.modelcontextprotocol.modern.client.transport.McpClientTransport;
import io.modelcontextprotocol.modern.client.transport.McpTransportRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The transport of a client of revision 2026-07-28, with policy enforced on every message: give it to the modern {@code
 * McpClient.sync} or {@code McpClient.async} in place of the transport that it wraps.
 *
 * <p>Needs version 2.2 of the SDK; {@link GuardedTransport} does not.
 */
public final class GuardedModernTransport implements McpClientTransport {

    /** How long the server may take for what it is asked by the line itself. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String REVISION = "2026-07-28";

    private final McpClientTransport transport;
    private final Line line;

    private GuardedModernTransport(McpClientTransport transport, Conversation conversation, String server) {
        this.transport = transport;
        this.line = conversation.connect(server, message -> send(message, REVISION, Context.empty()));
    }

    /**
     * Wraps {@code transport}, which nobody else may use then, for one client.
     *
     * @param conversation the conversation that the client's calls belong to
     * @param server the server's name in the policy
     * @throws IllegalArgumentException where no server can have that name
     */
    public static GuardedModernTransport of(McpClientTransport transport, Conversation conversation, String server) {
        return new GuardedModernTransport(transport, conversation, server);
    }

    @Override
    public Flux<JSONRPCMessage> exchange(McpTransportRequest request) {
        return Flux.deferContextual(asked -> {
            byte[] bytes = bytes(request.message());
            ToServer carrier = own -> send(own, request.protocolVersion(), asked);
            return Mono.fromCompletionStage(() -> line.fromClient(bytes, carrier))
                    .flatMapMany(step -> act(step, request))
                    .doFinally(signal -> line.forget(bytes));
        });
    }

    private Flux<JSONRPCMessage> act(Step step, McpTransportRequest request) {
        if (step instanceof Step.Reply reply) {
            return Flux.just(ModernMessages.of(JsonTree.toClient(reply.message())));
        }
        if (!(step instanceof Step.Pass pass)) {
            return Flux.empty();
        }
        JSONRPCRequest message = (JSONRPCRequest) ModernMessages.of(JsonTree.toServer(pass.message()));
        Map<String, String> headers = request.paramHeaders();
        if (headers != null && !headers.isEmpty() && !arguments(message).equals(arguments(judged(request)))) {
            // The headers repeat arguments, and the server would refuse what differs from them.
            return Flux.error(new IllegalStateException(
                    "a handle can't stand in an argument that is repeated in a header; reveal its value first"));
        }
        return transport
                .exchange(McpTransportRequest.builder(message, request.protocolVersion())
                        .name(request.name())
                        .paramHeaders(headers)
                        .roundTimeout(request.roundTimeout())
                        .build())
                .concatMap(this::fromServer);
    }

    private static JSONRPCRequest judged(McpTransportRequest request) {
        return (JSONRPCRequest) ModernMessages.of(JsonTree.toServer(bytes(request.message())));
    }

    private static Object arguments(JSONRPCRequest request) {
        return request.params() instanceof Map<?, ?> params
                ? Objects.requireNonNullElse(params.get("arguments"), Map.of())
                : Map.of();
    }

    /** A server of this revision asks nothing on its own, so nothing is answered to it either. */
    private Flux<JSONRPCMessage> fromServer(JSONRPCMessage message) {
        byte[] bytes;
        try {
            bytes = bytes(message);
        } catch (RuntimeException e) {
            if (!(message instanceof JSONRPCResponse response) || response.id() == null) {
                return Flux.empty();
            }
            bytes = JsonTree.unreadable(response.id());
        }
        return line.fromServer(bytes) instanceof Step.Pass pass
                ? Flux.just(ModernMessages.of(JsonTree.toClient(pass.message())))
                : Flux.empty();
    }

    /**
     * Sends a message of the line's own. One that takes a request back needs no sending: the exchange of that is over then.
     *
     * @param version what the client speaks, as it said with what made the message necessary
     * @param asked in what context it sent that: some transports find there who asks
     */
    private CompletionStage<?> send(byte[] message, String version, ContextView asked) {
        if (!(ModernMessages.of(JsonTree.toServer(message)) instanceof JSONRPCRequest request)) {
            return CompletableFuture.completedFuture(null);
        }
        return transport
                .exchange(McpTransportRequest.builder(request, version)
                        .roundTimeout(PATIENCE)
                        .build())
                .concatMap(this::fromServer)
                .then()
                .contextWrite(asked)
                .toFuture();
    }

    private static byte[] bytes(JSONRPCMessage message) {
        return ModernMessages.bytes(message, value -> value);
    }

    @Override
    public boolean mirrorsToolParams() {
        return transport.mirrorsToolParams();
    }
}
