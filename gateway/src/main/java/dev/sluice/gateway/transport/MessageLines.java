package dev.sluice.gateway.transport;

import dev.sluice.guard.message.OversizeId;
import dev.sluice.guard.message.RpcId;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
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

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;
    private static final long LINE_FEEDS = ONES * '\n';
    private static final byte[] NOTHING = {};

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
        byte[] kept = NOTHING;
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
            int end = lineEnd(from, to);
            int before = (int) Math.min(length, limit);
            length += end - from;
            if (skimmed == null && length > limit) {
                skimmed = new OversizeId();
                for (int i = 0; i < before; i++) {
                    skimmed.accept(kept[i]);
                }
                kept = NOTHING;
            }
            boolean ended = end < to;
            if (skimmed != null) {
                for (int i = from; i < end; i++) {
                    skimmed.accept(buffer[i]);
                }
            } else {
                if (kept.length < length) {
                    // The rest of a line mostly comes in parts of one size; a line of one part is as long as it is.
                    kept = Arrays.copyOf(kept, (int) (ended ? length : Math.min(limit, 2 * length)));
                }
                System.arraycopy(buffer, from, kept, before, end - from);
            }
            from = ended ? end + 1 : end;
            if (ended) {
                return Optional.of(
                        skimmed == null
                                ? new Text(kept.length == length ? kept : Arrays.copyOf(kept, (int) length))
                                : new TooLong(length, skimmed));
            }
        }
    }

    /** Returns where the line feed is, else {@code end}; eight bytes at a time. */
    private int lineEnd(int start, int end) {
        int at = start;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long other = (long) WORDS.get(buffer, at) ^ LINE_FEEDS; // a line feed becomes 0
            long found = (other - ONES) & ~other & TOPS;
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < end && buffer[at] != '\n') {
            at++;
        }
        return at;
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
