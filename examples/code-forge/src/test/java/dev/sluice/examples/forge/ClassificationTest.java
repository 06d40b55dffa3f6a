package dev.sluice.examples.forge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The table of the README, tool by tool, against what the server sends. */
class ClassificationTest {

    private static final Pattern ROW = Pattern.compile("\\| (`[^|]+)\\|([^|]+)\\|([^|]+)\\|([^|]+)\\|");
    private static final Pattern WORD = Pattern.compile("`([^`]+)`");
    private static final Set<String> SILENT = Set.of(
            "get_file_blame", "issue_dependency_read", "get_code_quality_finding", "list_notifications", "ui_get");

    /** What finds only in private, only in public, and in both kinds of repositories. */
    private static final Map<String, List<String>> QUERIES = Map.of(
            "search_issues", List.of("\"author\":\"bo\"", "It says", "\"author\":\"ana\""),
            "search_pull_requests", List.of("bo", "Change site", "cy"),
            "search_repositories", List.of("Salaries", "website", "er"),
            "list_starred_repositories", List.of("Salaries", "website", "er"),
            "search_code", List.of("Salaries", "website", "er"),
            "search_commits", List.of("begin pay", "begin site", "l"),
            "list_projects", List.of("Salaries", "Website", ""));

    private final RawClient forge = new RawClient(true);

    @AfterEach
    void close() {
        forge.close();
    }

    /** A row of the table. */
    private record Row(List<String> tools, boolean ofOrganisation, List<List<String>> labels) {}

    private static List<Row> table() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(new Row(
                        words(row.group(1)),
                        row.group(1).contains("organisation"),
                        List.of(words(row.group(2)), words(row.group(3)), words(row.group(4)))));
            }
        }
        return rows;
    }

    private static List<String> words(String cell) {
        return WORD.matcher(cell).results().map(each -> each.group(1)).toList();
    }

    /** Arguments for what is private (0), public (1), and mixed, a draft or unpublished (2). */
    private static Map<String, Object> arguments(String tool, boolean ofOrganisation, int kind) {
        List<String> queries = QUERIES.get(tool);
        if (queries != null) {
            return Map.of("owner", "acme", "query", queries.get(kind));
        }
        if (ofOrganisation) {
            return Map.of("owner", "acme");
        }
        return Map.of(
                "owner", "acme", "repo", List.of("payroll", "site", "tool").get(kind), "project_number", 2 - kind);
    }

    @Test
    void everyRowOfTheTable_isOnTheWire() throws IOException {
        Set<String> tested = new TreeSet<>();
        for (Row row : table()) {
            for (String tool : row.tools()) {
                tested.add(tool);
                for (int kind = 0; kind < 3; kind++) {
                    for (String expected : row.labels().get(kind)) {
                        JsonNode result = forge.call(tool, arguments(tool, row.ofOrganisation(), kind));
                        String what = tool + " " + kind + ": " + result;
                        assertFalse(result.path("isError").asBoolean(false), what);
                        assertEquals(expected, RawClient.bare(result), what);
                        compareCanonical(tool, kind, expected, result, what);
                    }
                }
            }
        }
        Set<String> served = new TreeSet<>();
        forge.tools().forEach(tool -> served.add(tool.path("name").asString("")));
        served.removeAll(Set.of("add_issue_comment", "send_note"));
        assertEquals(served, tested);
    }

    /** The canonical label is the same but where the README says that it is stricter. */
    private static void compareCanonical(String tool, int kind, String bare, JsonNode result, String what) {
        String expected = switch (tool) {
            case "list_releases", "get_latest_release", "get_release_by_tag" ->
                kind == 0 ? bare : bare.replaceFirst("^trusted", "untrusted");
            case "get_gist" -> "untrusted/private";
            default -> SILENT.contains(tool) ? "untrusted/private" : bare;
        };
        assertEquals(expected, RawClient.canonical(result), what);
        assertTrue(result.path("_meta").path(RawClient.LABEL).toString().contains("ifc.fides.v1"), what);
    }

    @Test
    void nothingFound_isUntrustedAndPublic() {
        for (String tool : QUERIES.keySet()) {
            JsonNode result = forge.call(tool, Map.of("owner", "acme", "query", "nobody wrote this"));
            assertEquals("untrusted/public", RawClient.bare(result), tool);
        }
    }

    @Test
    void visibilityThatCannotBeLookedUp_hasNoBareLabelAndTheWorstCanonicalOne() {
        for (String tool : List.of("issue_read", "list_branches", "list_releases", "get_job_logs")) {
            JsonNode result = forge.call(tool, Map.of("owner", "acme", "repo", "adrift"));
            assertEquals("none", RawClient.bare(result), tool);
            assertEquals("untrusted/private", RawClient.canonical(result), tool);
        }
        JsonNode mixed = forge.call("search_issues", Map.of("query", "Nobody knows"));
        assertEquals("none", RawClient.bare(mixed));
        assertEquals("untrusted/private", RawClient.canonical(mixed));
    }

    @Test
    void errorsAndPosts_haveNoBareLabel() {
        JsonNode error = forge.call("issue_read", Map.of("owner", "acme", "repo", "nowhere"));
        assertTrue(error.path("isError").asBoolean(false));
        assertEquals("none", RawClient.bare(error));
        JsonNode posted = forge.call(
                "add_issue_comment", Map.of("owner", "acme", "repo", "site", "issue_number", 7, "body", "thanks"));
        assertEquals("none", RawClient.bare(posted));
        assertEquals("trusted/public", RawClient.canonical(posted));
    }

    @Test
    void withoutTheOption_onlyTheCanonicalLabelIsSent() {
        try (RawClient plain = new RawClient(false)) {
            JsonNode result = plain.call("issue_read", Map.of("owner", "acme", "repo", "payroll"));
            assertEquals("none", RawClient.bare(result));
            assertEquals("trusted/private", RawClient.canonical(result));
        }
    }

    @Test
    void definitions_sayWhatToolsDo() {
        for (JsonNode tool : forge.tools()) {
            JsonNode metadata = tool.path("annotations").path("io.modelcontextprotocol/action-metadata");
            assertTrue(metadata.has("outcome"), tool.toString());
            assertEquals(metadata, tool.path("_meta").path("io.modelcontextprotocol/action-metadata"));
        }
    }
}
