package dev.sluice.guard.message;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads only the id of a message that is too large to keep, as its bytes pass by.
 *
 * <p>Follows strings and nesting, nothing else, in constant memory. So the request that a giant answer belongs to can be
 * answered with an error and does not wait for ever. A message that does not end well has no id.
 */
public final class OversizeId {

    private enum State {
        BEFORE,
        KEY,
        AFTER_KEY,
        VALUE
    }

    private final ByteArrayOutputStream captured = new ByteArrayOutputStream();
    private int depth;
    private boolean inString;
    private boolean escaped;
    private boolean overflow;
    private String key = "";
    private State state = State.BEFORE;
    private Optional<RpcId> id = Optional.empty();
    private boolean hasMethod;

    /** Takes the next byte of the message. */
    public void accept(byte b) {
        if (inString) {
            acceptInString(b);
            return;
        }
        switch (b) {
            case '"' -> {
                inString = true;
                if (depth == 1 && state == State.BEFORE) {
                    state = State.KEY;
                    captured.reset();
                } else if (depth == 1 && state == State.VALUE) {
                    capture(b);
                }
            }
            case '{', '[' -> depth++;
            case '}', ']' -> {
                if (depth == 1) {
                    endMember();
                }
                depth--;
            }
            case ':' -> {
                if (depth == 1 && state == State.AFTER_KEY) {
                    state = State.VALUE;
                    captured.reset();
                    overflow = false;
                }
            }
            case ',' -> {
                if (depth == 1) {
                    endMember();
                }
            }
            default -> {
                if (depth == 1 && state == State.VALUE && b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                    capture(b);
                }
            }
        }
    }

    private void acceptInString(byte b) {
        boolean ends = b == '"' && !escaped;
        escaped = b == '\\' && !escaped;
        if (depth == 1 && (state == State.KEY || state == State.VALUE) && !(ends && state == State.KEY)) {
            capture(b);
        }
        if (ends) {
            inString = false;
            if (depth == 1 && state == State.KEY) {
                key = name();
                state = State.AFTER_KEY;
            }
        }
    }

    private void capture(byte b) {
        if (captured.size() < RpcId.LONGEST) {
            captured.write(b);
        } else {
            overflow = true;
        }
    }

    /** Returns the name of a member; one may be written with escapes. */
    private String name() {
        String written = captured.toString(StandardCharsets.UTF_8);
        if (written.indexOf('\\') < 0) {
            return written;
        }
        try {
            return JsonIndex.parse(('"' + written + '"').getBytes(StandardCharsets.UTF_8))
                    .root()
                    .string();
        } catch (MalformedJsonException e) {
            return written;
        }
    }

    private void endMember() {
        if (state == State.VALUE && key.equals("id") && !overflow) {
            try {
                id = Optional.of(
                        RpcId.of(JsonIndex.parse(captured.toByteArray()).root()));
            } catch (RuntimeException e) {
                id = Optional.empty();
            }
        }
        hasMethod |= key.equals("method");
        key = "";
        state = State.BEFORE;
    }

    /** Returns the id of an answer that passed by whole; empty where it had none, or was a request. */
    public Optional<RpcId> ofAnswer() {
        return isWhole() && !hasMethod ? id : Optional.empty();
    }

    /** Returns the id of a request that passed by whole; empty where it had none, or was an answer. */
    public Optional<RpcId> ofRequest() {
        return isWhole() && hasMethod ? id : Optional.empty();
    }

    private boolean isWhole() {
        return depth == 0 && !inString;
    }
}
