package dev.sluice.schemes;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The shipped JSON Schemas, and what they say of documents. */
public final class JsonSchemas {

    /** The names of all of them. */
    public static final List<String> NAMES = List.of(
            "data-class.v1", "evidence-binding.v1", "ifc.fides.v1", "policy-decision", "sequence", "vocabulary");

    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private JsonSchemas() {}

    /** Returns the text of a schema. */
    public static JsonNode text(String name) {
        try (InputStream in = Objects.requireNonNull(
                Schemes.class.getResourceAsStream("schema/" + name + ".json"), "no schema `" + name + "`")) {
            return JsonMapper.shared().readTree(in.readAllBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the faults of a document, each as its place and the keyword that it offends; empty for a valid one. */
    public static List<String> faults(String name, JsonNode document) {
        return faults(REGISTRY.getSchema(text(name)), document);
    }

    /** Returns the faults of a schema itself. */
    public static List<String> faultsOfSchema(String name) {
        return faults(
                REGISTRY.getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema")), text(name));
    }

    private static List<String> faults(Schema schema, JsonNode document) {
        return schema.validate(document).stream()
                .map(each -> each.getInstanceLocation() + " " + each.getKeyword())
                .distinct()
                .sorted()
                .toList();
    }
}
