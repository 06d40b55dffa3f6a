package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/** One upstream under its own names; the client's handshake is the upstream's too. */
final class DirectEndpoint implements Endpoint {

    private final Connection connection;

    DirectEndpoint(Upstream upstream, UpstreamLink link, UpstreamMessages messages, Duration timeout, Log log) {
        this.connection = new Connection(upstream, link, messages, timeout, ConcurrentHashMap.newKeySet(), log);
    }

    @Override
    public void start() throws IOException {
        connection.start();
    }

    @Override
    public void plain(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        if (!connection.lane().run(request.bytes().length, () -> plain(request))) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.UPSTREAM_FAILED,
                            "too much waits to go there; send it again later"));
        }
    }

    private void plain(RpcMessage.Request request) {
        MessageEdits edits = new MessageEdits(request);
        request.params().filter(params -> params.kind() == Kind.OBJECT).ifPresent(params -> {
            edits.strip(params);
            if (request.method().equals(Methods.INITIALIZE)) {
                edits.declareExtensions(params);
                params.member("protocolVersion")
                        .filter(version -> version.kind() == Kind.STRING)
                        .ifPresent(
                                version -> edits.text("/params/protocolVersion", Revisions.spoken(version.string())));
            }
        });
        RpcId id = connection.idFor(request.id());
        connection.request(id, edits.id(id).apply(), Pending.Plain.of(request, connection));
    }

    @Override
    public Way route(RpcMessage.Request request) {
        boolean call = request.method().equals(Methods.TOOLS_CALL);
        String name = Methods.isOfOneTool(request.method())
                ? request.params()
                        .flatMap(params -> params.pointer("/name"))
                        .filter(value -> value.kind() == Kind.STRING)
                        .map(Value::string)
                        .orElse("")
                : "";
        return new Route(connection, name, "", call);
    }

    @Override
    public List<Connection> receivers(String method) {
        return List.of(connection);
    }

    @Override
    public List<Connection> connections() {
        return List.of(connection);
    }

    @Override
    public void close() {
        connection.close();
    }
}
