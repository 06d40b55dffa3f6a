package dev.sluice.gateway.transport;

import dev.sluice.guard.message.OversizeId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Server-sent events, as the HTML standard has them: each event as soon as its last byte came, in bounded memory.
 *
 * <p>An event whose data is over the limit is read to its end and not kept, as {@link MessageLines} does. Comments and
 * fields that nobody knows are skipped, however long. What stands after the last blank line is no event.
 */
final class EventStream {

    /** Longer ids are as none: they come back in a header. */
    private static final int LONGEST_ID = 1_024;

    private static final int LONGEST_NAME = 8;

    private enum Part {
        START,
        NAME,
        AFTER_COLON,
        VALUE,
        SKIPPED
    }

    private enum Field {
        DATA,
        ID,
        EVENT,
        RETRY
    }

    private final InputStream in;
    private final int limit;
    private final byte[] buffer = new byte[1 << 13];
    private int from;
    private int to;
    private boolean first = true;
    private boolean afterReturn;
    private Part part = Part.START;
    private Field field = Field.DATA;
    private final ByteArrayOutputStream name = new ByteArrayOutputStream();
    private final ByteArrayOutputStream value = new ByteArrayOutputStream();
    private boolean valueTooLong;
    private boolean hasData;
    private long length;
    private ByteArrayOutputStream data = new ByteArrayOutputStream();
    private Optional<OversizeId> skimmed = Optional.empty();
    private Optional<String> id = Optional.empty();
    private String type = "";
    private String lastId = "";
    private Optional<Duration> retry = Optional.empty();
    private boolean any;

    EventStream(InputStream in, int limit) {
        this.in = in;
        this.limit = limit;
    }

    /** Returns the data of the next event that holds a message, or empty at the end. */
    Optional<MessageLines.Line> next() throws IOException {
        while (true) {
            if (from == to) {
                from = 0;
                to = Math.max(0, in.read(buffer));
                if (to == 0) {
                    return Optional.empty();
                }
            }
            byte b = buffer[from++];
            boolean restOfEnd = afterReturn && b == '\n';
            afterReturn = b == '\r';
            if (restOfEnd) {
                continue;
            }
            if (b == '\n' || b == '\r') {
                Optional<MessageLines.Line> event = endLine();
                if (event.isPresent()) {
                    return event;
                }
            } else {
                accept(b);
            }
        }
    }

    /** Returns the id of the last event that had one; empty text where none had. */
    String lastId() {
        return lastId;
    }

    /** Returns how long the server wants to be left alone before somebody asks for the rest, where it said so. */
    Optional<Duration> retry() {
        return retry;
    }

    /** Returns whether any event came. */
    boolean any() {
        return any;
    }

    private void accept(byte b) {
        switch (part) {
            case START, NAME -> {
                if (b == ':') {
                    beginValue();
                } else if (name.size() < LONGEST_NAME) {
                    name.write(b);
                    part = Part.NAME;
                } else {
                    part = Part.SKIPPED;
                }
            }
            case AFTER_COLON -> {
                part = Part.VALUE;
                if (b != ' ') {
                    value(b);
                }
            }
            case VALUE -> value(b);
            case SKIPPED -> {}
        }
    }

    private void beginValue() {
        byte[] written = name.toByteArray();
        int mark = first && written.length > 2 && (written[0] & 0xff) == 0xef && (written[1] & 0xff) == 0xbb ? 3 : 0;
        first = false;
        part = Part.AFTER_COLON;
        switch (new String(written, mark, written.length - mark, StandardCharsets.ISO_8859_1)) {
            case "data" -> {
                field = Field.DATA;
                if (hasData) {
                    data((byte) '\n');
                }
                hasData = true;
            }
            case "id" -> field = Field.ID;
            case "event" -> field = Field.EVENT;
            case "retry" -> field = Field.RETRY;
            default -> part = Part.SKIPPED;
        }
    }

    private void value(byte b) {
        if (field == Field.DATA) {
            data(b);
        } else if (value.size() < LONGEST_ID) {
            value.write(b);
        } else {
            valueTooLong = true;
        }
    }

    private void data(byte b) {
        length++;
        if (skimmed.isEmpty() && length > limit) {
            OversizeId reader = new OversizeId();
            for (byte each : data.toByteArray()) {
                reader.accept(each);
            }
            skimmed = Optional.of(reader);
            data = new ByteArrayOutputStream(0);
        }
        if (skimmed.isPresent()) {
            skimmed.get().accept(b);
        } else {
            data.write(b);
        }
    }

    private Optional<MessageLines.Line> endLine() {
        if (part == Part.START) {
            first = false;
            return dispatch();
        }
        if (part == Part.NAME) {
            beginValue(); // a field without a colon has an empty value
        }
        if (part != Part.SKIPPED && !valueTooLong) {
            String text = value.toString(StandardCharsets.UTF_8);
            switch (field) {
                case ID -> id = Optional.of(text).filter(EventStream::canBeSentBack);
                case EVENT -> type = text;
                case RETRY -> {
                    if (text.matches("[0-9]{1,9}")) {
                        retry = Optional.of(Duration.ofMillis(Long.parseLong(text)));
                    }
                }
                case DATA -> {}
            }
        }
        part = Part.START;
        name.reset();
        value.reset();
        valueTooLong = false;
        return Optional.empty();
    }

    private static boolean canBeSentBack(String id) {
        return id.chars().allMatch(c -> c >= 0x20 && c < 0x7f) && id.equals(id.strip());
    }

    private Optional<MessageLines.Line> dispatch() {
        any |= hasData || id.isPresent();
        lastId = id.orElse(lastId);
        id = Optional.empty();
        MessageLines.Line line = skimmed.isPresent()
                ? new MessageLines.TooLong(length, skimmed.get())
                : new MessageLines.Text(data.toByteArray());
        boolean holdsMessage = hasData && length > 0 && (type.isEmpty() || type.equals("message"));
        hasData = false;
        length = 0;
        type = "";
        skimmed = Optional.empty();
        data = new ByteArrayOutputStream();
        return holdsMessage ? Optional.of(line) : Optional.empty();
    }
}
