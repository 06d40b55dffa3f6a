package dev.sluice.guard.client;

import dev.sluice.guard.Edit;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.ToolResolver;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** What Sluice asks the server of a line itself. The client hears nothing of it. */
final class OwnRequests {

    /** How long an answer may take. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Unanswered unanswered;
    private final String server;

    /** No client has ids that begin so, by chance or otherwise. */
    private final String prefix;

    private final AtomicLong count = new AtomicLong();

    /** The server answered, and not with what was asked for: it would again. */
    static final class Useless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Useless(String message) {
            super(message);
        }
    }

    OwnRequests(Unanswered unanswered, String server) {
        this.unanswered = unanswered;
        this.server = server;
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        this.prefix = "sluice-" + HexFormat.of().formatHex(random) + "-";
    }

    /** Returns whether an id is one that requests of Sluice's own have. */
    boolean isOurs(RpcId id) {
        return id.key().startsWith("s" + prefix);
    }

    /**
     * Asks something.
     *
     * @param params the parameters, as JSON text
     * @param toServer carries it, on behalf of whoever made it necessary
     * @return completes with the answer, on the thread that brings it; with a fault where none comes in that time
     */
    CompletableFuture<RpcMessage> ask(String method, String params, Duration within, ToServer toServer) {
        CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
        RpcId id = RpcId.ofText(prefix + count.incrementAndGet());
        if (!unanswered.enterOwn(id, answer)) {
            return CompletableFuture.failedFuture(new IllegalStateException("too much is asked of `" + server + "`"));
        }
        send(RpcWriter.request(id, method, params), toServer).whenComplete((sent, fault) -> {
            if (fault != null) {
                answer.completeExceptionally(fault);
            }
        });
        return answer.orTimeout(within.toMillis(), TimeUnit.MILLISECONDS).whenComplete((came, fault) -> {
            if (fault != null && unanswered.take(id).isPresent()) {
                send(
                        ("{\"jsonrpc\":\"2.0\",\"method\":\"" + Methods.CANCELLED + "\",\"params\":{\"requestId\":"
                                        + id.json() + ",\"reason\":\"nobody waits for it any more\"}}")
                                .getBytes(StandardCharsets.UTF_8),
                        toServer);
            }
        });
    }

    private static CompletionStage<?> send(byte[] message, ToServer toServer) {
        try {
            return toServer.send(message);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns what asks the server what a call does, with the bytes that the call would have as its arguments. */
    ToolResolver resolver(RpcMessage.Request request, String tool, ToServer toServer, Consumer<String> told) {
        return new ToolResolver() {
            @Override
            public CompletionStage<JsonNode> resolve(List<Edit> expanded) {
                RpcMessage call = RpcMessage.parse(
                        MessageEdits.toServer(request).expand(expanded).apply());
                String arguments = call.index()
                        .root()
                        .pointer("/params/arguments")
                        .map(Value::raw)
                        .orElse("{}");
                JsonNode meta = Definitions.meta(request);
                String params = "{" + (meta.isEmpty() ? "" : "\"_meta\":" + meta + ",") + "\"name\":"
                        + JsonNodeFactory.instance.stringNode(tool) + ",\"arguments\":" + arguments + "}";
                return ask(Inbound.Resolve.METHOD, params, within(), toServer).thenCompose(OwnRequests::resolved);
            }

            @Override
            public void say(String line) {
                told.accept(line);
            }
        };
    }

    private static CompletionStage<JsonNode> resolved(RpcMessage answer) {
        if (answer instanceof RpcMessage.Result result) {
            return CompletableFuture.completedFuture(result.result().tree());
        }
        // Which arguments a call has is the client's doing, and says nothing of how well the server answers others.
        boolean ofArguments = answer instanceof RpcMessage.Failure failure
                && failure.error().tree().path("code").asInt(0) == RpcWriter.INVALID_PARAMS;
        return ofArguments
                ? CompletableFuture.completedFuture(JsonNodeFactory.instance.missingNode())
                : CompletableFuture.failedFuture(new IllegalStateException("the server answered with an error"));
    }
}
