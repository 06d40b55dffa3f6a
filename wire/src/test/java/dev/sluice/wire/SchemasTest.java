package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schemas that ship with this room say what its encoders write, no more and no less. */
class SchemasTest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private static final Schema TRUST = schema("trust-annotations");
    private static final Schema ACTION = schema("action-metadata");

    private static Schema schema(String name) {
        return REGISTRY.getSchema(text(name));
    }

    private static JsonNode text(String name) {
        try (InputStream in = Claim.class.getResourceAsStream("schema/" + name + ".schema.json")) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Error> faults(Schema schema, JsonNode node) {
        return schema.validate(node);
    }

    @ParameterizedTest
    @ValueSource(strings = {"trust-annotations", "action-metadata"})
    void schema_isItselfValid(String name) {
        Schema meta = REGISTRY.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
        assertEquals(List.of(), meta.validate(text(name)));
        assertEquals("urn:sluice:schema:" + name, text(name).path("$id").stringValue());
    }

    @Test
    void trustAnnotations_asWritten_areValid() {
        RandomRecords records = new RandomRecords(new Random(31));
        for (int i = 0; i < 3000; i++) {
            TrustAnnotations annotations = records.next(TrustAnnotations.class);
            assertEquals(List.of(), faults(TRUST, annotations.encode()), annotations::toString);
        }
    }

    @Test
    void actionMetadata_asWritten_isValidUnlessItCarriesOnWhatNobodyUnderstands() {
        RandomRecords records = new RandomRecords(new Random(32));
        int valid = 0;
        for (int i = 0; i < 3000; i++) {
            JsonNode written = records.next(ActionMetadata.class).encode();
            boolean understood = ActionMetadata.decode(written).findings().isEmpty();
            List<Error> faults = faults(ACTION, written);
            assertEquals(understood, faults.isEmpty(), () -> written + " " + faults);
            valid += understood ? 1 : 0;
        }
        assertTrue(valid > 100 && valid < 2900, "both happen: " + valid);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "trust|[]|/",
                "trust|null|/",
                "trust|{'sensitive':'true'}|/sensitive",
                "trust|{'untrusted':null}|/untrusted",
                "trust|{'evidenceRef':[{'type':'t'}]}|/evidenceRef",
                "trust|{'evidenceRef':'sha256:00'}|/evidenceRef",
                "trust|{'evidenceRef':{'digest':7}}|/evidenceRef/digest",
                "trust|{'evidenceRef':{'ref':''}}|/evidenceRef/ref",
                "trust|{'evidenceRef':{},'dev.sluice/evidence':[]}|/dev.sluice~1evidence",
                "trust|{'evidenceRef':{},'dev.sluice/evidence':{}}|/dev.sluice~1evidence",
                "trust|{'evidenceRef':{},'dev.sluice/evidence':[7]}|/dev.sluice~1evidence/0",
                "trust|{'dev.sluice/evidence':[{}]}|/",
                "action|'x'|/",
                "action|{'inputMetadata':[]}|/inputMetadata",
                "action|{'inputMetadata':{}}|/inputMetadata",
                "action|{'returnMetadata':null}|/returnMetadata",
                "action|{'inputMetadata':{'destination':'everyone'}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'destination':'Public'}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'destination':'external'}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'destination':[]}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'destination':['user']}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'destination':['user','user']}}|/inputMetadata/destination",
                "action|{'inputMetadata':{'sensitivity':'secret'}}|/inputMetadata/sensitivity",
                "action|{'returnMetadata':{'source':['system','web']}}|/returnMetadata/source/1",
                "action|{'returnMetadata':{'sensitivity':{'regulated':{'scopes':[]}}}}|/returnMetadata/sensitivity/regulated/scopes",
                "action|{'returnMetadata':{'sensitivity':{'regulated':{'scopes':['SOX'],'x':1}}}}|/returnMetadata/sensitivity/regulated",
                "action|{'returnMetadata':{'sensitivity':{'Regulated':{'Scopes':['SOX']}}}}|/returnMetadata/sensitivity",
                "action|{'outcome':true}|/outcome",
                "action|{'outcome':['benign','meh']}|/outcome/1",
                "action|{'requiresReview':'yes'}|/requiresReview",
            })
    void badSample_isRefusedAtItsPlace(String schema, String text, String pointer) {
        List<Error> faults = faults(schema.equals("trust") ? TRUST : ACTION, JSON.readTree(text.replace('\'', '"')));
        assertFalse(faults.isEmpty());
        assertTrue(
                faults.stream()
                        .map(fault -> fault.getInstanceLocation().toString())
                        .anyMatch(at -> at.equals(pointer) || (pointer.equals("/") && at.isEmpty())),
                faults::toString);
    }
}
