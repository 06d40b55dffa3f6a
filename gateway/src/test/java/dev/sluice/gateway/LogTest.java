package dev.sluice.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a line of the log is written as, whatever stands in it. */
class LogTest {

    private final List<String> lines = new ArrayList<>();
    private final Log log =
            new LogObjects(Clock.fixed(Instant.parse("2026-11-30T12:00:00.123456Z"), ZoneOffset.UTC), lines::add);

    @Test
    void namesThatWouldForgeLinesOrMoveTheCursor_areWrittenOut() {
        assertEquals("a b", Log.plain("a\nb"));
        assertEquals("a  b", Log.plain("a\r\nb"));
        assertEquals("\\u{1b}[2K\\u{1b}[1Agone", Log.plain("\u001b[2K\u001b[1Agone"));
        assertEquals("\\u{202e}gnp.exe", Log.plain("\u202egnp.exe"));
        assertEquals("\\u{2028}\\u{2029}\\u{85}\\u{0}\\u{9}", Log.plain("\u2028\u2029\u0085\u0000\t"));
        assertEquals("\\u{d800}", Log.plain("\ud800"));
        assertEquals("sch\u00f6n \ud83d\ude42", Log.plain("sch\u00f6n \ud83d\ude42"));
        assertEquals("null", Log.plain(null));
    }

    @Test
    void line_isOneObject() {
        log.about("session", "0a1b2c3d")
                .about("server", "ma\nil\u001b[31m")
                .line(LogEvent.CALL_DENIED, "denied \"x\"\n{\"level\":\"info\"}");

        assertEquals(
                List.of("{\"time\":\"2026-11-30T12:00:00.123Z\",\"level\":\"warn\",\"event\":\"call.denied\","
                        + "\"server\":\"ma il\\\\u{1b}[31m\",\"session\":\"0a1b2c3d\","
                        + "\"message\":\"denied \\\"x\\\" {\\\"level\\\":\\\"info\\\"}\"}"),
                lines);
    }

    @Test
    void details_areForPeopleAlone() {
        List<String> people = new ArrayList<>();
        Log plain = people::add;

        for (Log each : List.of(log, plain)) {
            each.line(LogEvent.CALL_DENIED, "denied `send`", ": mallory would see it");
        }

        assertEquals(List.of("denied `send`: mallory would see it"), people);
        assertEquals(
                List.of("{\"time\":\"2026-11-30T12:00:00.123Z\",\"level\":\"warn\",\"event\":\"call.denied\","
                        + "\"message\":\"denied `send`\"}"),
                lines);
    }

    @Test
    void faults_tellWhatTheyAreAndNotWhatTheyHold() {
        log.fault(LogEvent.CALL_FAULT, "handling failed", new NumberFormatException("For input: 4711"));

        String line = lines.get(0).replaceAll("LogTest\\.java:[0-9]+", "LogTest.java:N");
        assertEquals(
                "{\"time\":\"2026-11-30T12:00:00.123Z\",\"level\":\"error\",\"event\":\"call.fault\","
                        + "\"fault\":\"NumberFormatException at LogTest.java:N\",\"message\":\"handling failed\"}",
                line);
    }

    @Test
    void plainLines_haveANameToo() {
        log.line("anything");

        assertEquals(
                List.of("{\"time\":\"2026-11-30T12:00:00.123Z\",\"level\":\"info\",\"event\":\"message\","
                        + "\"message\":\"anything\"}"),
                lines);
    }

    @Test
    void events_haveNamesOfTheirOwn() {
        Set<String> names = new HashSet<>();
        for (LogEvent event : LogEvent.values()) {
            assertEquals(
                    event.name().toLowerCase(java.util.Locale.ROOT), event.id().replace('.', '_'));
            names.add(event.id());
        }
        assertEquals(LogEvent.values().length, names.size());
    }
}
