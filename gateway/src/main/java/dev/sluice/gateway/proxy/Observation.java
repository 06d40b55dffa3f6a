package dev.sluice.gateway.proxy;

import dev.sluice.gateway.telemetry.Operation;
import dev.sluice.gateway.telemetry.Outcome;
import dev.sluice.gateway.telemetry.Verdict;
import dev.sluice.gateway.telemetry.Watch;
import dev.sluice.guard.Admission;
import dev.sluice.guard.Denial;
import dev.sluice.guard.Guard;
import dev.sluice.guard.Ticket;
import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.Decision;
import dev.sluice.policy.Mode;
import dev.sluice.policy.Policy;
import dev.sluice.policy.Violation;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.json.JsonIndex.Kind;
import dev.sluice.wire.json.JsonIndex.Value;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;

/**
 * The requests of one client while they are watched, by the keys of their ids. Where nobody watches, all of this is nothing.
 *
 * <p>What stands in messages is never handed on, but for a trace context, the revision, and names of tools that their server
 * listed.
 */
final class Observation {

    static final String PARENT = "traceparent";

    /** That nobody watches. */
    static final Observation NONE = new Observation(Watch.NONE);

    private final Watch watch;
    private final Map<String, Operation> open = new ConcurrentHashMap<>();

    /** Requests to servers that were begun before they went out, by the client's ids. */
    private final Map<String, Operation> begun = new ConcurrentHashMap<>();

    Observation(Watch watch) {
        this.watch = watch;
    }

    /** Takes note of what the client says of itself. */
    void handshake(JsonNode parameters) {
        watch.speaks(parameters.path("protocolVersion").asString(""));
    }

    /** A request of the client came and is in flight. */
    void began(RpcMessage.Request request) {
        if (watch.isOn()) {
            open.put(request.id().key(), operation(request.method(), request.params()));
        }
    }

    private Operation operation(String method, Optional<Value> params) {
        return watch.isTracing()
                ? watch.request(method, meta(params, PARENT), meta(params, "tracestate"))
                : watch.request(method, "", "");
    }

    private static String meta(Optional<Value> params, String name) {
        return params.flatMap(all -> all.pointer("/_meta/" + name))
                .filter(value -> value.kind() == Kind.STRING)
                .map(Value::string)
                .orElse("");
    }

    private Operation of(RpcMessage.Request request) {
        return open.getOrDefault(request.id().key(), Operation.NONE);
    }

    /** It was decided whether a request may go on its route. */
    void decided(RpcMessage.Request request, Endpoint.Route route, Admission admission, Guard guard) {
        if (watch.isOn()) {
            Operation operation = of(request);
            operation.about(route.connection().upstream().name(), tool(route));
            operation.decided(verdict(route.connection(), admission, guard));
        }
    }

    /** It was decided whether a message that is no request may go to a server. */
    void decided(String method, Optional<Value> params, Connection connection, Admission admission, Guard guard) {
        if (watch.isOn()) {
            Operation operation = operation(method, params);
            operation.about(connection.upstream().name(), "");
            operation.decided(verdict(connection, admission, guard));
            if (admission instanceof Admission.Refused) {
                operation.outcome(Outcome.DENIED, "");
            }
            operation.end();
        }
    }

    private static String tool(Endpoint.Route route) {
        return route.isToolCall() && route.connection().upstream().lists(route.name()) ? route.name() : "";
    }

    private static Verdict verdict(Connection connection, Admission admission, Guard guard) {
        Policy policy = guard.policy();
        String server = connection.upstream().name();
        return switch (admission) {
            case Admission.Admitted admitted -> {
                Decision decision = admitted.ticket().decision();
                boolean approved = decision.kind() == Decision.Kind.ASK && policy.mode() == Mode.ENFORCE;
                yield new Verdict(
                        server,
                        decision.kind().name().toLowerCase(Locale.ROOT),
                        decision.code(),
                        decision.violations().stream()
                                .map(Violation::id)
                                .distinct()
                                .toList(),
                        policy.digest(),
                        approved ? "approved" : "none",
                        "admitted");
            }
            case Admission.Refused refused -> {
                Denial denial = refused.denial();
                JsonNode mark = denial.meta().path(VendorKeys.DECISION);
                yield new Verdict(
                        server,
                        mark.path("decision").asString("deny"),
                        denial.code(),
                        denial.rules(),
                        policy.digest(),
                        mark.path("approval").path("state").asString("none"),
                        "refused");
            }
        };
    }

    /** Returns what tells the server whose work its request is; empty where it is not to be told. */
    Optional<String> traceparent(RpcMessage.Request request, Endpoint.Route route, Ticket ticket) {
        if (!watch.propagates()) {
            return Optional.empty();
        }
        Operation child = of(request).upstream(route.connection().upstream().name(), ticket.method(), tool(route));
        Operation twice = begun.put(request.id().key(), child);
        if (twice != null) {
            twice.end();
        }
        return Optional.of(child.traceparent()).filter(text -> !text.isEmpty());
    }

    /** A request goes to a server. */
    Operation sent(Connection to, Pending pending) {
        if (!watch.isOn()) {
            return Operation.NONE;
        }
        String server = to.upstream().name();
        return switch (pending) {
            case Pending.Own own -> watch.own(server, own.method());
            case Pending.Abandoned abandoned -> Operation.NONE;
            case Pending.Plain plain -> {
                Operation client = open.getOrDefault(plain.clientKey(), Operation.NONE);
                client.about(server, "");
                yield client.upstream(server, plain.method(), "");
            }
            case Pending.Guarded guarded -> {
                Operation child = begun.remove(guarded.clientKey());
                Ticket ticket = guarded.ticket();
                boolean listed = ticket.method().equals(Methods.TOOLS_CALL)
                        && to.upstream().lists(ticket.name());
                yield child != null
                        ? child
                        : open.getOrDefault(guarded.clientKey(), Operation.NONE)
                                .upstream(server, ticket.method(), listed ? ticket.name() : "");
            }
        };
    }

    /** A request will be answered by Sluice itself, and how. */
    void settled(RpcMessage.Request request, Outcome outcome, String code) {
        of(request).outcome(outcome, code);
    }

    /** A request has its answer, or never will. */
    void over(String key, Outcome unlessSaid) {
        Operation child = begun.remove(key);
        if (child != null) {
            child.outcome(unlessSaid, "");
            child.end();
        }
        Operation operation = open.remove(key);
        if (operation != null) {
            operation.outcome(unlessSaid, "");
            operation.end();
        }
    }

    void opened(Connection line) {
        watch.opened(line.upstream().name());
    }

    void failed(Connection line) {
        watch.failed(line.upstream().name());
    }

    void ended(Connection line) {
        watch.ended(line.upstream().name());
    }

    void close() {
        open.keySet().forEach(key -> over(key, Outcome.LOST));
    }
}
