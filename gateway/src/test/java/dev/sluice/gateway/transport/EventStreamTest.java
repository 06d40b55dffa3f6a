package dev.sluice.gateway.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Server-sent events, in every spelling, however they are cut. */
class EventStreamTest {

    private static EventStream of(String text) {
        return new EventStream(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 64);
    }

    private static List<String> all(EventStream stream) throws IOException {
        List<String> events = new ArrayList<>();
        for (var next = stream.next(); next.isPresent(); next = stream.next()) {
            events.add(
                    switch (next.get()) {
                        case MessageLines.Text text -> new String(text.bytes(), StandardCharsets.UTF_8);
                        case MessageLines.TooLong line ->
                            line.bytes() + " bytes, of "
                                    + line.id().map(id -> id.json()).orElse("nobody");
                    });
        }
        return events;
    }

    @Test
    void lineEnds_areOfAllThreeKinds() throws IOException {
        assertEquals(List.of("a", "b", "c\nd"), all(of("data: a\n\ndata: b\r\n\r\ndata:c\rdata: d\r\r")));
    }

    @Test
    void fieldsAndComments_areReadAsTheStandardSays() throws IOException {
        String events =
                "\ufeff: hello|id: 1|data:  a|other: x|long-name-of-a-field: y||id|data: b||event: ping|data: c||"
                        + "event: message|data: d||id: 5|retry: 250|retry: soon|data||";
        EventStream stream = of(events.replace('|', '\n'));
        assertEquals(List.of(" a", "b", "d"), all(stream));
        assertEquals("5", stream.lastId());
        assertEquals(Optional.of(Duration.ofMillis(250)), stream.retry());
    }

    @Test
    void byteOrderMarkBeforeData_isNoPartOfTheField() throws IOException {
        assertEquals(List.of("a"), all(of("\ufeffdata: a\n\n")));
    }

    @Test
    void halfAnEvent_isNone() throws IOException {
        EventStream stream = of("id: 1\ndata: a\n\nid: 2\ndata: b\n");
        assertEquals(List.of("a"), all(stream));
        assertEquals("1", stream.lastId(), "what was not handed on is asked for again");
        assertFalse(of("").any());
    }

    @Test
    void eventOverTheLimit_isSkippedWithItsId() throws IOException {
        String answer = "{\"id\":7,\"result\":\"" + "x".repeat(100) + "\"}";
        assertEquals(List.of(answer.length() + " bytes, of 7", "b"), all(of("data: " + answer + "\n\ndata: b\n\n")));
        assertEquals(List.of("a".repeat(64)), all(of("data: " + "a".repeat(64) + "\n\n")));
        assertEquals(List.of("65 bytes, of nobody"), all(of("data: " + "a".repeat(64) + "\ndata:\n\n")));
    }

    @Test
    void idThatNoHeaderCanHold_isNone() throws IOException {
        for (String id : List.of("\u00e9", "a\u0000b", " padded", "x".repeat(1_025))) {
            EventStream stream = of("id: 1\ndata: a\n\nid: " + id + "\ndata: b\n\n");
            assertEquals(List.of("a", "b"), all(stream));
            assertEquals("1", stream.lastId(), id);
        }
    }

    @Test
    void cutAnywhere_itReadsTheSame() throws IOException {
        SplittableRandom random = new SplittableRandom(20251130);
        String[] parts = {"data: {\"a\":1}", "data:", "id: 1", ":c", "event: x", "retry: 5", "", "", "\u20ac"};
        String[] ends = {"\n", "\r", "\r\n"};
        for (int round = 0; round < 500; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                text.append(parts[random.nextInt(parts.length)]).append(ends[random.nextInt(ends.length)]);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            EventStream whole = of(text.toString());
            EventStream cut = new EventStream(
                    new InputStream() {
                        private int at;

                        @Override
                        public int read() {
                            return at < bytes.length ? bytes[at++] & 0xff : -1;
                        }

                        @Override
                        public int read(byte[] to, int from, int length) {
                            int next = read();
                            if (next < 0) {
                                return -1;
                            }
                            to[from] = (byte) next;
                            return 1;
                        }
                    },
                    64);
            assertEquals(all(whole), all(cut), text.toString());
            assertEquals(whole.lastId(), cut.lastId(), text.toString());
            assertEquals(whole.retry(), cut.retry(), text.toString());
        }
    }
}
