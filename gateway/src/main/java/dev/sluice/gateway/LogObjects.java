package dev.sluice.gateway;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A log for programs: one JSON object a line, with {@code time}, {@code level}, {@code event}, what it is about, and
 * {@code message}. Details for people are left out.
 */
final class LogObjects implements Log {

    private final Clock clock;
    private final Consumer<String> out;
    private final Map<String, String> about;

    LogObjects(Clock clock, Consumer<String> out) {
        this(clock, out, Map.of());
    }

    private LogObjects(Clock clock, Consumer<String> out, Map<String, String> about) {
        this.clock = clock;
        this.out = out;
        this.about = about;
    }

    @Override
    public void line(String text) {
        write(LogEvent.MESSAGE, text, "");
    }

    @Override
    public void line(LogEvent event, String text) {
        write(event, text, "");
    }

    @Override
    public void line(LogEvent event, String text, String detail) {
        write(event, text, "");
    }

    @Override
    public void fault(LogEvent event, String text, Throwable fault) {
        write(event, text, place(fault));
    }

    /** Returns what kind of fault it is and where of ours it came up, which is no data. */
    private static String place(Throwable fault) {
        String kind = fault.getClass().getSimpleName();
        for (StackTraceElement frame : fault.getStackTrace()) {
            if (frame.getClassName().startsWith("dev.sluice.")) {
                return kind + " at " + frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return kind;
    }

    @Override
    public Log about(String key, String value) {
        Map<String, String> more = new TreeMap<>(about);
        more.put(key, value);
        return new LogObjects(clock, out, Collections.unmodifiableMap(more));
    }

    private void write(LogEvent event, String text, String fault) {
        ObjectNode line = JsonNodeFactory.instance.objectNode();
        line.put("time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString());
        line.put("level", event.level().name().toLowerCase(Locale.ROOT));
        line.put("event", event.id());
        about.forEach((key, value) -> line.put(key, Log.plain(value)));
        if (!fault.isEmpty()) {
            line.put("fault", fault);
        }
        line.put("message", Log.plain(text));
        out.accept(line.toString());
    }
}
