package dev.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code sluice annotations check}: claims in words, findings with their place, and exit codes. */
class AnnotationsCommandTest {

    private static final String TRUST = "\"io.modelcontextprotocol/trust-annotations\"";
    private static final String ACTION = "\"io.modelcontextprotocol/action-metadata\"";

    private static Told check(String json, String... options) throws Exception {
        List<String> arguments = new java.util.ArrayList<>(List.of("annotations", "check"));
        arguments.addAll(List.of(options));
        arguments.add("-");
        return Told.reading(json.getBytes(StandardCharsets.UTF_8), Map.of(), arguments.toArray(String[]::new));
    }

    @Test
    void cleanResult_isExplained() throws Exception {
        Told told = check("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"_meta\":{" + TRUST
                + ":{\"untrusted\":true,\"sensitive\":false}}}");

        assertEquals(0, told.exit(), told.err());
        assertEquals(
                "# the result is claimed untrusted, and claimed public (counts only where the operator lets it)"
                        + System.lineSeparator(),
                told.out());
    }

    @Test
    void findings_havePlaceAndMend() throws Exception {
        Told told = check("{\"tools\":[{\"name\":\"ok\"},{\"name\":\"send\",\"annotations\":{" + ACTION
                + ":{\"inputMetadata\":{\"destination\":\"everywhere\"},\"outcome\":\"irreversible\"}}}]}");

        assertEquals(1, told.exit());
        assertTrue(told.out().contains("# `ok` declares nothing"), told.out());
        assertTrue(
                told.out().contains("# `send` arguments may reach `public`, outcome `irreversible` at worst"),
                told.out());
        assertTrue(
                told.out()
                        .lines()
                        .anyMatch(
                                line -> line.startsWith(
                                        "/tools/1/annotations/io.modelcontextprotocol~1action-metadata/inputMetadata/destination: `everywhere` is no known value")),
                told.out());
    }

    @Test
    void falseEvidence_isAFinding_alsoInsideARpcAnswer() throws Exception {
        String reference = "{\"type\":\"ifc.fides.v1\",\"canonicalization\":\"jcs/rfc8785\",\"digest\":\"sha256:"
                + "0".repeat(64)
                + "\",\"dev.sluice/record\":{\"integrity\":\"trusted\",\"confidentiality\":\"public\"}}";
        Told told = check("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],\"_meta\":{" + TRUST
                + ":{\"evidenceRef\":" + reference + "}}}}");

        assertEquals(1, told.exit());
        assertTrue(told.out().contains("# evidence `ifc.fides.v1` is mismatch: "), told.out());
        assertTrue(
                told.out()
                        .contains("/result/_meta/io.modelcontextprotocol~1trust-annotations/evidenceRef: "
                                + "the evidence `ifc.fides.v1` is false: "),
                told.out());
    }

    @Test
    void claimLeftToTheRecord_isAFinding() throws Exception {
        String record = "{\"integrity\":\"untrusted\",\"confidentiality\":\"public\"}";
        Told told = check("{\"content\":[],\"_meta\":{" + TRUST + ":{\"evidenceRef\":{\"type\":\"ifc.fides.v1\","
                + "\"canonicalization\":\"jcs/rfc8785\",\"dev.sluice/record\":" + record + ",\"digest\":"
                + "\"sha256:1237c0a5f8a1b5b9ed503f0eebcbb2418a6039fead118fec16d68151b0000c25\"}}}}");

        assertEquals(1, told.exit(), told.out());
        assertTrue(told.out().contains("# evidence `ifc.fides.v1` is verified-unbound: "), told.out());
        assertTrue(
                told.out().contains("evidenceRef: the record says `untrusted`, the annotation does not"), told.out());
    }

    @Test
    void json_isOneObject() throws Exception {
        Told told = check("{\"name\":\"t\",\"annotations\":{\"readOnlyHint\":\"yes\"}}", "--json");

        assertEquals(1, told.exit());
        JsonNode report = told.json().get(0);
        assertEquals(1, told.json().size());
        assertEquals(false, report.path("clean").asBoolean(true));
        assertEquals(
                "/annotations/readOnlyHint",
                report.path("findings").path(0).path("pointer").asString(""));
        assertEquals(
                "not_a_boolean", report.path("findings").path(0).path("code").asString(""));
    }

    @Test
    void otherInput_endsWith2AndSaysWhatIsRead() throws Exception {
        for (String[] bad : new String[][] {
            {"{\"tools\":3}", "this is no result and no tool: give the result of tools/list or tools/call"},
            {"[]", "this is no result and no tool: "},
            {"{\"content\":[],\"content\":[]}", "this is no strict JSON: "}
        }) {
            Told told = check(bad[0]);

            assertEquals(2, told.exit(), bad[0]);
            assertEquals("", told.out(), bad[0]);
            assertTrue(told.err().startsWith("sluice: " + bad[1]), told.err());
        }
    }
}
