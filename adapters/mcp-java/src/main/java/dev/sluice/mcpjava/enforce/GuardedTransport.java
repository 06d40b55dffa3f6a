package dev.sluice.mcpjava.enforce;

import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Line;
import dev.sluice.guard.client.Step;
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

/**
 * The transport of a client, with policy enforced on every message: give it to {@code McpClient.sync} or {@code
 * McpClient.async} in place of the transport that it wraps. For the revisions of MCP that begin with {@code initialize}.
 *
 * <p>A denied call of a tool comes back as a result with {@code isError}; other denied requests as errors. Calls that wait for
 * a person or for a lookup hold up nothing but themselves; the client's {@code requestTimeout} must be longer than such a
 * wait, or the client gives up on a call that may still be made.
 */
public final class GuardedTransport implements McpClientTransport {

    private static final TypeRef<Object> PLAIN = new TypeRef<>() {};
    private static final System.Logger LOG = System.getLogger("dev.sluice");

    private final McpClientTransport transport;
    private final Line line;

    private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> client;

    private GuardedTransport(McpClientTransport transport, Conversation conversation, String server) {
        this.transport = transport;
        this.line = conversation.connect(server, message -> send(message, Context.empty()));
    }

    /**
     * Wraps {@code transport}, which nobody else may use then, for one client.
     *
     * @param conversation the conversation that the client's calls belong to
     * @param server the server's name in the policy
     * @throws IllegalArgumentException where no server can have that name
     */
    public static GuardedTransport of(McpClientTransport transport, Conversation conversation, String server) {
        return new GuardedTransport(transport, conversation, server);
    }

    @Override
    public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
        client = handler;
        return transport.connect(message -> message.flatMap(this::fromServer).transform(handler));
    }

    private Mono<JSONRPCMessage> fromServer(JSONRPCMessage message) {
        byte[] bytes;
        try {
            bytes = bytes(message);
        } catch (RuntimeException e) {
            if (!(message instanceof JSONRPCResponse response) || response.id() == null) {
                return Mono.empty();
            }
            bytes = JsonTree.unreadable(response.id());
        }
        Step step = line.fromServer(bytes);
        // A fault would end what comes in, for good.
        if (step instanceof Step.Pass pass) {
            return Mono.fromCallable(() -> LegacyMessages.of(JsonTree.toClient(pass.message())))
                    .onErrorResume(fault -> undelivered(message));
        }
        return step instanceof Step.Reply reply
                ? Mono.defer(() -> transport.sendMessage(LegacyMessages.of(JsonTree.toServer(reply.message()))))
                        .onErrorResume(fault -> {
                            LOG.log(System.Logger.Level.WARNING, "a server can't be told why it was refused", fault);
                            return Mono.empty();
                        })
                        .then(Mono.empty())
                : Mono.empty();
    }

    /** Whoever waits for an answer that the SDK can't be given must not wait for ever. */
    private static Mono<JSONRPCMessage> undelivered(JSONRPCMessage message) {
        return message instanceof JSONRPCResponse response && response.id() != null
                ? Mono.just(LegacyMessages.of(JsonTree.toClient(JsonTree.unreadable(response.id()))))
                : Mono.empty();
    }

    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
        return Mono.deferContextual(asked -> {
            byte[] bytes = bytes(message);
            return Mono.fromCompletionStage(() -> line.fromClient(bytes, own -> send(own, asked)))
                    .flatMap(step -> act(step, bytes));
        });
    }

    private Mono<Void> act(Step step, byte[] message) {
        if (step instanceof Step.Pass pass) {
            return Mono.defer(() -> transport.sendMessage(LegacyMessages.of(JsonTree.toServer(pass.message()))))
                    .doOnError(fault -> line.forget(message));
        }
        if (step instanceof Step.Reply reply) {
            Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler = client;
            return handler == null
                    ? Mono.error(new IllegalStateException("connect before sending"))
                    : Mono.just(LegacyMessages.of(JsonTree.toClient(reply.message())))
                            .transform(handler)
                            .then();
        }
        return Mono.empty();
    }

    /**
     * Sends a message of the line's own.
     *
     * @param asked in what context the client sent what made it necessary: some transports find the revision or who asks there
     */
    private CompletionStage<?> send(byte[] message, ContextView asked) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        transport
                .sendMessage(LegacyMessages.of(JsonTree.toServer(message)))
                .contextWrite(asked)
                .subscribe(nothing -> {}, sent::completeExceptionally, () -> sent.complete(null));
        return sent;
    }

    private byte[] bytes(JSONRPCMessage message) {
        return LegacyMessages.bytes(message, value -> value == null ? null : transport.unmarshalFrom(value, PLAIN));
    }

    @Override
    public void setExceptionHandler(Consumer<Throwable> handler) {
        transport.setExceptionHandler(handler);
    }

    @Override
    public Mono<Void> closeGracefully() {
        return transport.closeGracefully().doFinally(signal -> line.close());
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
