package dev.sluice.guard;

import dev.sluice.policy.Call;
import dev.sluice.policy.Effect;
import dev.sluice.policy.ToolDefinition;
import dev.sluice.policy.ToolStatement;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** When a server is asked what a call does, and what asking it is: a read at the server, with the arguments of the call. */
final class Resolving {

    private Resolving() {}

    /**
     * That a call can be decided better once its server was asked what it does. Thrown out of the transaction, which must not
     * wait for that and then has done nothing.
     */
    static final class Needed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Inbound.ToolCall call;
        private final transient ToolResolver resolver;
        private final transient List<Edit> expanded;
        private final transient JsonNode arguments;

        /**
         * @param expanded how handles in the call become their values
         * @param arguments what its arguments are then
         */
        Needed(Inbound.ToolCall call, ToolResolver resolver, List<Edit> expanded, JsonNode arguments) {
            super("the call is resolved", null, false, false);
            this.call = call;
            this.resolver = resolver;
            this.expanded = expanded;
            this.arguments = arguments;
        }

        /** Completes with what came of it; never with a fault. */
        CompletionStage<Resolution> ask(Clock clock) {
            Upstream upstream = call.upstream();
            ToolDefinition tool = upstream.definition(call.tool());
            CompletableFuture<JsonNode> answer;
            try {
                answer = resolver.resolve(expanded).thenApply(each -> each).toCompletableFuture();
            } catch (RuntimeException e) {
                answer = CompletableFuture.failedFuture(e);
            }
            return answer.orTimeout(resolver.within().toMillis(), TimeUnit.MILLISECONDS)
                    .handle((result, fault) -> {
                        if (fault != null) {
                            upstream.resolving().failed(clock.instant());
                        } else {
                            upstream.resolving().worked();
                        }
                        return fault != null ? Resolution.failed(arguments) : Resolution.of(tool, arguments, result);
                    })
                    .exceptionally(fault -> Resolution.failed(arguments))
                    .thenApply(resolution -> {
                        say(resolution);
                        return resolution;
                    });
        }

        private void say(Resolution resolution) {
            String why = switch (resolution.result()) {
                case BEYOND -> "says worse of it than its definition: what is worse of both counts";
                case UNUSABLE -> "gave no well-formed definition of it: the definition in its list counts";
                case FAILED -> "gave no answer: the definition in its list counts";
                case WITHIN, PAUSED -> "";
            };
            if (!why.isEmpty()) {
                resolver.say("asked what a call of `" + Records.shown(call.tool()) + "` does, `"
                        + call.upstream().name() + "` " + why);
            }
        }
    }

    /** Returns who is to be asked about {@code inbound}; null where nobody is, or nothing that is said would count. */
    static @Nullable ToolResolver resolver(Inbound inbound) {
        if (!(inbound instanceof Inbound.ToolCall call) || call.resolver() == null) {
            return null;
        }
        Upstream upstream = call.upstream();
        boolean asked = upstream.policy().resolves()
                && upstream.definition(call.tool()).resolves()
                && !isAllStated(upstream.stated(call.tool()));
        return asked ? call.resolver() : null;
    }

    /** What the operator or a shipped profile says outranks the server. */
    private static boolean isAllStated(ToolStatement stated) {
        return stated.effects() != null
                && stated.review() != null
                && (stated.audience() != null || !stated.effects().contains(Effect.SENDS));
    }

    /**
     * Returns {@code call}, if all it did were to show its arguments to its server: it must be allowed before they are sent
     * there to ask what it does. A person whom the operator wants to look at each call looks first.
     */
    static Call asRead(Call call) {
        ToolStatement stated = call.stated();
        ToolStatement read = new ToolStatement(
                Set.of(Effect.READS),
                null,
                null,
                stated.review() != null && stated.review(),
                stated.payload(),
                stated.resource(),
                stated.derives(),
                stated.returns(),
                stated.inert(),
                stated.accepts(),
                stated.steers(),
                stated.alone(),
                stated.declassifies());
        return new Call(
                call.tool(),
                read,
                call.arguments(),
                call.session(),
                call.pinned(),
                call.serverBelieved(),
                call.values(),
                call.circumstances());
    }

    /** Returns {@code call}, with what its server says of it. */
    static Call resolved(Call call, @Nullable Resolution resolution) {
        if (resolution == null || resolution.said() == null) {
            return call;
        }
        return new Call(
                resolution.of(call.tool(), call.arguments()),
                call.stated(),
                call.arguments(),
                call.session(),
                call.pinned(),
                call.serverBelieved(),
                call.values(),
                call.circumstances());
    }
}
