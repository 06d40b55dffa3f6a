package dev.sluice.gateway.proxy;

import dev.sluice.gateway.Log;
import dev.sluice.gateway.transport.UpstreamLink;
import dev.sluice.policy.ServerPolicy;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * One server that a session can have a line to.
 *
 * @param policy what the operator says of it
 * @param links makes lines to it
 * @param standing how it does, and which era it speaks, so far as a line to it has shown
 */
public record Server(ServerPolicy policy, Links links, Standing standing) {

    /** Makes lines to one server. */
    @FunctionalInterface
    public interface Links {
        /**
         * Returns a new line, which is not begun yet.
         *
         * @param principal who it is for
         * @throws IOException where there can be no more; the message says the mend
         */
        UpstreamLink link(String principal) throws IOException;
    }

    public Server(ServerPolicy policy, Links links) {
        this(policy, links, new Standing());
    }

    /**
     * Returns a server of which one line serves all sessions.
     *
     * @param links makes that line
     * @param close told what must be closed in the end
     */
    public static Server shared(ServerPolicy policy, Links links, Consumer<Runnable> close, Log log) {
        SharedLine line = new SharedLine(policy, links, log);
        close.accept(line::close);
        return new Server(policy, principal -> line.tap());
    }
}
