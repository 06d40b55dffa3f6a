package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The files under {@code bad/}, each named after its one fault, and the words a person gets to read about it. */
class BadSamplesTest {

    private static final String TRUST = "/_meta/io.modelcontextprotocol~1trust-annotations";
    private static final String ACTION = "/annotations/io.modelcontextprotocol~1action-metadata";

    /** File, place, message. The first word of a file's name says how it is read. */
    private static final String[][] SAMPLES = {
        {
            "result-sensitive-is-a-string",
            TRUST + "/sensitive",
            "`sensitive` is a string: write true or false; read as true"
        },
        {"result-untrusted-is-null", TRUST + "/untrusted", "`untrusted` is null: write true or false; read as true"},
        {
            "result-annotation-is-an-array",
            TRUST,
            "`io.modelcontextprotocol/trust-annotations` is an array: write an object; read as the strictest"
        },
        {"result-meta-is-a-string", "/_meta", "`_meta` is a string: write an object; read as absent"},
        {
            "result-evidence-is-a-string",
            TRUST + "/evidenceRef",
            "`evidenceRef` holds `sha256:00`, which is no reference: write an object with `type`; left out"
        },
        {
            "result-evidence-element-is-a-number",
            TRUST + "/evidenceRef/1",
            "`evidenceRef` holds `7`, which is no reference: write an object with `type`; left out"
        },
        {
            "result-digest-is-a-number",
            TRUST + "/evidenceRef/digest",
            "`digest` is a number: write a string; read as absent"
        },
        {
            "result-block-untrusted-is-a-number",
            "/content/1/resource" + TRUST + "/untrusted",
            "`untrusted` is a number: write true or false; read as true"
        },
        {
            "tool-destination-unknown",
            ACTION + "/inputMetadata/destination",
            "`everyone` is no known value of `destination`: use `ephemeral`, `system`, `user`, `internal` or `public`;"
                    + " read as the strictest"
        },
        {
            "tool-source-unknown-in-array",
            ACTION + "/returnMetadata/source/1",
            "`web` is no known value of `source`: use `system`, `user`, `internal`, `trustedPublic` or"
                    + " `untrustedPublic`; read as the strictest"
        },
        {
            "tool-outcome-is-a-boolean",
            ACTION + "/outcome",
            "`true` is no known value of `outcome`: use `benign`, `consequential` or `irreversible`; read as the strictest"
        },
        {
            "tool-regulated-without-scopes",
            ACTION + "/returnMetadata/sensitivity",
            "`{\"regulated\":{\"scopes\":[]}}` is no known value of `sensitivity`: use `none`, `user`, `pii`, `financial`,"
                    + " `credentials` or `{\"regulated\":{\"scopes\":[\u2026]}}`; read as the strictest"
        },
        {
            "tool-destination-empty",
            ACTION + "/inputMetadata/destination",
            "`destination` lists no value: use `ephemeral`, `system`, `user`, `internal` or `public`, or leave the member"
                    + " out; read as the strictest"
        },
        {
            "tool-input-metadata-is-an-array",
            ACTION + "/inputMetadata",
            "`inputMetadata` is an array: write an object; read as the strictest"
        },
        {
            "tool-return-metadata-is-a-string",
            ACTION + "/returnMetadata",
            "`returnMetadata` is a string: write an object; read as the strictest"
        },
        {
            "tool-metadata-is-null",
            ACTION,
            "`io.modelcontextprotocol/action-metadata` is null: write an object; read as the strictest"
        },
        {
            "tool-requires-review-is-a-string",
            ACTION + "/requiresReview",
            "`requiresReview` is a string: write true or false; read as true"
        },
        {
            "tool-outcomes-differ",
            ACTION + "/inputMetadata/outcomes",
            "`outcome` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {
            "tool-places-differ",
            "/_meta/io.modelcontextprotocol~1action-metadata/requiresReview",
            "`requiresReview` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {"result-ifc-is-a-string", "/_meta/ifc", "`ifc` is a string: write an object; read as the strictest"},
        {
            "result-ifc-integrity-unknown",
            "/_meta/ifc/integrity",
            "`approved` is no known value of `integrity`: use `trusted` or `untrusted`; read as the strictest"
        },
        {
            "result-ifc-confidentiality-is-an-array",
            "/_meta/ifc/confidentiality",
            "`[\"public\"]` is no known value of `confidentiality`: use `public` or `private`; read as the strictest"
        },
        {
            "result-ifc-differs",
            "/_meta/ifc",
            "`untrusted` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {
            "result-legacy-annotations-is-a-string",
            "/_meta/annotations",
            "`annotations` is a string: write an object; read as the strictest"
        },
        {
            "result-legacy-sensitive-hint-unknown",
            "/content/0/_meta/annotations/sensitiveHint",
            "`extreme` is no known value of `sensitiveHint`: use `low`, `medium` or `high`; read as the strictest"
        },
        {
            "result-legacy-private-hint-is-a-string",
            "/_meta/annotations/privateHint",
            "`privateHint` is a string: write true or false; read as true"
        },
        {
            "result-legacy-open-world-hint-is-null",
            "/_meta/annotations/openWorldHint",
            "`openWorldHint` is null: write true or false; read as true"
        },
        {
            "result-legacy-attribution-element-is-a-number",
            "/_meta/annotations/attribution/1",
            "`attribution` holds `7`: write strings that are not empty; left out"
        },
        {
            "result-legacy-attribution-is-empty-text",
            "/_meta/annotations/attribution",
            "`attribution` holds ``: write strings that are not empty; left out"
        },
        {
            "result-legacy-malicious",
            "/_meta/annotations/maliciousActivityHint",
            "the server marks this as suspicious: look at it before anybody acts on it; read as untrusted"
        },
        {
            "result-legacy-malicious-is-a-number",
            "/_meta/annotations/maliciousActivityHint",
            "`maliciousActivityHint` is a number: write true or false; read as true"
        },
        {
            "result-legacy-source-unknown",
            "/_meta/annotations/returnMetadata/source",
            "`web` is no known value of `source`: use `system`, `user`, `internal`, `trustedPublic` or `untrustedPublic`; read as the strictest"
        },
        {
            "result-legacy-return-metadata-is-null",
            "/_meta/annotations/returnMetadata",
            "`returnMetadata` is null: write an object; read as the strictest"
        },
        {
            "result-further-evidence-is-a-string",
            TRUST + "/dev.sluice~1evidence",
            "`dev.sluice/evidence` holds `sha256:00`, which is no reference: write an object with `type`; left out"
        },
        {
            "tool-flat-destination-unknown",
            "/annotations/inputMetadata/destination",
            "`everyone` is no known value of `destination`: use `ephemeral`, `system`, `user`, `internal` or `public`; read as the strictest"
        },
        {
            "tool-flat-in-meta-is-a-string",
            "/_meta/annotations/returnMetadata",
            "`returnMetadata` is a string: write an object; read as the strictest"
        },
        {
            "tool-flat-differs",
            "/annotations/inputMetadata/destination",
            "`destination` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {
            "tool-flat-outcomes-differ",
            "/_meta/annotations/InputMetadata/Outcomes",
            "`outcome` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {
            "tool-flat-carrier-is-an-array",
            "/_meta/annotations",
            "`annotations` is an array: write an object; read as absent"
        },
        {
            "tool-pascal-destination-unknown",
            "/annotations/inputMetadata/Destination",
            "`Everyone` is no known value of `Destination`: use `ephemeral`, `system`, `user`, `internal` or `public`; read as the strictest"
        },
        {
            "tool-spellings-differ",
            "/annotations/inputMetadata/Destination",
            "`destination` is stated in two places that differ: state the same in both; the stricter holds"
        },
        {
            "tool-malicious",
            "/annotations/maliciousActivityHint",
            "the tool may return what looks like an attack: have its results looked at; no call is refused for it"
        },
        {
            "tool-malicious-is-a-string",
            "/annotations/maliciousActivityHint",
            "`maliciousActivityHint` is a string: write true or false; read as true"
        },
        {"request-meta-is-a-string", "/_meta", "`_meta` is a string: write an object; read as absent"},
        {
            "request-annotations-is-an-array",
            "/_meta/annotations",
            "`annotations` is an array: write an object; read as the strictest"
        },
        {
            "request-open-world-hint-is-a-string",
            "/_meta/annotations/openWorldHint",
            "`openWorldHint` is a string: write true or false; read as true"
        },
        {
            "request-private-hint-is-null",
            "/_meta/annotations/privateHint",
            "`privateHint` is null: write true or false; read as true"
        },
        {
            "request-sensitive-hint-unknown",
            "/_meta/annotations/sensitiveHint",
            "`none` is no known value of `sensitiveHint`: use `low`, `medium` or `high`; read as the strictest"
        },
        {
            "request-attribution-element-is-null",
            "/_meta/annotations/attribution/0",
            "`attribution` holds `null`: write strings that are not empty; left out"
        },
        {"hints-annotations-is-an-array", "/annotations", "`annotations` is an array: write an object; read as absent"},
        {
            "hints-read-only-is-a-string",
            "/annotations/readOnlyHint",
            "`readOnlyHint` is a string: write true or false; read as false"
        },
        {
            "hints-destructive-is-a-number",
            "/annotations/destructiveHint",
            "`destructiveHint` is a number: write true or false; read as true"
        },
        {
            "text-duplicate-key",
            "",
            "malformed JSON at byte 14: a member name that its object already has; send each name once"
        },
        {
            "text-trailing-comma",
            "",
            "malformed JSON at byte 7: something that JSON doesn't allow here; send JSON as RFC 8259 has it"
        },
        {"text-truncated", "", "malformed JSON at byte 6: the text ends inside a value; send the whole text"},
        {"text-two-values", "", "malformed JSON at byte 3: more text after the value; send one value in one text"},
        {"text-byte-order-mark", "", "malformed JSON at byte 0: a byte order mark; send UTF-8 without it"},
        {"text-latin-1", "", "malformed JSON at byte 1: bytes that aren't UTF-8; encode the text as UTF-8"},
        {
            "text-raw-tab-in-string",
            "",
            "malformed JSON at byte 1: a raw control character in a string; escape it, such as \\n or \\u0000"
        },
        {
            "text-half-surrogate-in-name",
            "",
            "malformed JSON at byte 2: a member name with half of a surrogate pair; write both halves or neither"
        },
        {"text-too-deep", "", "malformed JSON at byte 256: more nested levels than the limit allows; nest less deeply"},
        {
            "text-number-too-large",
            "",
            "malformed JSON at byte 1: a number longer or larger than the limit allows; send it as a string"
        },
    };

    static Stream<List<String>> samples() {
        return Arrays.stream(SAMPLES).map(List::of);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void sample_reportedInTheseWords(List<String> sample) throws IOException {
        byte[] bytes;
        try (InputStream in = BadSamplesTest.class.getResourceAsStream("/bad/" + sample.get(0) + ".json")) {
            bytes = in.readAllBytes();
        }
        String how = sample.get(0).substring(0, sample.get(0).indexOf('-'));
        if (how.equals("text")) {
            assertEquals(
                    sample.get(2),
                    assertThrows(MalformedJsonException.class, () -> JsonIndex.parse(bytes))
                            .getMessage());
            return;
        }
        JsonNode tree = JsonIndex.parse(bytes).root().tree();
        List<Finding> findings = switch (how) {
            case "result" -> TrustAnnotations.decodeResult(tree).findings();
            case "tool" -> ActionMetadata.decodeTool(tree).findings();
            case "request" -> RequestAnnotations.decode(tree).findings();
            default -> LegacyHints.decodeTool(tree).findings();
        };
        assertEquals(1, findings.size(), findings::toString);
        assertEquals(sample.get(1), findings.get(0).pointer());
        assertEquals(sample.get(2), findings.get(0).message());
    }

    @Test
    void everyFile_hasItsRow() throws IOException, URISyntaxException {
        Path folder = Path.of(BadSamplesTest.class.getResource("/bad").toURI());
        try (Stream<Path> files = Files.list(folder)) {
            Set<String> names = files.map(file -> file.getFileName().toString().replace(".json", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(new TreeSet<>(samples().map(sample -> sample.get(0)).toList()), names);
        }
    }
}
