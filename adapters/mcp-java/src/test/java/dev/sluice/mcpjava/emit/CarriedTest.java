package dev.sluice.mcpjava.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.wire.Claim;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a caller carries, as a handler reads it. */
class CarriedTest {

    private static Carried from(Object annotations) {
        return Carried.from(new CallToolRequest("t", Map.of(), Map.of("annotations", annotations)));
    }

    @Test
    void silence_isNeitherYesNorNo() {
        Carried nothing = new Carried(Claim.ABSENT, Claim.ABSENT, List.of(), List.of());

        assertEquals(
                nothing,
                Carried.from(CallToolRequest.builder("t").arguments(Map.of()).build()));
        assertEquals(nothing, Carried.from(Map.of()));
        assertEquals(nothing, from(Map.of()));
    }

    @Test
    void eitherHint_saysThatItIsSensitive() {
        assertEquals(Claim.TRUE, from(Map.of("privateHint", true)).sensitive());
        assertEquals(Claim.TRUE, from(Map.of("sensitiveHint", "low")).sensitive());
        assertEquals(
                Claim.TRUE,
                from(Map.of("sensitiveHint", "medium", "privateHint", false)).sensitive());
        assertEquals(Claim.FALSE, from(Map.of("privateHint", false)).sensitive());
    }

    @Test
    void originAndPlaces_areRead() {
        Carried carried = from(Map.of("openWorldHint", true, "attribution", List.of("https://a.example", "mcp://b")));

        assertEquals(Claim.TRUE, carried.untrusted());
        assertEquals(List.of("https://a.example", "mcp://b"), carried.attribution());
        assertEquals(Claim.FALSE, from(Map.of("openWorldHint", false)).untrusted());
    }

    @Test
    void whatIsMalformed_countsAsTheValueThatRaises() {
        Carried carried = from(Map.of("openWorldHint", "yes", "sensitiveHint", 3));

        assertEquals(Claim.TRUE, carried.untrusted());
        assertEquals(Claim.TRUE, carried.sensitive());
        assertEquals(2, carried.findings().size());
        assertTrue(carried.findings().get(0).pointer().startsWith("/_meta/annotations/"), carried.toString());
        assertEquals(Claim.TRUE, from("all of it").untrusted());
    }
}
