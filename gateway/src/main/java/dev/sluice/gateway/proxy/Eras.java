package dev.sluice.gateway.proxy;

import dev.sluice.guard.message.Methods;
import dev.sluice.guard.message.RequestMeta;
import dev.sluice.guard.message.RpcMessage;
import dev.sluice.policy.ServerEra;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Which era to speak with a server: what the operator says, else what it spoke last, else what the client speaks, first. */
final class Eras {

    private static final List<Era> LEGACY_FIRST = List.of(Era.LEGACY, Era.MODERN);
    private static final List<Era> MODERN_FIRST = List.of(Era.MODERN, Era.LEGACY);

    private Eras() {}

    /** Returns the eras to try, in that order. */
    static List<Era> order(ServerEra said, Standing standing, boolean modernClient) {
        return switch (said) {
            case LEGACY -> List.of(Era.LEGACY);
            case MODERN -> List.of(Era.MODERN);
            case AUTO ->
                standing.era().orElse(modernClient ? Era.MODERN : Era.LEGACY) == Era.MODERN
                        ? MODERN_FIRST
                        : LEGACY_FIRST;
        };
    }

    /**
     * Begins a line, and returns in which era it is.
     *
     * @throws IOException where the server answers in none; the message says the mend
     */
    static Era begin(Connection line, Slot.Greeting greeting, List<Era> order) throws IOException {
        IOException why = new IOException("the server `" + line.upstream().name() + "` was not asked");
        for (Era era : order) {
            try {
                if (era == Era.MODERN) {
                    discover(line, greeting, patience(order));
                } else {
                    initialize(line, greeting);
                }
                return era;
            } catch (Refusal e) {
                // Where both are refused, why the handshake was says more of what most servers are.
                why = era == Era.LEGACY || order.get(0) == era ? e : why;
            } catch (IOException e) {
                // A legacy server may say nothing to what it does not know, or end; a handshake is answered by all of
                // its era.
                if (e instanceof NoEra
                        || era == Era.LEGACY
                        || !line.unreachable().isEmpty()) {
                    throw e;
                }
                why = e;
                if (line.hasEnded()) {
                    break;
                }
            }
        }
        // Who says nothing in so long speaks no era, and asking otherwise would not help.
        throw order.size() > 1 || why.getCause() instanceof TimeoutException
                ? why
                : new IOException(why.getMessage() + "; if it speaks the other era, take `era` out of its entry", why);
    }

    /** Returns how long the answer to {@code server/discover} is waited for: for long where nothing else is left to try. */
    static Duration patience(List<Era> order) {
        return order.getLast() == Era.MODERN ? Connection.PATIENCE : Discovery.PATIENCE;
    }

    private static void initialize(Connection line, Slot.Greeting greeting) throws IOException {
        RpcMessage answer = line.ask(Methods.INITIALIZE, legacy(greeting.handshake()));
        if (!(answer instanceof RpcMessage.Result)) {
            throw new Refusal("the server `" + line.upstream().name() + "` refused the handshake");
        }
        line.handshake(answer);
    }

    /** Returns a handshake that a legacy server takes. */
    static JsonNode legacy(JsonNode handshake) {
        if (!handshake.path("protocolVersion").asString("").equals(RequestMeta.REVISION)
                || !(handshake.deepCopy() instanceof ObjectNode legacy)) {
            return handshake;
        }
        return legacy.put("protocolVersion", Revisions.NEWEST);
    }

    private static void discover(Connection line, Slot.Greeting greeting, Duration patience) throws IOException {
        Discovery said = line.discover(greeting, patience);
        String why = "the server `" + line.upstream().name() + "` " + said.why();
        switch (said.word()) {
            case MODERN -> {}
            case LEGACY -> throw new Refusal(why);
            case NEITHER -> throw new NoEra(why);
        }
    }

    /** That a server speaks modern revisions, and none that is served here. */
    private static final class NoEra extends IOException {
        private static final long serialVersionUID = 1L;

        NoEra(String message) {
            super(message);
        }
    }
}
