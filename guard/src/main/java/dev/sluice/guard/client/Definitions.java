package dev.sluice.guard.client;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Whether all tools of a line's server are known, and how they are learnt before the first call of one. */
final class Definitions {

    /** What requests since 2026-07-28 must say, and so ours too: in the words of the client. */
    private static final List<String> SAID =
            List.of(RequestMeta.VERSION, RequestMeta.CLIENT_INFO, RequestMeta.CAPABILITIES);

    private static final int MOST_PAGES = 1_000;

    private final Line line;
    private final OwnRequests own;
    private final Executor executor;
    private boolean known;
    private long number;
    private @Nullable CompletableFuture<Long> learning;

    Definitions(Line line, OwnRequests own, Executor executor) {
        this.line = line;
        this.own = own;
        this.executor = executor;
    }

    /** Returns which definitions are known; empty where none are, or not all. */
    synchronized OptionalLong known() {
        return known ? OptionalLong.of(number) : OptionalLong.empty();
    }

    /** Returns which definitions these are: another number after each word of the server that they changed. */
    synchronized long number() {
        return number;
    }

    /** Says that the tools may be others now. */
    synchronized void changed() {
        number++;
        known = false;
    }

    /**
     * Says that tools were listed.
     *
     * @param since which definitions there were when the list was asked for; if there are others now, what came is of before
     * @param all whether these are all
     */
    synchronized void listed(long since, boolean all) {
        known = number == since && (all || known);
    }

    /**
     * Asks the server for all its tools; one that does not answer has none that are known, and so the strict defaults. Calls
     * that need it at the same time wait for the same answer. Where no answer came, the next call asks again.
     *
     * @param call the request that needs it
     * @param toServer carries the question, on behalf of whoever made that request
     * @return completes, never with a fault, when what can be known is known: with the number of the definitions that were
     *     asked for, which may have changed meanwhile
     */
    CompletionStage<Long> learn(RpcMessage.Request call, ToServer toServer) {
        JsonNode meta = meta(call);
        CompletableFuture<Long> begun = new CompletableFuture<>();
        long since;
        synchronized (this) {
            CompletableFuture<Long> under = learning;
            if (under != null) {
                return under;
            }
            learning = begun;
            since = number;
        }
        // Outside the monitor: a carrier may hold locks of its own, and bring messages under them.
        page(meta, "", 0, toServer).whenComplete((nothing, fault) -> {
            boolean answered = fault == null || Faults.cause(fault) instanceof OwnRequests.Useless;
            if (fault != null) {
                line.undefine();
                line.say("the server `" + line.server() + "` does not list its tools; they count as unknown");
            }
            synchronized (this) {
                known = answered && number == since;
                learning = null;
            }
            begun.complete(since);
        });
        return begun;
    }

    private CompletionStage<Void> page(JsonNode meta, String cursor, int page, ToServer toServer) {
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        if (!meta.isEmpty()) {
            params.set("_meta", meta);
        }
        if (!cursor.isEmpty()) {
            params.put("cursor", cursor);
        }
        return own.ask(Methods.TOOLS_LIST, params.toString(), OwnRequests.PATIENCE, toServer)
                .thenComposeAsync(
                        answer -> {
                            if (!(answer instanceof RpcMessage.Result result)) {
                                throw new OwnRequests.Useless("an error");
                            }
                            if (page == 0) {
                                line.undefine(); // what it listed before and does not now counts as unlisted
                            }
                            result.result()
                                    .member("tools")
                                    .filter(tools -> tools.kind() == Kind.ARRAY)
                                    .ifPresent(line::define);
                            Optional<Value> next =
                                    result.result().member("nextCursor").filter(value -> value.kind() == Kind.STRING);
                            return next.isPresent() && page + 1 < MOST_PAGES
                                    ? page(meta, next.get().string(), page + 1, toServer)
                                    : CompletableFuture.<Void>completedFuture(null);
                        },
                        executor);
    }

    /** Returns what requests of Sluice's own say in {@code _meta}. */
    static JsonNode meta(RpcMessage.Request call) {
        ObjectNode meta = JsonNodeFactory.instance.objectNode();
        JsonNode said = call.params()
                .flatMap(params -> params.pointer("/_meta"))
                .map(Value::tree)
                .orElse(JsonNodeFactory.instance.missingNode());
        SAID.stream().filter(said::has).forEach(name -> meta.set(name, said.path(name)));
        return meta;
    }
}
