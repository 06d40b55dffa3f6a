package dev.sluice.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Metadata of any tool is read without an exception, and what was read and written again is read as the same. */
final class ActionMetadataFuzzTest {

    @FuzzTest
    void decodeTool(byte[] bytes) {
        FuzzedJson.tree(bytes).ifPresent(tool -> {
            FuzzedJson.value(LegacyHints.decodeTool(tool));
            ActionMetadata read = FuzzedJson.value(ActionMetadata.decodeTool(tool));
            ObjectNode written = JsonNodeFactory.instance.objectNode();
            read.writeTo(written);
            ActionMetadata again = FuzzedJson.value(ActionMetadata.decodeTool(written));
            assertEquals(read, again);
            assertEquals(read.widestDestination(), again.widestDestination());
            assertEquals(read.leastTrustedSource(), again.leastTrustedSource());
            assertEquals(read.gravestOutcome(), again.gravestOutcome());
            assertEquals(read.acceptedSensitivity(), again.acceptedSensitivity());
            assertEquals(read.returnedSensitivity(), again.returnedSensitivity());
        });
    }
}
