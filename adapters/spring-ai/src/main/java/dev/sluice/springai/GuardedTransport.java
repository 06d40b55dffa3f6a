package dev.sluice.springai;

import dev.sluice.guard.client.Passage;
import dev.sluice.guard.client.Step;
import dev.sluice.guard.client.ToServer;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The transport of an MCP client, with policy enforced on every message. Made by {@link Sluice#guard}. */
final class GuardedTransport implements McpClientTransport {

    private static final TypeRef<Object> PLAIN = new TypeRef<>() {};

    private final McpClientTransport transport;
    private final Passage passage;
    private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client;

    GuardedTransport(McpClientTransport transport, Function<ToServer, Passage> passage) {
        this.transport = transport;
        this.passage = passage.apply(this::send);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        client = handler;
        return transport.connect(message -> message.flatMap(this::fromServer).transform(handler));
    }

    private Mono<JSONRPCMessage> fromServer(JSONRPCMessage message) {
        Step step = passage.fromServer(bytes(message));
        if (step instanceof Step.Pass pass) {
            return Mono.just(Messages.toClient(pass.message()));
        }
        return step instanceof Step.Reply reply
                ? transport.sendMessage(Messages.toServer(reply.message())).then(Mono.empty())
                : Mono.empty();
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.defer(() -> {
            byte[] bytes = bytes(message);
            return Mono.fromCompletionStage(() -> passage.fromClient(bytes)).flatMap(step -> act(step, bytes));
        });
    }

    private Mono<Void> act(Step step, byte[] message) {
        if (step instanceof Step.Pass pass) {
            return transport.sendMessage(Messages.toServer(pass.message())).doOnError(fault -> passage.forget(message));
        }
        if (step instanceof Step.Reply reply) {
            Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = client;
            return handler == null
                    ? Mono.error(new IllegalStateException("connect before sending"))
                    : Mono.just(Messages.toClient(reply.message()))
                            .transform(handler)
                            .then();
        }
        return Mono.empty();
    }

    /** A message of Sluice's own. */
    private CompletionStage<?> send(byte[] message) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        transport
                .sendMessage(Messages.toServer(message))
                .subscribe(nothing -> {}, sent::completeExceptionally, () -> sent.complete(null));
        return sent;
    }

    private byte[] bytes(JSONRPCMessage message) {
        return Messages.bytes(message, value -> value == null ? null : transport.unmarshalFrom(value, PLAIN));
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        transport.setExceptionHandler(handler);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully().doFinally(signal -> passage.close());
    }

    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
        return transport.unmarshalFrom(data, type);
    }

    @Override
    public List<String> protocolVersions() {
        return transport.protocolVersions();
    }
}
