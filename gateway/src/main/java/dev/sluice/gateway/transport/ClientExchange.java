package dev.sluice.gateway.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One HTTP answer: a message as JSON, or events as they come. */
final class ClientExchange implements StreamWriter {

    private static final byte[] BEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final Response response;
    private final Manner manner;
    private final BooleanSupplier welcome;
    private final Ending ending;

    /** How events are written. */
    enum Manner {
        /** With ids to come back by, the first of which has an event of its own. */
        PRIMED,
        /** The same, for a client of a revision before 2025-11-25, which does not take an event without a message. */
        NAMED,
        /** Without ids, since nobody comes back; and a refusal has a status of its own. */
        MODERN
    }

    private boolean streaming;

    /**
     * @param welcome whether the client may still be told anything
     * @param ending how the answer ends where whoever began it left
     */
    ClientExchange(Response response, Manner manner, BooleanSupplier welcome, Ending ending) {
        this.ending = ending;
        this.response = response;
        this.welcome = welcome;
        this.manner = manner;
    }

    @Override
    public boolean isStreaming() {
        return streaming;
    }

    @Override
    public boolean isWelcome() {
        return welcome.getAsBoolean();
    }

    @Override
    public void answer(byte[] message) throws IOException {
        json(response, status(message), message);
    }

    @Override
    public void answerAndEnd(byte[] message, Runnable lost) {
        try {
            head(response, status(message));
            response.write(true, ByteBuffer.wrap(message), Callback.from(() -> end(null), why -> lost(why, lost)));
        } catch (RuntimeException e) {
            lost(e, lost); // the server under us ended the exchange first; whoever brings the answer has other work
        }
    }

    private int status(byte[] answer) {
        return manner == Manner.MODERN ? ModernStatus.of(answer) : 200;
    }

    /** Where an answer can't be written, its client went away or reads too slowly. */
    private void lost(Throwable why, Runnable lost) {
        lost.run();
        end(why instanceof IOException ? why : new IOException("the client does not take its answer", why));
    }

    @Override
    public void leave() {
        ending.leave();
    }

    @Override
    public void end(@Nullable Throwable fault) {
        ending.end(fault);
    }

    @Override
    public void begin(String id) throws IOException {
        streaming = true;
        response.setStatus(200);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
        // Without this, what stands before us may keep events until it has many.
        response.getHeaders().put("X-Accel-Buffering", "no");
        write(
                manner == Manner.PRIMED
                        ? ("id: " + id + "\nretry: 1000\ndata:\n\n").getBytes(StandardCharsets.US_ASCII)
                        : new byte[0]);
    }

    @Override
    public void event(String id, byte[] message) throws IOException {
        byte[] head =
                ((manner == Manner.MODERN ? "" : "id: " + id + "\n") + "data: ").getBytes(StandardCharsets.US_ASCII);
        byte[] line = MessageLines.oneLine(message);
        byte[] event = new byte[head.length + line.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(line, 0, event, head.length, line.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        write(event);
    }

    @Override
    public void beat() throws IOException {
        write(BEAT);
    }

    private void write(byte[] bytes) throws IOException {
        Content.Sink.write(response, false, ByteBuffer.wrap(bytes));
    }

    static void json(Response response, int status, byte[] json) throws IOException {
        head(response, status);
        Content.Sink.write(response, true, ByteBuffer.wrap(json));
    }

    private static void head(Response response, int status) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    }
}
