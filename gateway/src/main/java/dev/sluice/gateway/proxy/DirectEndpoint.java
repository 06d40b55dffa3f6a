package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.guard.SessionOver;
import dev.sluice.guard.Upstream;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.policy.ServerEra;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * One upstream under its own names; the client's handshake is the upstream's too, where that has one. A modern one is asked
 * what it is instead, and what only legacy revisions have is answered here.
 */
final class DirectEndpoint implements Endpoint {

    private final Connection connection;
    private final Server server;
    private final UpstreamMessages messages;
    private final Log log;
    private volatile JsonNode handshake = JsonNodeFactory.instance.missingNode();
    private volatile JsonNode level = JsonNodeFactory.instance.missingNode();
    private volatile boolean initialized;

    private final Slot.Greeting greeting = new Slot.Greeting() {
        @Override
        public JsonNode handshake() {
            return handshake;
        }

        @Override
        public boolean isReady() {
            return initialized;
        }

        @Override
        public JsonNode level() {
            return level;
        }
    };

    DirectEndpoint(Server server, Upstream upstream, UpstreamLink link, UpstreamMessages messages, Log log) {
        this.server = server;
        this.messages = messages;
        this.log = log;
        this.connection = new Connection(
                upstream, link, messages, server.policy().line().timeout(), ConcurrentHashMap.newKeySet(), log);
        connection.whenRefused(this::refused);
    }

    @Override
    public void start() throws IOException {
        connection.start();
    }

    @Override
    public void plain(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        if (!connection.lane().run(request.bytes().length, () -> byEra(request, answer))) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.UPSTREAM_FAILED,
                            "too much waits to go there; send it again later"));
        }
    }

    private void byEra(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        boolean begins = request.method().equals(Methods.INITIALIZE);
        if (begins) {
            JsonNode params = request.params().map(Value::tree).orElseGet(JsonNodeFactory.instance::missingNode);
            if (ProxySession.isHandshake(params)) {
                handshake = MergedAnswers.handshakeOf(params);
            }
            if (server.policy().line().era() == ServerEra.MODERN) {
                if (connection.era() == Era.MODERN) {
                    answer.accept(request.id(), initializedAlready(request.id()));
                } else {
                    discover(request.id(), why -> refuse(request.id(), why));
                }
                return;
            }
        }
        if (connection.era() == Era.LEGACY) {
            plain(request);
            return;
        }
        switch (request.method()) {
            case Methods.INITIALIZE -> answer.accept(request.id(), initializedAlready(request.id()));
            case Methods.PING ->
                answer.accept(request.id(), RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode()));
            case Methods.SET_LEVEL -> answer.accept(request.id(), level(request));
            default -> plain(request);
        }
    }

    private static byte[] initializedAlready(RpcId id) {
        return RpcWriter.failure(id, RpcWriter.INVALID_REQUEST, "this session is initialized already");
    }

    private void refuse(RpcId id, String why) {
        messages.toClient(id, RpcWriter.failure(id, RpcWriter.UPSTREAM_FAILED, why));
    }

    /** A modern server is told with each request. */
    private byte[] level(RpcMessage.Request request) {
        if (!connection.offers("logging")) {
            return RpcWriter.failure(request.id(), RpcWriter.METHOD_NOT_FOUND, "the server does not log");
        }
        JsonNode params = request.params().map(Value::tree).orElseGet(JsonNodeFactory.instance::missingNode);
        if (!RequestMeta.LOG_LEVELS.contains(params.path("level").asString(""))) {
            return RpcWriter.failure(
                    request.id(),
                    RpcWriter.INVALID_PARAMS,
                    "`level` must be one of " + String.join(", ", RequestMeta.LOG_LEVELS));
        }
        level = params;
        return RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode());
    }

    /** A server that refuses the handshake may be one that has none; where it is not, its refusal stands. */
    private boolean refused(Pending.Plain plain, Runnable otherwise) {
        if (server.policy().line().era() == ServerEra.LEGACY || handshake.isMissingNode()) {
            return false;
        }
        discover(plain.clientId(), why -> {
            messages.say(why);
            otherwise.run();
        });
        return true;
    }

    /**
     * On a thread of its own: what is asked is answered by the one that may have brought the refusal.
     *
     * @param otherwise answers the client where the server is no modern one; takes why
     */
    private void discover(RpcId id, Consumer<String> otherwise) {
        Thread.ofVirtual().name("discover-" + server.policy().name()).start(() -> {
            if (isBegun(id, otherwise)) {
                connection.listen();
            }
        });
    }

    private boolean isBegun(RpcId id, Consumer<String> otherwise) {
        try {
            return discovered(id, otherwise);
        } catch (SessionOver e) {
            refuse(id, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            log.fault(
                    LogEvent.UPSTREAM_FAULT,
                    "beginning a line to `" + server.policy().name() + "` failed",
                    e);
            refuse(id, "beginning a line to the server failed; the log of sluice says why");
        }
        return false;
    }

    private boolean discovered(RpcId id, Consumer<String> otherwise) {
        String why = "the server `" + server.policy().name() + "` ";
        try {
            Discovery said = connection.discover(greeting, Connection.PATIENCE);
            if (said.word() == Discovery.Word.MODERN) {
                server.standing().speaks(Era.MODERN);
                messages.toClient(id, hello(id));
                return true;
            }
            why += said.why();
        } catch (IOException e) {
            why = String.valueOf(e.getMessage());
        }
        otherwise.accept(why);
        return false;
    }

    private byte[] hello(RpcId id) {
        RpcMessage discovered = connection.handshake().orElseThrow();
        String revision = Discovery.told(handshake.path("protocolVersion").asString(""));
        JsonNode result = discovered.index().root().tree().path("result");
        RpcMessage.Result hello =
                (RpcMessage.Result) RpcMessage.parse(RpcWriter.result(id, Discovery.handshake(result, revision)));
        MessageEdits edits = new MessageEdits(hello);
        messages.handshake(connection.upstream(), hello, edits);
        return edits.apply();
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
        connection.adapt(request, edits);
        RpcId id = connection.idFor(request.id());
        connection.request(id, edits.id(id).apply(), Pending.Plain.of(request, connection));
    }

    @Override
    public Way route(RpcMessage.Request request) {
        if (Methods.isOfTasks(request.method()) && !messages.mayHaveTask(request, connection, false)) {
            return new Nowhere();
        }
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
    public Optional<JsonNode> mirrored(String tool) {
        return connection.mirrored(tool);
    }

    @Override
    public List<Connection> receivers(String method) {
        if (method.equals(Methods.INITIALIZED)) {
            initialized = true;
        }
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
