package dev.sluice.gateway.transport;

import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.RpcId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * The stdio framing of MCP: one message a line, UTF-8, ended by a line feed.
 *
 * <p>A line over the limit is read to its end and not kept; only the id of the answer it was is remembered. What stands
 * after the last line feed is no message: a process that dies while it writes leaves half of one.
 */
public final class MessageLines {

    /** One line. */
    public sealed interface Line {}

    /** A line within the limit, without its end. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares lines
    public record Text(byte[] bytes) implements Line {}

    /**
     * A line over the limit.
     *
     * @param bytes how long it was
     * @param answers the request that it answered; empty where it can't be told
     */
    public record TooLong(long bytes, OversizeId answers) implements Line {
        /** Returns the request that the line answered, or empty where it can't be told. */
        public Optional<RpcId> id() {
            return answers.ofAnswer();
        }
    }

    private final InputStream in;
    private final int limit;
    private final byte[] buffer = new byte[1 << 16];
    private int from;
    private int to;

    public MessageLines(InputStream in, int limit) {
        this.in = in;
        this.limit = limit;
    }

    /** Returns the next line that holds anything, or empty at the end. */
    public Optional<Line> next() throws IOException {
        while (true) {
            Optional<Line> line = read();
            if (line.isEmpty() || !(line.get() instanceof Text text) || !isBlank(text.bytes())) {
                return line;
            }
        }
    }

    private Optional<Line> read() throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        OversizeId skimmed = null;
        long length = 0;
        while (true) {
            if (from == to) {
                from = 0;
                to = in.read(buffer);
                if (to < 0) {
                    to = 0;
                    return Optional.empty();
                }
            }
            int end = from;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            length += end - from;
            if (skimmed == null && length > limit) {
                skimmed = new OversizeId();
                for (byte b : kept.toByteArray()) {
                    skimmed.accept(b);
                }
                kept = new ByteArrayOutputStream(0);
            }
            if (skimmed != null) {
                for (int i = from; i < end; i++) {
                    skimmed.accept(buffer[i]);
                }
            } else {
                kept.write(buffer, from, end - from);
            }
            boolean ended = end < to;
            from = ended ? end + 1 : end;
            if (ended) {
                return Optional.of(skimmed == null ? new Text(kept.toByteArray()) : new TooLong(length, skimmed));
            }
        }
    }

    /** Returns {@code message} without line ends; outside strings, where JSON has them, a space means the same. */
    static byte[] oneLine(byte[] message) {
        byte[] line = message;
        boolean copied = false;
        for (int i = 0; i < message.length; i++) {
            if (message[i] == '\n' || message[i] == '\r') {
                if (!copied) {
                    line = message.clone();
                    copied = true;
                }
                line[i] = ' ';
            }
        }
        return line;
    }

    private static boolean isBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }
}
