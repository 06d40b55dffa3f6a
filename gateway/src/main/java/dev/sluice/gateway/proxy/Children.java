package dev.sluice.gateway.proxy;

import dev.sluice.gateway.transport.UpstreamLink;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** How many child processes there are, and who they run for; none is started beyond the caps. */
public final class Children {

    private final int most;
    private final int mostOfOne;
    private final Map<String, Integer> running = new HashMap<>();
    private int all;

    public Children(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /**
     * Returns {@code child}, which counts until it is closed.
     *
     * @param principal who it runs for; empty text for all
     * @throws IOException where there are as many as there may be
     */
    public UpstreamLink counted(String server, String principal, UpstreamLink child) throws IOException {
        synchronized (running) {
            int own = running.getOrDefault(principal, 0);
            if (all >= most || own >= mostOfOne) {
                throw new IOException("the server `" + server + "` can't be started: "
                        + (own >= mostOfOne
                                ? mostOfOne + " servers run for this client already"
                                : most + " servers run already")
                        + "; end a session that is not needed, or say `shared: true` of servers that keep no state");
            }
            running.put(principal, own + 1);
            all++;
        }
        return new Counted(principal, child);
    }

    private final class Counted implements UpstreamLink {
        private final String principal;
        private final UpstreamLink child;
        private final AtomicBoolean counts = new AtomicBoolean(true);

        Counted(String principal, UpstreamLink child) {
            this.principal = principal;
            this.child = child;
        }

        @Override
        public void start(Receiver receiver) throws IOException {
            child.start(receiver);
        }

        @Override
        public void send(byte[] message) throws IOException {
            child.send(message);
        }

        @Override
        public void send(byte[] message, Map<String, String> headers) throws IOException {
            child.send(message, headers);
        }

        @Override
        public boolean hasHeaders() {
            return child.hasHeaders();
        }

        @Override
        public void close() {
            try {
                child.close();
            } finally {
                if (counts.compareAndSet(true, false)) {
                    synchronized (running) {
                        all--;
                        running.computeIfPresent(principal, (key, own) -> own == 1 ? null : Integer.valueOf(own - 1));
                    }
                }
            }
        }
    }
}
