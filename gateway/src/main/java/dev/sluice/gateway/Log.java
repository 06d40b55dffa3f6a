package dev.sluice.gateway;

import java.time.Clock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where Sluice says what a person who runs it should know: one line at a time, never a payload or a secret.
 *
 * <p>What only a person at the same machine should read, such as who would have received a message, is a line's detail: it
 * stands in lines for people and never in those for programs, which are collected elsewhere.
 */
@FunctionalInterface
public interface Log {

    /** Says one line for people. */
    void line(String text);

    /** Says one line. */
    default void line(LogEvent event, String text) {
        line(text);
    }

    /** Says one line, and to people {@code detail} after it. */
    default void line(LogEvent event, String text, String detail) {
        line(text + detail);
    }

    /** Says what failed for a reason that nobody foresaw; its message, which may hold anything, is a detail. */
    default void fault(LogEvent event, String text, Throwable fault) {
        line(text + ": " + fault.getMessage());
    }

    /**
     * Returns this log for lines about something.
     *
     * @param key {@code session}, {@code principal} or {@code server}
     */
    default Log about(String key, String value) {
        return this;
    }

    /** Returns a log on standard error, each line begun with {@code sluice: }. */
    static Log stderr() {
        return people(System.err::println);
    }

    /** Returns a log of lines for people, each begun with {@code sluice: }. */
    static Log people(Consumer<String> lines) {
        return text -> lines.accept("sluice: " + plain(text));
    }

    /** Returns a log on standard error: each line a JSON object. */
    static Log json(Clock clock) {
        return json(clock, System.err::println);
    }

    /** Returns a log of lines for programs: each a JSON object. */
    static Log json(Clock clock, Consumer<String> lines) {
        return new LogObjects(clock, lines);
    }

    /**
     * Returns {@code text} as one line that moves no cursor and colours nothing: whatever is no printable character, or
     * turns the direction of writing, is written as its code, since names of servers stand in such lines.
     */
    static String plain(@Nullable String text) {
        String all = String.valueOf(text).replace('\n', ' ').replace('\r', ' ');
        if (all.codePoints().noneMatch(Log::isUnseen)) {
            return all;
        }
        StringBuilder plain = new StringBuilder(all.length() + 16);
        all.codePoints().forEach(point -> {
            if (isUnseen(point)) {
                plain.append("\\u{").append(Integer.toHexString(point)).append('}');
            } else {
                plain.appendCodePoint(point);
            }
        });
        return plain.toString();
    }

    private static boolean isUnseen(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
