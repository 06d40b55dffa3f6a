package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The contract of {@code sluice demo}, which others script against. */
class DemoTest {

    private Told demo(String... options) throws Exception {
        List<String> command = new ArrayList<>(Children.sluice("demo"));
        command.addAll(List.of(options));
        command.add(1, "-Dsluice.mail-server=" + Children.classPath());
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Told(process.waitFor(), out, "");
    }

    @Test
    void everyStepEndsAsItShould_andTheRefusalNamesTheRead() throws Exception {
        Told told = demo();
        assertEquals(0, told.exit(), told.out());
        List<String> denied =
                told.out().lines().filter(line -> line.startsWith("  denied")).toList();
        assertEquals(1, denied.size(), told.out());
        assertTrue(denied.get(0).contains("send_email") && denied.get(0).contains("read_mail"), denied.get(0));
        assertEquals(
                5,
                told.out().lines().filter(line -> line.startsWith("  allowed")).count());
        List<String> asked =
                told.out().lines().filter(line -> line.startsWith("  asked")).toList();
        assertEquals(1, asked.size(), told.out());
        assertTrue(asked.get(0).contains("read_drafts"), asked.get(0));
        assertTrue(told.out().contains("It shows what it carries to: `team@clinic.example`."), told.out());
        assertTrue(told.out().contains("\"body\": \"Team,"), "the person sees what is sent");
        assertTrue(told.out().contains("really sent 3 mails, none of them to the outsider"), told.out());
        assertTrue(told.out().contains("The record is whole"), told.out());
        assertFalse(told.out().contains("\u001b"), "plain in a pipe");
    }

    @Test
    void json_isOneValueALine() throws Exception {
        Told told = demo("--json");
        assertEquals(0, told.exit(), told.out());
        List<JsonNode> lines = new ArrayList<>();
        try (Stream<String> each = told.out().lines()) {
            each.forEach(line -> lines.add(JsonMapper.shared().readTree(line)));
        }
        assertEquals(8, lines.size());
        assertEquals("denied", lines.get(2).path("decision").asString(""));
        assertEquals("asked", lines.get(5).path("decision").asString(""));
        assertEquals("allowed", lines.get(6).path("decision").asString(""));
        assertTrue(lines.get(7).path("asExpected").asBoolean(false));
    }
}
