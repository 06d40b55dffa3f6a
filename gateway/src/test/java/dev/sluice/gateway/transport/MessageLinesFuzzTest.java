package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** However the bytes arrive, the lines are those between line feeds, and only the long ones are not kept. */
final class MessageLinesFuzzTest {

    private static final int LIMIT = 64;

    @FuzzTest
    void next(byte[] bytes) throws IOException {
        List<byte[]> expected = lines(bytes);
        for (int chunk : new int[] {1, 7, 1 << 16}) {
            MessageLines lines = new MessageLines(new Chunks(bytes, chunk), LIMIT);
            for (byte[] each : expected) {
                MessageLines.Line line = lines.next().orElseThrow();
                if (each.length > LIMIT) {
                    MessageLines.TooLong tooLong = assertInstanceOf(MessageLines.TooLong.class, line);
                    assertEquals(each.length, tooLong.bytes());
                    tooLong.id()
                            .ifPresent(id -> assertEquals(id.json(), id.json().strip()));
                } else {
                    assertArrayEquals(
                            each,
                            assertInstanceOf(MessageLines.Text.class, line).bytes());
                }
            }
            assertEquals(Optional.empty(), lines.next());
        }
    }

    private static List<byte[]> lines(byte[] bytes) {
        List<byte[]> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                byte[] line = Arrays.copyOfRange(bytes, from, i);
                from = i + 1;
                boolean blank = true;
                for (byte b : line) {
                    blank &= b == ' ' || b == '\t' || b == '\r';
                }
                if (!blank || line.length > LIMIT) {
                    lines.add(line);
                }
            }
        }
        return lines;
    }

    /** A pipe that hands over a few bytes at a time. */
    private static final class Chunks extends ByteArrayInputStream {

        private final int most;

        Chunks(byte[] bytes, int most) {
            super(bytes);
            this.most = most;
        }

        @Override
        public synchronized int read(byte[] into, int offset, int length) {
            return super.read(into, offset, Math.min(length, most));
        }
    }
}
