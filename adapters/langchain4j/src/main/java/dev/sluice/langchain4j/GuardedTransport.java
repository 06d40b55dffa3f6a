package dev.sluice.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.mcp.client.McpCallContext;
import dev.langchain4j.mcp.client.transport.McpOperationHandler;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.protocol.McpClientMessage;
import dev.langchain4j.mcp.protocol.McpInitializeRequest;
import dev.sluice.guard.client.Conversation;
import dev.sluice.guard.client.Passage;
import dev.sluice.guard.client.SharedLine;
import dev.sluice.guard.client.Step;
import dev.sluice.guard.client.ToServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transport that gives every message, in both directions, to what judges it, and does what that says.
 *
 * <p>Messages of the server come from the wrapped transport through a {@link Handler} in place of the client's own.
 */
final class GuardedTransport implements McpTransport {

    private static final System.Logger LOG = System.getLogger("dev.sluice");

    private final McpTransport transport;
    private final AgentGuard guard;
    private final Passage passage;

    /** What the wrapped transport waits for, by the ids of the client's requests. */
    private final Map<Long, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();

    /** Under these the wrapped transport waits for answers to Sluice itself, which never come to it. */
    private final AtomicLong ownIds = new AtomicLong();

    private volatile @Nullable Opening opening;

    /** What opened the connection, as the client asked for it. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares these
    private record Opening(Long id, byte[] message) {}

    GuardedTransport(McpTransport transport, AgentGuard guard, Function<ToServer, Passage> passage) {
        this.transport = transport;
        this.guard = guard;
        this.passage = passage.apply(message -> send(null, message));
    }

    /** Where conversations share the connection, that of the memory id is the message's. */
    private CompletionStage<Step> fromClient(@Nullable InvocationContext context, byte[] message) {
        if (passage instanceof SharedLine shared) {
            Optional<Conversation> conversation = guard.conversationOf(context);
            if (conversation.isPresent()) {
                return shared.fromClient(conversation.get(), message, own -> send(context, own));
            }
        }
        return passage.fromClient(message, own -> send(context, own));
    }

    @Override
    public void start(McpOperationHandler client) {
        transport.start(new Handler(client));
    }

    @Override
    public CompletableFuture<JsonNode> initialize(McpInitializeRequest request) {
        byte[] message = Messages.bytes(request);
        opening = null;
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        passage.fromClient(message)
                .thenAccept(step -> pass(step, message, answer, null, passed -> {
                    CompletableFuture<JsonNode> opened =
                            transport.initialize(new Messages.RawInitialize(passed, request.getId()));
                    opening = new Opening(request.getId(), message);
                    return opened;
                }))
                .whenComplete((nothing, fault) -> failed(fault, answer));
        return answer;
    }

    @Override
    public CompletableFuture<JsonNode> executeOperationWithResponse(McpClientMessage request) {
        return executeOperationWithResponse(new McpCallContext(null, request));
    }

    @Override
    public CompletableFuture<JsonNode> executeOperationWithResponse(McpCallContext context) {
        byte[] message = Messages.bytes(context.message());
        ToolCall call = ToolCall.current();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        if (call != null) {
            call.judged();
        }
        fromClient(context.invocationContext(), message)
                .thenAccept(step -> pass(
                        step,
                        message,
                        answer,
                        call,
                        passed -> transport.executeOperationWithResponse(new McpCallContext(
                                context.invocationContext(),
                                new Messages.Raw(passed, context.message().getId(), context.message())))))
                .whenComplete((nothing, fault) -> failed(fault, answer));
        return answer;
    }

    private void pass(
            Step step,
            byte[] message,
            CompletableFuture<JsonNode> answer,
            @Nullable ToolCall call,
            Function<byte[], CompletableFuture<JsonNode>> send) {
        if (step instanceof Step.Pass pass) {
            sent(send, pass.message()).whenComplete((came, fault) -> {
                if (fault == null) {
                    answer.complete(came);
                } else {
                    passage.forget(message);
                    answer.completeExceptionally(fault);
                }
            });
        } else if (step instanceof Step.Reply reply) {
            if (call != null) {
                call.denied(Messages.textOf(reply.message()));
            }
            answer.complete(Messages.toClient(reply.message()));
        } else {
            answer.completeExceptionally(new IllegalStateException(((Step.Drop) step).why()));
        }
    }

    private static CompletionStage<JsonNode> sent(Function<byte[], CompletableFuture<JsonNode>> send, byte[] message) {
        try {
            return send.apply(message);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void failed(@Nullable Throwable fault, CompletableFuture<JsonNode> answer) {
        if (fault != null) {
            answer.completeExceptionally(fault);
        }
    }

    @Override
    public void executeOperationWithoutResponse(McpClientMessage message) {
        executeOperationWithoutResponse(new McpCallContext(null, message));
    }

    @Override
    public void executeOperationWithoutResponse(McpCallContext context) {
        McpClientMessage message = context.message();
        fromClient(context.invocationContext(), Messages.bytes(message))
                .thenAccept(step -> {
                    if (step instanceof Step.Pass pass) {
                        transport.executeOperationWithoutResponse(new McpCallContext(
                                context.invocationContext(), new Messages.Raw(pass.message(), null, message)));
                    }
                })
                .exceptionally(fault -> {
                    LOG.log(System.Logger.Level.WARNING, "a message could not be sent", fault);
                    return null;
                });
    }

    /**
     * Sends a message of Sluice's own, whose answer goes to what judges.
     *
     * @param context in what context the agent called what made it necessary: transports make headers of it
     */
    private CompletionStage<?> send(@Nullable InvocationContext context, byte[] message) {
        CompletableFuture<JsonNode> sent = new CompletableFuture<>();
        if (Messages.exact(message).has("id")) {
            CompletionStage<JsonNode> asked = transport.executeOperationWithResponse(
                    new McpCallContext(context, new Messages.Raw(message, ownIds.decrementAndGet(), null)));
            asked.whenComplete((nothing, fault) -> failed(fault, sent));
        } else {
            transport.executeOperationWithoutResponse(
                    new McpCallContext(context, new Messages.Raw(message, null, null)));
        }
        return sent;
    }

    @Override
    public void checkHealth() {
        transport.checkHealth();
    }

    @Override
    public void onFailure(Runnable actionOnFailure) {
        transport.onFailure(actionOnFailure);
    }

    @Override
    public void close() throws IOException {
        try {
            transport.close();
        } finally {
            passage.close();
        }
    }

    /** Stands where the wrapped transport has the client's handler. */
    private final class Handler extends McpOperationHandler {
        private final McpOperationHandler client;

        Handler(McpOperationHandler client) {
            super(
                    new ConcurrentHashMap<>(),
                    List::of,
                    GuardedTransport.this,
                    message -> {},
                    () -> {},
                    () -> {},
                    () -> {},
                    uri -> {},
                    progress -> {},
                    () -> {},
                    () -> {},
                    (id, reason) -> {});
            this.client = client;
        }

        @Override
        public void startOperation(Long id, CompletableFuture<JsonNode> future) {
            if (id < 0) {
                return;
            }
            Opening before = opening;
            if (before != null && before.id().equals(id)) {
                // The wrapped transport opens the connection anew by itself.
                passage.fromClient(before.message());
            }
            waiting.put(id, future);
        }

        @Override
        public void handle(JsonNode message) {
            Step step = passage.fromServer(Messages.bytes(message));
            if (step instanceof Step.Pass pass) {
                passed(Messages.toClient(pass.message()));
            } else if (step instanceof Step.Reply reply) {
                transport.executeOperationWithoutResponse(new Messages.Raw(reply.message(), null, null));
            }
        }

        private void passed(JsonNode message) {
            if (!message.has("method")) {
                CompletableFuture<JsonNode> answered =
                        waiting.remove(message.path("id").asLong());
                if (answered != null) {
                    answered.complete(message);
                }
            } else if (!isTakingBack(message)) {
                client.handle(message);
            }
        }

        /** LangChain4j would take it for its own request of that id that is taken back, and the reason for its answer. */
        private boolean isTakingBack(JsonNode message) {
            return message.path("method").asText("").equals("notifications/cancelled");
        }

        @Override
        public synchronized void cancelAllPendingOperations(String reason) {
            List<CompletableFuture<JsonNode>> lost = List.copyOf(waiting.values());
            waiting.clear();
            lost.forEach(each -> each.completeExceptionally(
                    new IllegalStateException("the connection to the server failed: " + reason)));
            client.cancelAllPendingOperations(reason);
        }
    }
}
