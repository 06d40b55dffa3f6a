package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.Alarm;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one stream on which a modern server tells a line what changed: which of its lists, and which of the watched resources.
 *
 * <p>It is open as long as there is something to be told. Where what is wanted changes, another stream is begun, and the
 * one before ended once the server acknowledged the other; one that breaks is begun anew, later each time. What is known of
 * tools counts as unknown whenever a stream is acknowledged: they may have changed before the server told of it there.
 *
 * <p>Source: MCP revision 2026-07-28, subscriptions.
 */
final class Subscriptions {

    static final String LISTEN = "subscriptions/listen";
    static final String ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

    /** What is wanted within so long after another change goes to the server together. */
    private static final Duration BATCH = Duration.ofMillis(50);

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final String TOOLS = "toolsListChanged";

    private final Line line;
    private final JsonNode capabilities;
    private final Set<String> watched;
    private final Alarm again = new Alarm(this::refresh);
    private final Alarm batch = new Alarm(this::refreshBatch);
    private final List<Runnable> waiting = new ArrayList<>();
    private long last = System.nanoTime() - BATCH.toNanos();
    private @Nullable RpcId current;

    /** The stream that was acknowledged last, while the one in its place is not yet. */
    private @Nullable RpcId kept;

    private boolean isAcknowledged;
    private ObjectNode wanted = JsonNodeFactory.instance.objectNode();
    private Duration pause = FIRST;
    private boolean broke;
    private boolean closed;
    private volatile boolean hearsOfTools;

    /** What such a stream is asked for on. */
    interface Line {
        /** Returns an id that no other request on the line has. */
        RpcId freshId();

        /** Asks for a stream; completes when it is over. */
        CompletableFuture<RpcMessage> listen(RpcId id, ObjectNode params);

        /** Takes such a request back. */
        void takeBack(RpcId id);

        /** Says that tools may have changed without a word. */
        void toolsChanged();
    }

    /**
     * Makes one that is not begun.
     *
     * @param capabilities what the server says that it can do
     * @param watched the resources that are watched, which others keep up to date
     */
    Subscriptions(Line line, JsonNode capabilities, Set<String> watched) {
        this.line = line;
        this.capabilities = capabilities;
        this.watched = watched;
    }

    private ObjectNode wanted() {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        for (String kind : new String[] {"tools", "prompts", "resources"}) {
            if (capabilities.path(kind).path("listChanged").asBoolean(false)) {
                all.put(kind + "ListChanged", true);
            }
        }
        if (!watched.isEmpty()) {
            ArrayNode uris = all.putArray("resourceSubscriptions");
            new TreeSet<>(watched).forEach(uris::add);
        }
        return all;
    }

    /** Listens to what is wanted now; nothing where that is what is listened to already. */
    void refresh() {
        ObjectNode now;
        @Nullable RpcId before = null;
        RpcId next;
        synchronized (this) {
            now = wanted(); // under the lock, or another thread could put what is wanted since then before this
            if (closed || (current == null ? now.isEmpty() : now.equals(wanted))) {
                return;
            }
            again.off();
            next = now.isEmpty() ? null : line.freshId();
            if (isAcknowledged) {
                kept = current;
            } else {
                before = current;
            }
            if (next == null) {
                endKept();
            }
            isAcknowledged = false;
            current = next;
            wanted = now;
            hearsOfTools = false;
        }
        if (next != null) {
            ObjectNode params = JsonNodeFactory.instance.objectNode();
            params.set("notifications", now);
            RpcId asked = next;
            // Not under the lock: whoever sends may have to wait for who reads, and that one comes here too.
            var _ = line.listen(asked, params).whenComplete((answer, fault) -> over(asked));
            if (!is(asked)) {
                line.takeBack(asked); // another thread put the next in its place before it was asked for
            }
        }
        if (before != null) {
            line.takeBack(before);
        }
    }

    /**
     * Listens to what is wanted now: at once, or with what else is wanted by then where something changed just before.
     *
     * @param then what is done afterwards; on another thread where it had to wait
     */
    void refreshSoon(Runnable then) {
        synchronized (this) {
            Duration since = Duration.ofNanos(System.nanoTime() - last);
            if (!closed && (!waiting.isEmpty() || since.compareTo(BATCH) < 0)) {
                if (waiting.isEmpty()) {
                    batch.in(BATCH.minus(since));
                }
                waiting.add(then);
                return;
            }
            last = System.nanoTime();
        }
        refresh();
        then.run();
    }

    private void refreshBatch() {
        List<Runnable> done;
        synchronized (this) {
            done = List.copyOf(waiting);
            waiting.clear();
            last = System.nanoTime();
        }
        refresh();
        done.forEach(Runnable::run);
    }

    private synchronized void over(RpcId id) {
        if (closed || current == null || !current.key().equals(id.key())) {
            return;
        }
        current = null;
        isAcknowledged = false;
        endKept();
        hearsOfTools = false;
        broke = true;
        again.in(pause);
        pause = pause.multipliedBy(2).compareTo(LONGEST) > 0 ? LONGEST : pause.multipliedBy(2);
    }

    /** Takes note of what the server says that it will tell. */
    synchronized void acknowledged(RpcMessage.Notification message) {
        if (!of(message).filter(this::is).isPresent()) {
            return;
        }
        boolean hears = message.index()
                .root()
                .pointer("/params/notifications/" + TOOLS)
                .filter(value -> value.kind() == Kind.TRUE)
                .isPresent();
        if (broke || (hears && !hearsOfTools)) {
            line.toolsChanged(); // before it counts as heard: else tools that changed until now would count as known
        }
        hearsOfTools = hears;
        isAcknowledged = true;
        broke = false;
        pause = FIRST;
        endKept();
    }

    /** On a thread of its own: who reads must not wait for who sends. */
    private void endKept() {
        RpcId old = kept;
        kept = null;
        if (old != null) {
            Thread.ofVirtual().name("end-stream").start(() -> line.takeBack(old));
        }
    }

    /** Returns which stream a notification says that it is of; empty where it says nothing. */
    static Optional<RpcId> of(RpcMessage.Notification message) {
        return message.index()
                .root()
                .pointer("/params/_meta")
                .filter(meta -> meta.kind() == Kind.OBJECT)
                .flatMap(meta -> meta.member(RequestMeta.SUBSCRIPTION))
                .flatMap(RpcMessage::idIn);
    }

    /** Returns whether that is the stream that is open. */
    synchronized boolean is(RpcId id) {
        return current != null && current.key().equals(id.key());
    }

    /** Returns whether the server would tell that its tools changed. */
    boolean hearsOfTools() {
        return hearsOfTools;
    }

    void close() {
        synchronized (this) {
            closed = true;
            again.off();
            batch.off();
        }
        refreshBatch(); // what is watched is so on the line that comes after, too
    }
}
