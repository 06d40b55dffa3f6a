// This file has more than 400 lines because what is listened to, and what is told of it, is one order of events.
package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.ClientSide;
import dev.sluice.guard.client.TaskCalls;
import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.guard.message.RpcWriter;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The streams on which modern clients hear of changes: one for each {@code subscriptions/listen}.
 *
 * <p>Each begins with what of its wishes is kept: what the servers offer, and of resources those that they let the session
 * watch. What a server says before that waits for it. A resource is watched once, however many listen for it.
 *
 * <p>Source: MCP revision 2026-07-28, Subscriptions.
 */
final class Listens {

    static final String METHOD = "subscriptions/listen";

    /** How many streams a session may have. */
    static final int MOST = 100;

    /** How many resources one stream may watch. */
    static final int MOST_RESOURCES = 500;

    /** How many characters the address of a resource may have that is watched, and all of one stream together. */
    static final int LONGEST_RESOURCE = 2_000;

    static final int MOST_CHARACTERS = 64 << 10;

    /** How much may wait for the beginning of a stream; the rest is of lists that are read then anyway. */
    private static final int MOST_PENDING = 100;

    private static final String RESOURCES = "resourceSubscriptions";
    private static final String TASKS = "taskIds";
    private static final String NO_WISHES =
            "`notifications` must be an object, and `" + RESOURCES + "` in it a list of texts";
    private static final String UPDATED = "notifications/resources/updated";

    /** What a client can wish, by the notification: its name in the filter, and the capability that offers it. */
    private static final Map<String, List<String>> LISTS = Map.of(
            Methods.TOOLS_CHANGED,
            List.of("toolsListChanged", "/tools/listChanged"),
            "notifications/prompts/list_changed",
            List.of("promptsListChanged", "/prompts/listChanged"),
            "notifications/resources/list_changed",
            List.of("resourcesListChanged", "/resources/listChanged"));

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** Asks the core something of Sluice's own; the parameters are JSON text. */
    @FunctionalInterface
    interface Core {
        void ask(String method, String params, Consumer<RpcMessage> answered);
    }

    /** One stream. Its state is guarded by itself, also while it is written to: what is on it stays in order. */
    private static final class Stream {
        private final Waiting request;
        private final Set<String> lists = new LinkedHashSet<>();
        private final Set<String> resources = new LinkedHashSet<>();
        private final Map<String, Watched> watching = new LinkedHashMap<>();
        private final List<RpcMessage.Notification> pending = new ArrayList<>();
        private boolean begun;
        private boolean over;

        Stream(Waiting request) {
            this.request = request;
        }

        boolean wants(RpcMessage.Notification notification) {
            return notification.method().equals(UPDATED)
                    ? uri(notification).filter(this::watches).isPresent()
                    : lists.contains(notification.method());
        }

        /** What changed may be a part of the resource that is watched. */
        private boolean watches(String uri) {
            return resources.contains(uri)
                    || resources.stream()
                            .anyMatch(own -> uri.startsWith(own)
                                    && (own.endsWith("/") || "/?#".indexOf(uri.charAt(own.length())) >= 0));
        }
    }

    /** A resource that is watched: for how many streams, and whether its server lets it be watched. */
    private static final class Watched {

        /** Guarded by the lock under which servers are asked. */
        private int streams;

        private final CompletableFuture<Boolean> granted = new CompletableFuture<>();
    }

    private final ClientSide out;
    private final Core core;
    private final Map<String, Stream> streams = new ConcurrentHashMap<>();
    private final Map<String, Watched> watched = new ConcurrentHashMap<>();

    /** Held while servers are asked to let something be watched, or no longer, so that they hear it in order. */
    private final Object asking = new Object();

    Listens(ClientSide out, Core core) {
        this.out = out;
        this.core = core;
    }

    /** Takes a {@code subscriptions/listen}. */
    void listen(Waiting request) {
        Optional<Value> filter = request.request()
                .params()
                .flatMap(params -> params.pointer("/notifications"))
                .filter(own -> own.kind() == Kind.OBJECT);
        Stream stream = new Stream(request);
        String wrong = filter.map(wishes -> read(wishes, stream)).orElse(NO_WISHES);
        if (!wrong.isEmpty()) {
            refuse(request, RpcWriter.INVALID_PARAMS, wrong);
            return;
        }
        if (filter.flatMap(wishes -> wishes.member(TASKS)).isPresent()
                && request.meta()
                        .filter(meta -> meta.extendsBy(TaskCalls.EXTENSION))
                        .isEmpty()) {
            out.answer(withoutTasks(request), request.key());
            return;
        }
        if (streams.size() >= MOST) {
            refuse(request, RpcWriter.INVALID_REQUEST, "too many streams are open; cancel one first");
            return;
        }
        streams.put(request.key(), stream);
        String meta = request.meta().map(own -> own.meta().raw()).orElse("{}");
        core.ask(Methods.DISCOVER, "{\"_meta\":" + meta + "}", answer -> offered(stream, answer));
    }

    /**
     * What is wished of tasks is never kept, which their extension leaves to each server: a client that knows of tasks asks
     * after them.
     */
    private static byte[] withoutTasks(Waiting request) {
        ObjectNode data = JSON.objectNode();
        data.putObject("requiredCapabilities").putObject("extensions").putObject(TaskCalls.EXTENSION);
        return RpcWriter.failure(
                request.own(),
                RpcWriter.CAPABILITY_MISSING,
                "`" + TASKS + "` are for clients that declare the extension `" + TaskCalls.EXTENSION + "`",
                data);
    }

    /** Takes what a client wishes into {@code stream}, and returns why that can't be; empty text where it can. */
    private static String read(Value filter, Stream stream) {
        LISTS.forEach((method, names) -> filter.member(names.get(0))
                .filter(wish -> wish.kind() == Kind.TRUE)
                .ifPresent(wish -> stream.lists.add(method)));
        Optional<Value> resources = filter.member(RESOURCES);
        if (resources.isEmpty()) {
            return "";
        }
        if (resources.get().kind() != Kind.ARRAY) {
            return NO_WISHES;
        }
        int characters = 0;
        for (Value uri : resources.get().elements()) {
            if (uri.kind() != Kind.STRING) {
                return NO_WISHES;
            }
            int length = uri.string().length();
            if (length > LONGEST_RESOURCE) {
                return "an address in `" + RESOURCES + "` may have " + LONGEST_RESOURCE + " characters; this one has "
                        + length;
            }
            characters += stream.resources.add(uri.string()) ? length : 0;
            if (stream.resources.size() > MOST_RESOURCES || characters > MOST_CHARACTERS) {
                return "`" + RESOURCES + "` may have " + MOST_RESOURCES + " addresses, of " + MOST_CHARACTERS
                        + " characters together; watch the others on another stream";
            }
        }
        return "";
    }

    /** What the servers don't offer is not kept. Where that can't be known, a stream would stay silent for good. */
    private void offered(Stream stream, RpcMessage answer) {
        if (!(answer instanceof RpcMessage.Result result)) {
            if (streams.remove(stream.request.key(), stream)) {
                String why = answer.index().root().tree().at("/error/message").asString("no answer");
                refuse(
                        stream.request,
                        RpcWriter.UPSTREAM_FAILED,
                        "what the servers offer can't be known now (" + why + "); listen again later");
            }
            return;
        }
        JsonNode capabilities = result.result().tree().path("capabilities");
        List<String> wished;
        synchronized (stream) {
            stream.lists.removeIf(method -> !capabilities
                    .at(LISTS.getOrDefault(method, List.of("", "")).get(1))
                    .asBoolean(false));
            if (!capabilities.at("/resources/subscribe").asBoolean(false)) {
                stream.resources.clear();
            }
            wished = List.copyOf(stream.resources);
        }
        Map<String, Watched> watching = new LinkedHashMap<>();
        synchronized (asking) {
            wished.forEach(uri -> watching.put(uri, watch(uri)));
        }
        boolean over;
        synchronized (stream) {
            over = stream.over;
            stream.watching.putAll(watching);
        }
        if (over) {
            unwatch(watching);
            return;
        }
        var _ = CompletableFuture.allOf(
                        watching.values().stream().map(each -> each.granted).toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> begin(stream));
    }

    private Watched watch(String uri) {
        Watched known = watched.get(uri);
        Watched own = known == null ? new Watched() : known;
        own.streams++;
        if (known == null) {
            watched.put(uri, own);
            core.ask(Methods.SUBSCRIBE, params(uri), said -> {
                boolean granted = said instanceof RpcMessage.Result;
                if (!granted) {
                    watched.remove(uri, own);
                }
                own.granted.complete(granted);
            });
        }
        return own;
    }

    private void unwatch(Map<String, Watched> watching) {
        synchronized (asking) {
            watching.forEach((uri, own) -> {
                own.streams--;
                if (own.streams == 0 && watched.remove(uri, own)) {
                    core.ask(Methods.UNSUBSCRIBE, params(uri), said -> {});
                }
            });
        }
    }

    private void begin(Stream stream) {
        boolean begun;
        synchronized (stream) {
            if (stream.over) {
                return;
            }
            stream.watching.forEach((uri, own) -> {
                if (!own.granted.join()) {
                    stream.resources.remove(uri);
                }
            });
            ObjectNode kept = JSON.objectNode();
            stream.lists.forEach(
                    method -> kept.put(LISTS.getOrDefault(method, List.of("")).get(0), true));
            if (!stream.resources.isEmpty()) {
                ArrayNode resources = kept.putArray(RESOURCES);
                stream.resources.forEach(resources::add);
            }
            String first =
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\""
                            + RequestMeta.SUBSCRIPTION + "\":"
                            + stream.request.own().json() + "},\"notifications\":" + kept + "}}";
            stream.begun = out.send(first.getBytes(StandardCharsets.UTF_8), stream.request.key());
            if (stream.begun) {
                stream.pending.stream().filter(stream::wants).forEach(each -> send(stream, each));
            }
            stream.pending.clear();
            begun = stream.begun;
        }
        if (!begun) {
            Thread.ofVirtual().name("end-stream").start(() -> end(stream)); // not on a server's thread: it asks servers
        }
    }

    /** Sends what a server says to those that listen for it. */
    void notification(RpcMessage.Notification notification) {
        for (Stream stream : streams.values()) {
            synchronized (stream) {
                if (stream.over || !stream.wants(notification)) {
                    continue;
                }
                if (stream.begun) {
                    send(stream, notification);
                } else if (stream.pending.size() < MOST_PENDING) {
                    stream.pending.add(notification);
                }
            }
        }
    }

    /** Returns whether that method is one of those that clients listen for. */
    static boolean isListenedFor(String method) {
        return method.equals(UPDATED) || LISTS.containsKey(method);
    }

    /** A stream on which something is missing is ended: its client listens anew, and looks at what it may have missed. */
    private void send(Stream stream, RpcMessage.Notification notification) {
        if (!stream.over && !out.send(told(notification, stream.request.own()), stream.request.key())) {
            stream.over = true;
            Thread.ofVirtual().name("end-stream").start(() -> end(stream)); // not on a server's thread: it asks servers
        }
    }

    private static byte[] told(RpcMessage.Notification notification, RpcId own) {
        MessageEdits edits = new MessageEdits(notification);
        Value root = notification.index().root();
        Optional<Value> params = root.member("params").filter(each -> each.kind() == Kind.OBJECT);
        Optional<Value> meta = params.flatMap(each -> each.member("_meta")).filter(each -> each.kind() == Kind.OBJECT);
        String made = "{\"" + RequestMeta.SUBSCRIPTION + "\":" + own.json() + "}";
        if (meta.isPresent()) {
            edits.edits().setMember(meta.get(), RequestMeta.SUBSCRIPTION, own.bytes());
        } else if (params.isPresent()) {
            edits.edits().setMember(params.get(), "_meta", made.getBytes(StandardCharsets.UTF_8));
        } else {
            edits.edits().setMember(root, "params", ("{\"_meta\":" + made + "}").getBytes(StandardCharsets.UTF_8));
        }
        return edits.apply();
    }

    private static Optional<String> uri(RpcMessage.Notification notification) {
        return notification
                .params()
                .flatMap(params -> params.pointer("/uri"))
                .filter(uri -> uri.kind() == Kind.STRING)
                .map(Value::string);
    }

    /** Returns those open streams to whose request their client gave that id. */
    List<String> named(RpcId own) {
        return streams.values().stream()
                .filter(stream -> stream.request.own().key().equals(own.key()))
                .map(stream -> stream.request.key())
                .toList();
    }

    /** Ends a stream that its client took back; returns whether there was one. */
    boolean left(String request) {
        Stream stream = streams.remove(request);
        if (stream == null) {
            return false;
        }
        release(stream);
        return true;
    }

    private void release(Stream stream) {
        Map<String, Watched> watching;
        synchronized (stream) {
            stream.over = true;
            stream.pending.clear();
            watching = new LinkedHashMap<>(stream.watching);
            stream.watching.clear();
        }
        unwatch(watching);
    }

    private static String params(String uri) {
        return JSON.objectNode().put("uri", uri).toString();
    }

    /** Ends a stream with the answer to its request. */
    private void end(Stream stream) {
        if (streams.remove(stream.request.key(), stream)) {
            release(stream);
            answer(stream, "the client does not read; listen again");
        }
    }

    /**
     * @param why what is said where the stream has not begun, and so can't end as one that did
     */
    private void answer(Stream stream, String why) {
        boolean begun;
        synchronized (stream) {
            begun = stream.begun;
        }
        if (!begun) {
            refuse(stream.request, RpcWriter.UPSTREAM_FAILED, why);
            return;
        }
        String id = stream.request.own().json();
        out.answer(
                ("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"resultType\":\"complete\",\"_meta\":{\""
                                + RequestMeta.SUBSCRIPTION + "\":" + id + "}}}")
                        .getBytes(StandardCharsets.UTF_8),
                stream.request.key());
    }

    private void refuse(Waiting request, int code, String why) {
        out.answer(RpcWriter.failure(request.own(), code, why), request.key());
    }

    /** Ends all streams. What their servers let them watch ends with the lines. */
    void close() {
        for (Stream stream : List.copyOf(streams.values())) {
            if (streams.remove(stream.request.key(), stream)) {
                synchronized (stream) {
                    stream.over = true;
                }
                answer(stream, "the session is over; listen again");
            }
        }
    }
}
