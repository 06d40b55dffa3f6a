package dev.sluice.wire;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The four hints of an MCP tool, as stated; MCP's own defaults for missing ones are not filled in here.
 *
 * @param readOnly {@code readOnlyHint}: a call changes nothing
 * @param destructive {@code destructiveHint}: a call may destroy something
 * @param idempotent {@code idempotentHint}: a second equal call changes nothing more
 * @param openWorld {@code openWorldHint}: a call may reach outside
 */
public record LegacyHints(Claim readOnly, Claim destructive, Claim idempotent, Claim openWorld) {

    /** No hint. */
    public static final LegacyHints NONE = new LegacyHints(Claim.ABSENT, Claim.ABSENT, Claim.ABSENT, Claim.ABSENT);

    private static final String CARRIER = "annotations";

    /** Reads {@code annotations} of a tool; a malformed hint counts as the one that allows less. */
    public static Decoded<LegacyHints> decodeTool(JsonNode tool) {
        Decoding decoding = new Decoding();
        String at = "/" + CARRIER;
        return decoding.result(decoding.carrier(tool, CARRIER, "")
                .map(hints -> new LegacyHints(
                        decoding.claim(hints, "readOnlyHint", Claim.FALSE, at),
                        decoding.claim(hints, "destructiveHint", Claim.TRUE, at),
                        decoding.claim(hints, "idempotentHint", Claim.FALSE, at),
                        decoding.claim(hints, "openWorldHint", Claim.TRUE, at)))
                .orElse(NONE));
    }

    /** Writes the stated hints into {@code annotations} of a tool, and takes the others out. */
    public void writeTo(ObjectNode tool) {
        if (equals(NONE) && !(tool.get(CARRIER) instanceof ObjectNode)) {
            return;
        }
        ObjectNode hints = Members.object(tool, CARRIER);
        write(hints, "readOnlyHint", readOnly);
        write(hints, "destructiveHint", destructive);
        write(hints, "idempotentHint", idempotent);
        write(hints, "openWorldHint", openWorld);
    }

    private static void write(ObjectNode hints, String name, Claim claim) {
        if (claim == Claim.ABSENT) {
            hints.remove(name);
        } else {
            hints.put(name, claim == Claim.TRUE);
        }
    }
}
