package dev.sluice.guard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.labels.Source;
import dev.sluice.policy.Effect;
import dev.sluice.policy.KnownServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The golden cases under {@code github-labels}: a folder for each row of that server's table of labels. */
class GithubLabelsTest {

    private static final Path FOLDER = Path.of("src/test/resources/github-labels");
    private static final List<String> COLUMNS = List.of("raise", "full");

    /** What reads and has no label of that server, ever. */
    private static final Set<String> NEVER_LABELLED =
            Set.of("list_notifications", "get_file_blame", "issue_dependency_read");

    static Stream<String> rows() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files
                    .filter(Files::isDirectory)
                    .map(each -> each.getFileName().toString())
                    .sorted()
                    .toList()
                    .stream();
        }
    }

    private static JsonNode read(String row, String name) {
        try {
            return GuardWorld.JSON.readTree(
                    Files.readAllBytes(FOLDER.resolve(row).resolve(name + ".json")));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Label label(String column, JsonNode tool, JsonNode answer) {
        GuardWorld world = GuardWorld.of(
                "version: 1", "servers:", "  github: {command: [github-mcp-server, stdio], claims: " + column + "}");
        Admission admission = world.admit(
                new Inbound.ToolCall(world.server("github"), tool.path("tool").stringValue(), tool.path("arguments")));
        Ticket ticket = assertInstanceOf(Admission.Admitted.class, admission).ticket();
        return world.release(new Outbound.Answer(ticket, answer)).label();
    }

    private static Label expected(JsonNode tool, JsonNode label) {
        Source own = tool.path("resource").isNull()
                ? new Source.OfServer("github")
                : new Source.OfResource("github", tool.path("resource").stringValue());
        Set<DataClass> classes = new TreeSet<>();
        label.path("classes").forEach(name -> classes.add(DataClass.of(name.stringValue())));
        return new Label(
                Integrity.valueOf(label.path("integrity").stringValue().toUpperCase(Locale.ROOT)),
                label.path("confidentiality").stringValue().equals("public")
                        ? Confidentiality.PUBLIC
                        : Confidentiality.of(own),
                new TreeSet<>(classes));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void answers_haveTheLabelOfTheirRow(String row) {
        JsonNode expected = read(row, "expected");
        assertTrue(List.of("private", "public", "mixed", "missing").containsAll(expected.propertyNames()), row);
        int checked = 0;
        for (Map.Entry<String, JsonNode> answer : expected.properties()) {
            assertEquals(COLUMNS, List.copyOf(answer.getValue().propertyNames()), row);
            for (String column : COLUMNS) {
                for (JsonNode tool : read(row, "tools")) {
                    assertEquals(
                            expected(tool, answer.getValue().path(column)),
                            label(column, tool, read(row, answer.getKey())),
                            () -> row + ", " + answer.getKey() + ", " + column + ", " + tool);
                    checked++;
                }
            }
        }
        assertTrue(checked >= 6, row);
    }

    /** The server drops the label where it can't tell; a permissive reader would leak then (D-IFC-3). */
    @ParameterizedTest
    @MethodSource("rows")
    void answerWithoutALabel_isNeitherPublicNorTrusted(String row) {
        assertTrue(read(row, "missing").path("_meta").isMissingNode(), row);
        for (String column : COLUMNS) {
            for (JsonNode tool : read(row, "tools")) {
                Label label = label(column, tool, read(row, "missing"));

                assertEquals(Integrity.UNTRUSTED, label.integrity(), row);
                assertTrue(!label.confidentiality().isPublic(), row);
            }
        }
    }

    /** With {@code raise}, whatever the server says. */
    @ParameterizedTest
    @MethodSource("rows")
    void wordOfTheServer_lowersNothingByItself(String row) {
        read(row, "expected").forEach(answer -> {
            assertEquals("untrusted", answer.path("raise").path("integrity").stringValue(), row);
            assertEquals("private", answer.path("raise").path("confidentiality").stringValue(), row);
        });
    }

    @Test
    void everyFileOfARow_isOneThatTheTestReads() throws IOException {
        for (String row : rows().toList()) {
            Set<String> wanted = new TreeSet<>(read(row, "expected").propertyNames());
            wanted.addAll(List.of("tools", "expected"));
            try (Stream<Path> files = Files.list(FOLDER.resolve(row))) {
                assertEquals(
                        wanted,
                        files.map(each -> each.getFileName().toString().replace(".json", ""))
                                .collect(Collectors.toCollection(TreeSet::new)),
                        row);
            }
        }
        assertEquals(15, rows().count());
    }

    @Test
    void everyToolOfTheShippedProfileThatReads_isInARow() throws IOException {
        Set<String> reading = new TreeSet<>();
        KnownServers.tools("github-mcp-server").forEach((name, tool) -> {
            if (Set.of(Effect.READS).equals(tool.effects()) && !NEVER_LABELLED.contains(name)) {
                reading.add(name);
            }
        });
        List<String> inRows = new ArrayList<>();
        for (String row : rows().toList()) {
            read(row, "tools").forEach(tool -> inRows.add(tool.path("tool").stringValue()));
        }
        assertTrue(reading.size() > 40, reading.toString());
        reading.removeAll(inRows);

        assertEquals(Set.of(), reading);
    }
}
