package dev.sluice.schemes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.schemes.evidence.EvidenceWriter;
import dev.sluice.schemes.evidence.EvidenceWriter.Signer;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.canonical.Canonicalizations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The shipped JSON Schemas take what is published and what is written here, and refuse what a reader complains of. */
class JsonSchemasTest {

    private static final Path RESOURCES = Path.of("src/test/resources");

    private static final Map<String, String> FAULTS = Map.ofEntries(
            Map.entry("data-class.v1/class-missing", " required"),
            Map.entry("data-class.v1/class-a-list", "/class type"),
            Map.entry("data-class.v1/class-blank", "/class pattern"),
            Map.entry("data-class.v1/not-an-object", " type"),
            Map.entry("data-class.v1/regulatory-a-number", "/regulatory type"),
            Map.entry("data-class.v1/labels-with-null", "/labels type,/labels/1 type"),
            Map.entry("data-class.v1/labels-more-than-sixteen", "/labels maxItems,/labels type"),
            Map.entry("data-class.v1/origin-unknown", "/origin enum"),
            Map.entry("data-class.v1/policy-ref-an-object", "/policyRef type"),
            Map.entry("ifc.fides.v1/integrity-missing", " required"),
            Map.entry("ifc.fides.v1/confidentiality-missing", " required"),
            Map.entry("ifc.fides.v1/integrity-upper-case", "/integrity enum"),
            Map.entry("ifc.fides.v1/confidentiality-a-list", "/confidentiality enum"),
            Map.entry("ifc.fides.v1/not-an-object", " type"),
            Map.entry("policy-decision/rule-missing", " required"),
            Map.entry("policy-decision/reasons-a-string", "/reasons type"),
            Map.entry("policy-decision/subject-an-object", "/subject type"),
            Map.entry("policy-decision/not-an-object", " type"),
            Map.entry("sequence/sequence-missing", " required"),
            Map.entry("sequence/sequence-of-objects", "/sequence/0 type"),
            Map.entry("sequence/window-negative", "/window minimum"),
            Map.entry("sequence/flagged-step-a-string", "/flagged_step type"),
            Map.entry("evidence-binding.v1/extra-member", " additionalProperties"),
            Map.entry("evidence-binding.v1/content-missing", " required"),
            Map.entry("evidence-binding.v1/record-upper-case", "/record pattern"),
            Map.entry("evidence-binding.v1/issued-at-local", "/issuedAt pattern"));

    private static final Map<String, String> FAULTS_OF_VOCABULARIES = Map.ofEntries(
            Map.entry("not-an-object", " type"),
            Map.entry("id-missing", " required"),
            Map.entry("id-blank", "/id pattern"),
            Map.entry("id-no-string", "/id type"),
            Map.entry("classes-missing", " required"),
            Map.entry("classes-a-list", "/classes type"),
            Map.entry("meaning-unknown", "/classes/open enum"),
            Map.entry("meaning-no-string", "/classes/open enum"),
            Map.entry("regulatory-a-string", "/regulatory type"),
            Map.entry("labels-of-numbers", "/labels/0 type"),
            Map.entry("unknown-member", " additionalProperties"));

    static Stream<String> faults() {
        return FAULTS.keySet().stream().sorted();
    }

    static List<String> names() {
        return JsonSchemas.NAMES;
    }

    static Stream<JsonNode> vectors() {
        return Vectors.all().stream();
    }

    private static JsonNode read(Path file) throws IOException {
        return JsonMapper.shared().readTree(Files.readAllBytes(file));
    }

    @ParameterizedTest
    @MethodSource("names")
    void schema_isOneOfDraft202012_underItsName(String name) {
        JsonNode text = JsonSchemas.text(name);

        assertEquals(List.of(), JsonSchemas.faultsOfSchema(name));
        assertEquals("urn:sluice:schema:" + name, text.path("$id").stringValue());
        assertEquals(
                "https://json-schema.org/draft/2020-12/schema",
                text.path("$schema").stringValue());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void publishedRecord_isValid(JsonNode vector) {
        assertEquals(List.of(), JsonSchemas.faults(vector.path("type").stringValue(), vector.path("record")));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void badRecord_isRefused_andItsReaderComplains(String fault) throws IOException {
        JsonNode record = read(RESOURCES.resolve("bad-records").resolve(fault + ".json"));
        String schema = fault.substring(0, fault.indexOf('/'));

        assertEquals(FAULTS.get(fault), String.join(",", JsonSchemas.faults(schema, record)));
        Schemes.installed()
                .of(schema)
                .ifPresent(scheme -> assertFalse(scheme.read(record).findings().isEmpty(), fault));
    }

    @Test
    void everyBadRecord_isTested() throws IOException {
        Path folder = RESOURCES.resolve("bad-records");
        try (Stream<Path> files = Files.walk(folder)) {
            assertEquals(
                    new TreeSet<>(FAULTS.keySet()),
                    new TreeSet<>(files.filter(Files::isRegularFile)
                            .map(each -> folder.relativize(each).toString().replace(".json", ""))
                            .toList()));
        }
    }

    @Test
    void badVocabularies_areRefused() throws IOException {
        for (Map.Entry<String, String> each : FAULTS_OF_VOCABULARIES.entrySet()) {
            JsonNode document = read(RESOURCES.resolve("bad-vocabularies").resolve(each.getKey() + ".json"));

            assertEquals(each.getValue(), String.join(",", JsonSchemas.faults("vocabulary", document)), each.getKey());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"data-class", "sep-2061", "trust-annotations"})
    void shippedVocabulary_isValid(String name) throws IOException {
        assertEquals(
                List.of(),
                JsonSchemas.faults(
                        "vocabulary",
                        read(Path.of("src/main/resources/dev/sluice/schemes/dataclass/" + name + ".json"))));
    }

    @Test
    void membersNobodyKnows_areLeftToOthers_whereTheReaderIsOpen() {
        for (JsonNode vector : Vectors.all()) {
            ObjectNode record = (ObjectNode) vector.path("record").deepCopy();
            record.putObject("com.example.more").put("a", 1);

            assertEquals(List.of(), JsonSchemas.faults(vector.path("type").stringValue(), record));
        }
    }

    @Test
    void bindingThatIsWritten_isValid() throws GeneralSecurityException {
        Signer signer = new Signer(
                "forge",
                "k1",
                KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate(),
                Clock.systemUTC());
        EvidenceRef reference = new EvidenceWriter(Canonicalizations.CBOR)
                .write("sequence", Vectors.json("{'sequence':[]}"), Vectors.json("{'content':[]}"), signer);
        String payload = reference.envelope().orElseThrow().path("payload").stringValue();

        assertEquals(
                List.of(),
                JsonSchemas.faults(
                        "evidence-binding.v1",
                        JsonMapper.shared().readTree(Base64.getDecoder().decode(payload))));
    }
}
