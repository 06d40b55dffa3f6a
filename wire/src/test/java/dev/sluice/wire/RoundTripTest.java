package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What is written reads as what was meant, through real bytes, with every part present, absent or empty. */
class RoundTripTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<Claim> CLAIMS = List.of(Claim.values());
    private static final List<String> OTHERS =
            List.of("null", "{}", "[]", "\"\"", "1.5", "{\"sensitive\":[true,null]}");
    private static final List<Sensitivity> SENSITIVITIES = List.of(
            Sensitivity.NONE,
            Sensitivity.USER,
            Sensitivity.PII,
            Sensitivity.FINANCIAL,
            Sensitivity.CREDENTIALS,
            Sensitivity.regulated(Set.of("HIPAA")),
            Sensitivity.regulated(new LinkedHashSet<>(List.of("GDPR", "any string"))));

    private final Random random = new Random(11);

    @Test
    void evidenceRef_everyPartPresentOrAbsent() {
        for (int bits = 0; bits < 1 << 6; bits++) {
            EvidenceRef reference = new EvidenceRef(
                    (bits & 1) > 0 ? "ifc.fides.v1" : "",
                    (bits & 2) > 0 ? "sha256:0" : "",
                    (bits & 4) > 0 ? "jcs" : "",
                    (bits & 8) > 0 ? "https://example.org/s" : "",
                    (bits & 16) > 0 ? "r" : "",
                    (bits & 32) > 0 ? others() : Map.of());
            assertEquals(
                    new Decoded<>(reference, List.of()), EvidenceRef.decode((ObjectNode) sent(reference.encode())));
            assertEquals(
                    Integer.bitCount(bits & 31) + reference.others().size(),
                    reference.encode().size());
        }
    }

    @Test
    void trustAnnotations_everyClaimWithAnyEvidence() {
        for (Claim sensitive : Claim.values()) {
            for (Claim untrusted : Claim.values()) {
                for (int references = 0; references < 3; references++) {
                    List<EvidenceRef> evidence = new ArrayList<>();
                    for (int i = 0; i < references; i++) {
                        evidence.add(new EvidenceRef("t" + i, "", "", "", "", others()));
                    }
                    TrustAnnotations annotations = new TrustAnnotations(sensitive, untrusted, evidence, others());
                    assertEquals(
                            new Decoded<>(annotations, List.of()), TrustAnnotations.decode(sent(annotations.encode())));
                    ObjectNode result = JSON.createObjectNode();
                    annotations.writeTo(result);
                    assertEquals(
                            new Decoded<>(new ResultAnnotations(annotations, List.of()), List.of()),
                            TrustAnnotations.decodeResult(sent(result)));
                }
            }
        }
    }

    @Test
    void legacyHints_everyCombination() {
        for (int i = 0; i < 81; i++) {
            LegacyHints hints = new LegacyHints(
                    CLAIMS.get(i % 3), CLAIMS.get(i / 3 % 3), CLAIMS.get(i / 9 % 3), CLAIMS.get(i / 27));
            ObjectNode tool = JSON.createObjectNode();
            hints.writeTo(tool);
            assertEquals(new Decoded<>(hints, List.of()), LegacyHints.decodeTool(sent(tool)));
        }
    }

    @Test
    void actionMetadata_randomDeclarations() {
        for (int round = 0; round < 5000; round++) {
            ActionMetadata metadata = new ActionMetadata(
                    new ActionMetadata.Input(
                            dimension(List.of(Destination.values())), dimension(SENSITIVITIES), others()),
                    new ActionMetadata.Returns(
                            dimension(List.of(DataSource.values())), dimension(SENSITIVITIES), others()),
                    dimension(List.of(Outcome.values())),
                    CLAIMS.get(random.nextInt(3)),
                    others());
            assertEquals(
                    metadata, ActionMetadata.decode(sent(metadata.encode())).value());
            ObjectNode tool = JSON.createObjectNode();
            metadata.writeTo(tool);
            Decoded<ActionMetadata> both = ActionMetadata.decodeTool(sent(tool));
            assertEquals(metadata, both.value());
            assertEquals(
                    0,
                    both.findings().stream()
                            .filter(f -> f.code() == Finding.Code.CONFLICT)
                            .count());
        }
    }

    private static JsonNode sent(ObjectNode object) {
        return JSON.readTree(JSON.writeValueAsBytes(object));
    }

    private <T> Dimension<T> dimension(List<T> vocabulary) {
        if (random.nextInt(4) == 0) {
            return Dimension.absent();
        }
        Set<T> values = new LinkedHashSet<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.add(vocabulary.get(random.nextInt(vocabulary.size())));
        }
        Set<String> unknown = new LinkedHashSet<>();
        for (int i = Math.max(0, random.nextInt(6) - 3); i > 0; i--) {
            unknown.add(List.of("", "weird", "PUBLIC", "{\"x\":1}", "5").get(random.nextInt(5)));
        }
        return new Dimension<>(true, values, unknown);
    }

    private Map<String, JsonNode> others() {
        Map<String, JsonNode> others = new LinkedHashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            others.put("org.example/" + i, JSON.readTree(OTHERS.get(random.nextInt(OTHERS.size()))));
        }
        return others;
    }
}
