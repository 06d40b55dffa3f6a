package dev.sluice.examples.mail;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the server says about itself on the wire: {@code io.modelcontextprotocol/action-metadata} of a tool and
 * {@code io.modelcontextprotocol/trust-annotations} of a result, both as a {@code _meta} map.
 *
 * <p>Action metadata belongs into a tool's {@code annotations}. The SDK's record for these drops members that it does not
 * know, so the {@code _meta} mirror is the only place that reaches the client.
 */
final class Annotations {

    static final String ACTION_METADATA = "io.modelcontextprotocol/action-metadata";
    static final String TRUST_ANNOTATIONS = "io.modelcontextprotocol/trust-annotations";

    private Annotations() {}

    /** Both extensions, for the capabilities: switched on, without settings (SEP-2133). */
    static Map<String, Map<String, Object>> extensions() {
        Map<String, Map<String, Object>> extensions = new LinkedHashMap<>();
        extensions.put(TRUST_ANNOTATIONS, Map.of());
        extensions.put(ACTION_METADATA, Map.of());
        return extensions;
    }

    /** For a tool that reads and changes nothing: its input stays nowhere. */
    static Map<String, Object> reads(String source, Object sensitivity) {
        return actionMetadata("ephemeral", "none", "benign", source, sensitivity);
    }

    /** For a tool that sends its input to anybody, which nobody can take back, and returns a receipt. */
    static Map<String, Object> sends(Object accepts) {
        return actionMetadata("public", accepts, "irreversible", "system", "none");
    }

    /** What a result holds: private data, and text that somebody outside has written. */
    static Map<String, Object> trust(boolean sensitive, boolean untrusted) {
        Map<String, Object> claim = new LinkedHashMap<>();
        claim.put("sensitive", sensitive);
        claim.put("untrusted", untrusted);
        return Map.of(TRUST_ANNOTATIONS, claim);
    }

    /** Two data classes of SEP-2061: about persons, and about the user. */
    static List<String> personal() {
        return List.of("pii", "user");
    }

    // The outcome stands in both places: SEP-2061 has it in inputMetadata, the extension at the top.
    private static Map<String, Object> actionMetadata(
            String destination, Object accepts, String outcome, String source, Object returns) {
        Map<String, Object> input = new LinkedHashMap<>();
        input.put("destination", destination);
        input.put("sensitivity", accepts);
        input.put("outcomes", outcome);
        Map<String, Object> output = new LinkedHashMap<>();
        output.put("source", source);
        output.put("sensitivity", returns);
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("inputMetadata", input);
        metadata.put("returnMetadata", output);
        metadata.put("outcome", outcome);
        return Map.of(ACTION_METADATA, metadata);
    }
}
