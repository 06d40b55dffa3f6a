package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.jsonrpc.RpcId;
import dev.sluice.gateway.jsonrpc.RpcMessage;
import dev.sluice.gateway.jsonrpc.RpcWriter;
import dev.sluice.guard.Guard;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Any number of upstreams behind one endpoint: Sluice shakes hands with each itself, and answers lists from all of them.
 *
 * <p>An upstream that can't be started or does not answer is left out, and said so in the log; the others go on. One that
 * ended is started again when it is needed next.
 */
final class SharedEndpoint implements Endpoint {

    private final List<Slot> slots;
    private final Names names;
    private final MergedAnswers merged;
    private final Log log;
    private final Map<String, Slot> resources = new ConcurrentHashMap<>();
    private volatile JsonNode handshake;
    private volatile boolean initialized;

    /** The place of one upstream: its line while it is open. */
    private final class Slot {
        private final Server server;
        private final Guard guard;
        private final UpstreamMessages messages;
        private @Nullable Connection open;
        private boolean closed;

        Slot(Server server, Guard guard, UpstreamMessages messages) {
            this.server = server;
            this.guard = guard;
            this.messages = messages;
        }

        String name() {
            return server.policy().name();
        }

        /** Returns the line, opened and with the handshake done; empty where the upstream can't be had. */
        synchronized Optional<Connection> line() {
            if (closed) {
                return Optional.empty();
            }
            if (open != null && !open.hasEnded()) {
                return Optional.of(open);
            }
            Connection fresh = new Connection(guard.connect(server.policy()), server.link(), messages, log);
            try {
                fresh.start();
                RpcMessage answer = fresh.ask(Methods.INITIALIZE, handshake);
                if (!(answer instanceof RpcMessage.Result)) {
                    throw new IOException("the server `" + name() + "` refused the handshake");
                }
                fresh.handshake(answer);
                if (initialized) {
                    fresh.send(MergedAnswers.INITIALIZED);
                }
                open = fresh;
                return Optional.of(fresh);
            } catch (IOException e) {
                log.line(e.getMessage() + "; it is left out");
                fresh.close();
                return Optional.empty();
            }
        }

        synchronized Optional<Connection> ifOpen() {
            return Optional.ofNullable(open).filter(line -> !line.hasEnded());
        }

        synchronized void close() {
            closed = true;
            if (open != null) {
                open.close();
            }
        }
    }

    SharedEndpoint(List<Server> servers, Guard guard, UpstreamMessages messages, Log log, JsonNode resumed) {
        this.slots = servers.stream()
                .map(server -> new Slot(server, guard, messages))
                .toList();
        this.names = new Names(servers.size() > 1);
        this.merged = new MergedAnswers(names, messages);
        this.log = log;
        this.handshake = resumed.isMissingNode() ? resumed : MergedAnswers.handshakeOf(resumed);
        this.initialized = !resumed.isMissingNode();
    }

    @Override
    public void start() {}

    @Override
    public void plain(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        switch (request.method()) {
            case Methods.INITIALIZE -> initialize(request, answer);
            case Methods.PING ->
                answer.accept(request.id(), RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode()));
            case Methods.SET_LEVEL -> {
                lines().stream()
                        .filter(line -> line.offers("logging"))
                        .forEach(line -> askQuietly(line, request.method(), params(request)));
                answer.accept(request.id(), RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode()));
            }
            default -> answer.accept(request.id(), list(request));
        }
    }

    private void initialize(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        if (!handshake.isMissingNode()) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(request.id(), RpcWriter.INVALID_REQUEST, "this session is initialized already"));
            return;
        }
        JsonNode params = params(request);
        if (!params.path("protocolVersion").isString()
                || !params.path("capabilities").isObject()) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.INVALID_PARAMS,
                            "`initialize` must have `protocolVersion` and `capabilities`"));
            return;
        }
        handshake = MergedAnswers.handshakeOf(params);
        answer.accept(request.id(), merged.initialize(request.id(), handshake, lines()));
    }

    private byte[] list(RpcMessage.Request request) {
        List<MergedAnswers.Page> pages = new ArrayList<>();
        for (Slot slot : slots) {
            slot.line().ifPresent(line -> pages.addAll(merged.pages(line, request.method())));
        }
        if (request.method().equals(Methods.RESOURCES_LIST)) {
            pages.forEach(page -> page.items()
                    .forEach(item -> item.member("uri")
                            .filter(uri -> uri.kind() == Kind.STRING)
                            .ifPresent(uri -> resources.putIfAbsent(uri.string(), slot(page.line())))));
        }
        return merged.list(request, pages);
    }

    private Slot slot(Connection line) {
        return slots.stream()
                .filter(slot -> slot.name().equals(line.upstream().name()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public Optional<Route> route(RpcMessage.Request request) {
        boolean call = request.method().equals(Methods.TOOLS_CALL);
        if (Methods.isOfOneTool(request.method()) || request.method().equals("prompts/get")) {
            return named(request, "/params/name", call);
        }
        if (request.method().equals(Methods.COMPLETE)
                && request.index().root().pointer("/params/ref/name").isPresent()) {
            return named(request, "/params/ref/name", false);
        }
        String pointer = request.method().equals(Methods.COMPLETE) ? "/params/ref/uri" : "/params/uri";
        Optional<String> uri = request.index()
                .root()
                .pointer(pointer)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
        Optional<Slot> slot = slots.size() == 1 ? Optional.of(slots.get(0)) : uri.flatMap(this::ownerOf);
        return slot.flatMap(Slot::line).map(line -> new Route(line, uri.orElse(""), "", false));
    }

    private Optional<Route> named(RpcMessage.Request request, String pointer, boolean call) {
        Optional<String> outside = request.index()
                .root()
                .pointer(pointer)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
        if (slots.size() == 1) {
            return slots.get(0).line().map(line -> new Route(line, outside.orElse(""), "", call));
        }
        return outside.flatMap(names::inside)
                .flatMap(local -> slots.stream()
                        .filter(slot -> slot.name().equals(local.server()))
                        .findFirst()
                        .flatMap(Slot::line)
                        .map(line -> new Route(line, local.name(), pointer, call)));
    }

    /** A resource belongs to the server that listed it, else to the one whose template it fits, else to nobody. */
    private Optional<Slot> ownerOf(String uri) {
        Slot known = resources.get(uri);
        if (known != null) {
            return Optional.of(known);
        }
        Slot best = null;
        int longest = -1;
        for (Slot slot : slots) {
            Optional<Connection> line = slot.line().filter(each -> each.offers("resources"));
            if (line.isEmpty()) {
                continue;
            }
            for (MergedAnswers.Page page : merged.pages(line.get(), Methods.RESOURCES_LIST)) {
                for (Value item : page.items()) {
                    if (item.member("uri")
                            .filter(value -> value.kind() == Kind.STRING
                                    && value.string().equals(uri))
                            .isPresent()) {
                        resources.putIfAbsent(uri, slot);
                        return Optional.of(slot);
                    }
                }
            }
            for (MergedAnswers.Page page : merged.pages(line.get(), Methods.TEMPLATES_LIST)) {
                for (Value item : page.items()) {
                    int length = MergedAnswers.fits(item, uri);
                    if (length > longest) {
                        longest = length;
                        best = slot;
                    }
                }
            }
        }
        return Optional.ofNullable(best);
    }

    @Override
    public List<Connection> receivers(String method) {
        if (method.equals(Methods.INITIALIZED)) {
            initialized = true;
        }
        return connections();
    }

    @Override
    public List<Connection> connections() {
        return slots.stream().flatMap(slot -> slot.ifOpen().stream()).toList();
    }

    private List<Connection> lines() {
        return slots.stream().flatMap(slot -> slot.line().stream()).toList();
    }

    private void askQuietly(Connection line, String method, JsonNode params) {
        try {
            var _ = line.ask(method, params);
        } catch (IOException e) {
            log.line(String.valueOf(e.getMessage()));
        }
    }

    private static JsonNode params(RpcMessage.Request request) {
        return request.params()
                .filter(params -> params.kind() == Kind.OBJECT)
                .map(Value::tree)
                .orElseGet(JsonNodeFactory.instance::objectNode);
    }

    @Override
    public void close() {
        slots.forEach(Slot::close);
    }
}
