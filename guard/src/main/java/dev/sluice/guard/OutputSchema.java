package dev.sluice.guard;

import com.google.re2j.Pattern;
import com.networknt.schema.OutputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a tool says of its structured answers (JSON Schema 2020-12 unless it names another draft).
 *
 * <p>It is the server's: nothing is fetched for it, and its patterns run in linear time. Nothing of the validator is loaded
 * before the first one is asked.
 */
final class OutputSchema {

    private final @Nullable Schema schema;

    OutputSchema(JsonNode text) {
        Schema made;
        try {
            SchemaRegistryConfig config = SchemaRegistryConfig.builder()
                    .regularExpressionFactory(pattern -> {
                        Pattern compiled = Pattern.compile(pattern);
                        return value -> compiled.matcher(value).find();
                    })
                    .build();
            made = SchemaRegistry.withDefaultDialect(
                            SpecificationVersion.DRAFT_2020_12, registry -> registry.schemaRegistryConfig(config))
                    .getSchema(text);
        } catch (RuntimeException e) {
            made = null;
        }
        schema = made;
    }

    /** Returns whether {@code value} fits; a schema that can't be applied is fitted by nothing. */
    boolean fits(JsonNode value) {
        try {
            return schema != null && schema.validate(value, OutputFormat.BOOLEAN);
        } catch (RuntimeException e) { // such as a reference to nowhere, or a pattern that RE2 lacks
            return false;
        }
    }
}
