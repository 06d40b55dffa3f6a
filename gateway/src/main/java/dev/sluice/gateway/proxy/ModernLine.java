package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.MessageEdits;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is otherwise on a line to a modern server: what requests say of the client, how long a list of tools is good
 * for, and on which stream the server tells what changed.
 */
final class ModernLine {

    /** A list of tools that is good for no time at all is asked for once a second at most, and not before each call. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /** Nor is one kept for ever that nobody would say a change of. */
    private static final Duration LONGEST = Duration.ofHours(1);

    /** What only servers with a handshake take from a client. */
    private static final Set<String> LEGACY_ONLY =
            Set.of(Methods.INITIALIZED, "notifications/roots/list_changed", Methods.PROGRESS);

    private final Slot.Greeting greeting;
    private final Subscriptions subscriptions;
    private volatile long stale = System.nanoTime();

    ModernLine(Slot.Greeting greeting, Subscriptions subscriptions) {
        this.greeting = greeting;
        this.subscriptions = subscriptions;
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    /** Returns what a request says of its client that does not say it itself. */
    ObjectNode client() {
        return Discovery.client(greeting.handshake(), greeting.level());
    }

    /** Writes into a request what it must say of its client: its own words, or what the client's handshake said. */
    void edit(RpcMessage message, MessageEdits edits) {
        Optional<RequestMeta> own = RequestMeta.of(message);
        if (own.isEmpty()) {
            edits.ofClient(client());
        } else {
            own.get().capabilities().ifPresent(edits::declareExtensionsIn);
        }
    }

    /** Returns whether a modern server takes such a notification of a client. */
    static boolean takes(String method) {
        return !LEGACY_ONLY.contains(method);
    }

    /** Takes note of how long a list of tools is good for. */
    void listed(RpcMessage.Result list) {
        long millis = list.result()
                .member("ttlMs")
                .filter(ttl -> ttl.kind() == Kind.NUMBER)
                .map(ttl -> ttl.tree().asLong(0))
                .orElse(0L);
        long most = Math.min(LONGEST.toMillis(), Math.max(SHORTEST.toMillis(), millis));
        stale = System.nanoTime() + Duration.ofMillis(most).toNanos();
    }

    /** Returns whether the tools that were listed are still those that there are, so far as the server says. */
    boolean isFresh() {
        return subscriptions.hearsOfTools() || System.nanoTime() - stale < 0;
    }

    /**
     * Takes what the server tells; returns what of it is for others. The stream that it came on is none of their business.
     *
     * @param ended told when the server ended the stream of that id
     */
    Optional<RpcMessage.Notification> came(RpcMessage.Notification message, Consumer<RpcId> ended) {
        if (message.method().equals(Subscriptions.ACKNOWLEDGED)) {
            subscriptions.acknowledged(message);
            return Optional.empty();
        }
        if (message.method().equals(Methods.CANCELLED)) {
            message.params()
                    .flatMap(params -> params.pointer("/requestId"))
                    .flatMap(RpcMessage::idIn)
                    .filter(subscriptions::is)
                    .ifPresent(ended);
            return Optional.empty(); // it asks nothing that it could take back
        }
        Optional<Value> meta = message.params()
                .filter(params -> params.kind() == Kind.OBJECT)
                .flatMap(params -> params.member("_meta"))
                .filter(own -> own.kind() == Kind.OBJECT
                        && own.member(RequestMeta.SUBSCRIPTION).isPresent());
        if (meta.isEmpty()) {
            return Optional.of(message);
        }
        MessageEdits edits = new MessageEdits(message);
        if (meta.get().size() > 1) {
            edits.edits().removeMember(meta.get(), RequestMeta.SUBSCRIPTION);
        } else {
            edits.edits().removeMember(message.params().orElseThrow(), "_meta");
        }
        return RpcMessage.parse(edits.apply()) instanceof RpcMessage.Notification plain
                ? Optional.of(plain)
                : Optional.empty();
    }
}
