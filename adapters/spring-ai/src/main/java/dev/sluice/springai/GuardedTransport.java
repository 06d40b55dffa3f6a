package dev.sluice.springai;

import dev.sluice.guard.client.Passage;
import dev.sluice.guard.client.Step;
import dev.sluice.guard.client.ToServer;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The transport of an MCP client, with policy enforced on every message. Made by {@link Sluice#guard}. */
final class GuardedTransport implements McpClientTransport {

    private static final TypeRef<Object> PLAIN = new TypeRef<>() {};
    private static final System.Logger LOG = System.getLogger("dev.sluice");

    private final McpClientTransport transport;
    private final Passage passage;

    /** In what context the client asked last, for what is sent since the server said something: some transports look there. */
    private volatile ContextView last = Context.empty();

    private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client;

    GuardedTransport(McpClientTransport transport, Function<ToServer, Passage> passage) {
        this.transport = transport;
        this.passage = passage.apply(message -> send(message, last));
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        client = handler;
        return transport.connect(message -> message.flatMap(this::fromServer).transform(handler));
    }

    /** A fault would end what comes in for all conversations, so there is none. */
    private Mono<JSONRPCMessage> fromServer(JSONRPCMessage message) {
        byte[] bytes;
        try {
            bytes = bytes(message);
        } catch (RuntimeException e) {
            JSONRPCResponse unreadable = unreadable(message);
            if (unreadable == null) {
                return Mono.empty();
            }
            bytes = Messages.bytes(unreadable, value -> value);
        }
        Step step = passage.fromServer(bytes);
        if (step instanceof Step.Pass pass) {
            try {
                return Mono.just(Messages.toClient(pass.message()));
            } catch (RuntimeException e) {
                return Mono.justOrEmpty(unreadable(message));
            }
        }
        if (!(step instanceof Step.Reply reply)) {
            return Mono.empty();
        }
        return Mono.defer(() -> transport.sendMessage(Messages.toServer(reply.message())))
                .contextWrite(here -> Context.of(last).putAll(here.readOnly()))
                .onErrorResume(fault -> {
                    LOG.log(System.Logger.Level.WARNING, "a server can't be told why it was refused", fault);
                    return Mono.empty();
                })
                .then(Mono.empty());
    }

    /** Returns an error in the place of an answer, since whoever waits for it must not wait for ever; null for all else. */
    private static @Nullable JSONRPCResponse unreadable(JSONRPCMessage message) {
        return message instanceof JSONRPCResponse response && response.id() != null
                ? new JSONRPCResponse(
                        "2.0",
                        response.id(),
                        null,
                        new JSONRPCResponse.JSONRPCError(-32603, "the answer can't be read", null))
                : null;
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.deferContextual(context -> {
            byte[] bytes = bytes(message);
            last = context;
            return Mono.fromCompletionStage(() -> passage.fromClient(bytes, own -> send(own, context)))
                    .flatMap(step -> act(step, bytes));
        });
    }

    private Mono<Void> act(Step step, byte[] message) {
        if (step instanceof Step.Pass pass) {
            return Mono.defer(() -> transport.sendMessage(Messages.toServer(pass.message())))
                    .doOnError(fault -> passage.forget(message));
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

    /**
     * Sends a message of Sluice's own.
     *
     * @param asked in what context the client sent what made it necessary: transports find the revision and who asks there
     */
    private CompletionStage<?> send(byte[] message, ContextView asked) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        transport
                .sendMessage(Messages.toServer(message))
                .contextWrite(asked)
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
