package dev.sluice.gateway.proxy;

import dev.sluice.guard.Ticket;
import dev.sluice.guard.message.RpcId;
import dev.sluice.guard.message.RpcMessage;
import java.util.concurrent.CompletableFuture;

/** A request that an upstream has not answered yet. */
sealed interface Pending {

    /** Returns the key of the client's request; empty for one of our own. */
    String clientKey();

    /** Returns the client's token for progress on it, as JSON; empty where it wants none. */
    String progressToken();

    /** One that Sluice asked for itself. */
    record Own(String method, CompletableFuture<RpcMessage> answer) implements Pending {
        @Override
        public String clientKey() {
            return "";
        }

        @Override
        public String progressToken() {
            return "";
        }
    }

    /**
     * One that the client took back: its answer is for nobody.
     *
     * @param canAsk whether it was a call in whose answer a client could be asked something
     */
    record Abandoned(boolean canAsk) implements Pending {
        @Override
        public String clientKey() {
            return "";
        }

        @Override
        public String progressToken() {
            return "";
        }
    }

    /**
     * One that carries no data to judge.
     *
     * @param definitions which definitions of tools were known when it was asked, as {@link Connection#definitions} says
     * @param first whether, of a list, the first page was asked for
     */
    record Plain(RpcId clientId, String method, String progressToken, long definitions, boolean first)
            implements Pending {

        /** Returns what {@code request} is, which goes to {@code line} now. */
        static Plain of(RpcMessage.Request request, Connection line) {
            return new Plain(
                    request.id(),
                    request.method(),
                    ProxySession.progressToken(request),
                    line.definitions(),
                    isFirstPage(request));
        }

        /** Later pages of a list alone are not all of it; and the first may be of what was before a change. */
        private static boolean isFirstPage(RpcMessage.Request request) {
            return request.params().flatMap(params -> params.pointer("/cursor")).isEmpty();
        }

        @Override
        public String clientKey() {
            return clientId.key();
        }
    }

    /**
     * One that the guard admitted.
     *
     * @param clientName by what name the client asked; empty where it named nothing
     * @param request what the client asked
     */
    record Guarded(RpcId clientId, Ticket ticket, String progressToken, String clientName, RpcMessage.Request request)
            implements Pending {
        @Override
        public String clientKey() {
            return clientId.key();
        }
    }
}
