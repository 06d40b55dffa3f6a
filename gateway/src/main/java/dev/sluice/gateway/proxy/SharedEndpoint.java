package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.LogEvent;
import dev.sluice.guard.Guard;
import dev.sluice.guard.client.TaskCalls;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Any number of upstreams behind one endpoint: Sluice shakes hands with each itself, and answers lists from all of them.
 *
 * <p>An upstream that can't be started or does not answer is left out, and said so in the log; the others go on. One that
 * ended is started again when it is needed next, as {@link Slot} says.
 */
final class SharedEndpoint implements Endpoint {

    private final List<Slot> slots;
    private final Names names;
    private final UpstreamMessages messages;
    private final MergedAnswers merged;
    private final Log log;
    private final Owners<Slot> resources = new Owners<>();
    private final Listings listings;
    private volatile JsonNode handshake;
    private volatile boolean initialized;

    /** Whether a client shook hands; not where the session began with what one says with every request. */
    private volatile boolean greeted;

    private volatile JsonNode level = JsonNodeFactory.instance.missingNode();
    private final boolean hasFront;

    /**
     * @param hasFront whether a front stands before the session: any other client can choose an id that looks like one of its
     */
    SharedEndpoint(
            List<Server> servers,
            Guard guard,
            String principal,
            UpstreamMessages messages,
            Log log,
            JsonNode resumed,
            boolean hasFront) {
        this.hasFront = hasFront;
        Slot.Greeting greeting = new Slot.Greeting() {
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
        this.slots = servers.stream()
                .map(server -> new Slot(server, principal, guard, messages, greeting, log))
                .toList();
        this.names = new Names(servers.size() > 1);
        this.messages = messages;
        this.merged = new MergedAnswers(names, messages);
        this.listings = new Listings(slots, merged, resources);
        this.log = log;
        this.handshake = resumed.isMissingNode() ? resumed : MergedAnswers.handshakeOf(resumed);
        this.initialized = !resumed.isMissingNode();
        this.greeted = initialized && !isModern(resumed);
    }

    private boolean isOfFront(RpcMessage.Request request) {
        return hasFront && ModernFront.isOwn(request.id());
    }

    private static boolean isModern(JsonNode handshake) {
        return handshake.path("protocolVersion").asString("").equals(RequestMeta.REVISION);
    }

    @Override
    public void start() {}

    @Override
    public void plain(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        switch (request.method()) {
            case Methods.INITIALIZE -> initialize(request, answer);
            case Methods.DISCOVER -> answer.accept(request.id(), discover(request));
            case Methods.PING ->
                answer.accept(request.id(), RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode()));
            case Methods.SET_LEVEL ->
                answer.accept(request.id(), isOfFront(request) ? levelOfRequest(request) : level(request));
            default -> {
                Optional<Connection> only = only(request);
                if (only.isEmpty()) {
                    answer.accept(request.id(), list(request));
                } else if (!only.get().lane().run(request.bytes().length, () -> forward(request, only.get()))) {
                    answer.accept(
                            request.id(),
                            RpcWriter.failure(
                                    request.id(),
                                    RpcWriter.UPSTREAM_FAILED,
                                    "too much waits to go there; send it again later"));
                }
            }
        }
    }

    /**
     * Returns the one server that a modern client's list is asked of as it stands: page by page, and with all that stands in
     * the answer beside the list. Of several servers one list is made, and of one that has no tools, where Sluice offers its
     * own.
     */
    private Optional<Connection> only(RpcMessage.Request request) {
        return slots.size() == 1 && RequestMeta.of(request).isPresent()
                ? slots.get(0)
                        .line()
                        .filter(line -> !request.method().equals(Methods.TOOLS_LIST)
                                || line.offers("tools")
                                || !merged.hasOwnTools())
                : Optional.empty();
    }

    private static void forward(RpcMessage.Request request, Connection line) {
        MessageEdits edits = MessageEdits.toServer(request);
        line.adapt(request, edits);
        RpcId id = line.idFor(request.id());
        line.request(id, edits.id(id).apply(), Pending.Plain.of(request, line));
    }

    private void initialize(RpcMessage.Request request, BiConsumer<RpcId, byte[]> answer) {
        if (greeted) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(request.id(), RpcWriter.INVALID_REQUEST, "this session is initialized already"));
            return;
        }
        JsonNode params = params(request);
        if (!ProxySession.isHandshake(params)) {
            answer.accept(
                    request.id(),
                    RpcWriter.failure(
                            request.id(),
                            RpcWriter.INVALID_PARAMS,
                            "`initialize` must have `protocolVersion` and `capabilities`"));
            return;
        }
        handshake = MergedAnswers.handshakeOf(params);
        greeted = true;
        answer.accept(request.id(), merged.initialize(request.id(), handshake, lines()));
    }

    /** Who asks for a front must know whether nothing is offered or nobody is there to say. */
    private byte[] discover(RpcMessage.Request request) {
        List<Connection> lines = lines();
        return lines.isEmpty() && !slots.isEmpty() && isOfFront(request)
                ? RpcWriter.failure(
                        request.id(),
                        RpcWriter.UPSTREAM_FAILED,
                        slots.stream().map(SharedEndpoint::absence).collect(Collectors.joining("; ")))
                : merged.discover(request.id(), lines);
    }

    /**
     * The level of one request counts for all later ones. No line is begun for it, and none is waited for: one that begins
     * later is told the level then.
     */
    private byte[] levelOfRequest(RpcMessage.Request request) {
        JsonNode params = params(request);
        level = params;
        slots.stream()
                .flatMap(slot -> slot.openNow().stream())
                .filter(line -> line.era() == Era.LEGACY && line.offers("logging"))
                .forEach(line -> line.askAndGoOn(Methods.SET_LEVEL, params));
        return RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode());
    }

    /** Every server that logs is told the level; what none of them could take is refused here. */
    private byte[] level(RpcMessage.Request request) {
        List<Connection> logging =
                lines().stream().filter(line -> line.offers("logging")).toList();
        if (logging.isEmpty()) {
            return RpcWriter.failure(request.id(), RpcWriter.METHOD_NOT_FOUND, "no server here logs");
        }
        JsonNode params = params(request);
        if (!RequestMeta.LOG_LEVELS.contains(params.path("level").asString(""))) {
            return RpcWriter.failure(
                    request.id(),
                    RpcWriter.INVALID_PARAMS,
                    "`level` must be one of " + String.join(", ", RequestMeta.LOG_LEVELS));
        }
        level = params;
        logging.stream()
                .filter(line -> line.era() == Era.LEGACY) // others are told with each request
                .forEach(line -> askQuietly(line, request.method(), params));
        return RpcWriter.result(request.id(), JsonNodeFactory.instance.objectNode());
    }

    private byte[] list(RpcMessage.Request request) {
        List<MergedAnswers.Page> pages = new ArrayList<>();
        lines().forEach(line -> pages.addAll(merged.pages(line, request.method())));
        return merged.list(request, request.method().equals(Methods.RESOURCES_LIST) ? owned(pages) : pages);
    }

    /**
     * Takes note of whose each resource is. Where several servers have one URI it is the first one's, and the others' are
     * left out: who reads it gets the first one's.
     */
    private List<MergedAnswers.Page> owned(List<MergedAnswers.Page> pages) {
        Map<String, Slot> owners = new HashMap<>();
        List<MergedAnswers.Page> owned = new ArrayList<>();
        for (MergedAnswers.Page page : pages) {
            Slot own = slot(page.line());
            List<Value> items = page.items().stream()
                    .filter(item -> item.member("uri")
                            .filter(uri -> uri.kind() == Kind.STRING)
                            .map(uri -> owners.computeIfAbsent(uri.string(), first -> own))
                            .filter(owner -> owner != own)
                            .isEmpty())
                    .toList();
            owned.add(new MergedAnswers.Page(page.line(), items, page.withheld()));
        }
        resources.listed(owners, pages.stream().map(page -> slot(page.line())).collect(Collectors.toSet()));
        return owned;
    }

    private Slot slot(Connection line) {
        return slots.stream()
                .filter(slot -> slot.name().equals(line.upstream().name()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public Way route(RpcMessage.Request request) {
        boolean call = request.method().equals(Methods.TOOLS_CALL);
        if (Methods.isOfOneTool(request.method()) || request.method().equals("prompts/get")) {
            return named(request, "/params/name", call);
        }
        if (request.method().equals(Methods.COMPLETE)
                && request.index().root().pointer("/params/ref/name").isPresent()) {
            return named(request, "/params/ref/name", false);
        }
        if (Methods.isOfTasks(request.method())) {
            return task(request);
        }
        String pointer = request.method().equals(Methods.COMPLETE) ? "/params/ref/uri" : "/params/uri";
        Optional<String> uri = request.index()
                .root()
                .pointer(pointer)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
        Optional<Slot> slot = slots.size() == 1
                ? Optional.of(slots.get(0))
                : uri.flatMap(each -> listings.ownerOf(each, Methods.isOfWatching(request.method())));
        return slot.map(each -> way(each, uri.orElse(""), "", false)).orElseGet(this::nowhere);
    }

    private Way task(RpcMessage.Request request) {
        Optional<String> server = slots.size() == 1
                ? Optional.of(slots.get(0).name())
                : messages.serverOfTask(TaskCalls.id(params(request)));
        return server.stream()
                .flatMap(name -> slots.stream().filter(slot -> slot.name().equals(name)))
                .findFirst()
                .map(slot -> task(request, slot))
                .orElseGet(Nowhere::new);
    }

    private Way task(RpcMessage.Request request, Slot slot) {
        Way way = way(slot, "", "", false);
        boolean shared = slot.isShared() || slots.size() > 1;
        return way instanceof Route route && !messages.mayHaveTask(request, route.connection(), shared)
                ? new Nowhere()
                : way;
    }

    private static Way way(Slot slot, String name, String pointer, boolean isToolCall) {
        Optional<Connection> line = slot.line();
        return line.isPresent() ? new Route(line.get(), name, pointer, isToolCall) : new Away(absence(slot));
    }

    private static String absence(Slot slot) {
        String why = slot.absence();
        return why.isEmpty() ? "the server `" + slot.name() + "` can't be had now; call again" : why;
    }

    /** What nobody here has may be what somebody has who is away. */
    private Way nowhere() {
        List<String> away = slots.stream()
                .filter(slot -> !slot.absence().isEmpty())
                .map(SharedEndpoint::absence)
                .toList();
        return away.isEmpty() ? new Nowhere() : new Away(String.join("; ", away));
    }

    private Way named(RpcMessage.Request request, String pointer, boolean call) {
        Optional<String> outside = request.index()
                .root()
                .pointer(pointer)
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string);
        if (slots.size() == 1) {
            return way(slots.get(0), outside.orElse(""), "", call);
        }
        return outside.flatMap(names::inside)
                .flatMap(local -> slots.stream()
                        .filter(slot -> slot.name().equals(local.server()))
                        .findFirst()
                        .map(slot -> way(slot, local.name(), pointer, call)))
                .orElseGet(Nowhere::new);
    }

    @Override
    public Optional<JsonNode> mirrored(String tool) {
        if (slots.size() == 1) {
            return slots.get(0).ifOpen().flatMap(line -> line.mirrored(tool));
        }
        return names.inside(tool)
                .flatMap(local -> slots.stream()
                        .filter(slot -> slot.name().equals(local.server()))
                        .findFirst()
                        .flatMap(Slot::ifOpen)
                        .flatMap(line -> line.mirrored(local.name())));
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

    /** Returns all lines that can be had. They are begun side by side: one that takes long is waited for alone. */
    private List<Connection> lines() {
        List<CompletableFuture<Optional<Connection>>> lines = slots.stream()
                .map(slot -> {
                    CompletableFuture<Optional<Connection>> line = new CompletableFuture<>();
                    Thread.ofVirtual().name("begin-" + slot.name()).start(() -> begin(slot, line));
                    return line;
                })
                .toList();
        return lines.stream().flatMap(line -> line.join().stream()).toList();
    }

    private void begin(Slot slot, CompletableFuture<Optional<Connection>> line) {
        try {
            line.complete(slot.line());
        } catch (RuntimeException e) {
            log.fault(LogEvent.UPSTREAM_FAULT, "beginning a line to `" + slot.name() + "` failed", e);
            line.complete(Optional.empty());
        }
    }

    private void askQuietly(Connection line, String method, JsonNode params) {
        try {
            var _ = line.ask(method, params);
        } catch (IOException e) {
            log.line(LogEvent.UPSTREAM_FAULT, String.valueOf(e.getMessage()));
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
        listings.close();
        slots.forEach(Slot::close);
    }
}
