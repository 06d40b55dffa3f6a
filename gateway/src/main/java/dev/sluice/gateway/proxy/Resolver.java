package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.guard.Edit;
import dev.sluice.guard.Inbound;
import dev.sluice.guard.ToolResolver;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Asks the upstream of a call what the call does, with the bytes that the call would have as its arguments.
 *
 * @param request the call
 * @param name the tool's name there
 */
record Resolver(RpcMessage.Request request, Connection connection, String name, Log log) implements ToolResolver {

    @Override
    public CompletionStage<JsonNode> resolve(List<Edit> expanded) {
        RpcMessage call =
                RpcMessage.parse(MessageEdits.toServer(request).expand(expanded).apply());
        String arguments =
                call.index().root().pointer("/params/arguments").map(Value::raw).orElse("{}");
        String params = "{\"name\":" + JsonNodeFactory.instance.stringNode(name) + ",\"arguments\":" + arguments + "}";
        return connection.askLater(Inbound.Resolve.METHOD, params, within()).thenCompose(answer -> answered(answer));
    }

    private static CompletionStage<JsonNode> answered(RpcMessage answer) {
        if (answer instanceof RpcMessage.Result result) {
            return CompletableFuture.completedFuture(result.result().tree());
        }
        return isOfArguments(answer)
                ? CompletableFuture.completedFuture(JsonNodeFactory.instance.missingNode())
                : CompletableFuture.failedFuture(new IllegalStateException("the server answered with an error"));
    }

    /** Which arguments a call has is the client's doing, and says nothing of how well the server answers others. */
    private static boolean isOfArguments(RpcMessage answer) {
        return answer instanceof RpcMessage.Failure failure
                && failure.error().tree().path("code").asInt(0) == RpcWriter.INVALID_PARAMS;
    }

    @Override
    public void say(String line) {
        log.line(line);
    }
}
