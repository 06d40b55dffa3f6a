package dev.sluice.gateway.transport;

import dev.sluice.guard.message.RpcId;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A line that is begun before it is known who listens to it: what comes waits until then, and that it ended is known at once
 * where nothing came before.
 */
public final class EarlyLink implements UpstreamLink, UpstreamLink.Receiver {

    private static final Receiver NOBODY = new Receiver() {
        @Override
        public void text(byte[] bytes) {}

        @Override
        public void tooLong(MessageLines.TooLong line) {}

        @Override
        public boolean awaits(RpcId id) {
            return false;
        }

        @Override
        public void lost(RpcId id, String why, boolean entered) {}

        @Override
        public void unreachable(String why) {}

        @Override
        public void ended(String why) {}
    };

    private final UpstreamLink link;
    private final Consumer<String> over;
    private final CompletableFuture<Receiver> receiver = new CompletableFuture<>();

    /**
     * Makes a line that is not begun.
     *
     * @param link the line itself
     * @param over told why it ended, after whoever listens was
     */
    public EarlyLink(UpstreamLink link, Consumer<String> over) {
        this.link = link;
        this.over = over;
    }

    /**
     * Begins the line.
     *
     * @throws IOException where the upstream can't be started; the message says the mend
     */
    public void begin() throws IOException {
        link.start(this);
    }

    /**
     * Says who listens from now on.
     *
     * @throws IOException where somebody does already, or did: the line can't be begun again
     */
    @Override
    public void start(Receiver to) throws IOException {
        if (!receiver.complete(to)) {
            throw new IOException("its line has ended, and it is not started again");
        }
    }

    @Override
    public void send(byte[] message) throws IOException {
        link.send(message);
    }

    @Override
    public void send(byte[] message, Map<String, String> headers) throws IOException {
        link.send(message, headers);
    }

    @Override
    public boolean hasHeaders() {
        return link.hasHeaders();
    }

    @Override
    public void close() {
        receiver.complete(NOBODY); // else what came and waits would hold up the end
        link.close();
    }

    @Override
    public void text(byte[] bytes) {
        receiver.join().text(bytes);
    }

    @Override
    public void text(byte[] bytes, RpcId stream) {
        receiver.join().text(bytes, stream);
    }

    @Override
    public void tooLong(MessageLines.TooLong line) {
        receiver.join().tooLong(line);
    }

    @Override
    public boolean awaits(RpcId id) {
        return receiver.isDone() && receiver.join().awaits(id);
    }

    @Override
    public void lost(RpcId id, String why, boolean entered) {
        receiver.join().lost(id, why, entered);
    }

    @Override
    public void refused(RpcId id, String why) {
        receiver.join().refused(id, why);
    }

    @Override
    public void unreachable(String why) {
        receiver.join().unreachable(why);
    }

    @Override
    public void renewed() {
        receiver.join().renewed();
    }

    @Override
    public void ended(String why) {
        if (receiver.complete(NOBODY)) {
            over.accept(why);
            return;
        }
        receiver.join().ended(why);
        over.accept(why);
    }
}
