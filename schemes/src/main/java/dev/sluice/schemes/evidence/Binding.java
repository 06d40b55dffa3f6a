package dev.sluice.schemes.evidence;

import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.canonical.JcsCanonicalizer;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.MalformedJsonException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What ties a record to the data it speaks of; the payload of an {@link Envelope}.
 *
 * <p>A record alone holds only what its scheme says, and can be put beside any data.
 *
 * @param type the type of the record
 * @param record the digest of the record
 * @param content the digest of the result without its {@code _meta}, in the canonical form of the record
 * @param source the name of whoever vouches
 * @param issuedAt when
 */
record Binding(String type, Digest record, Digest content, String source, Instant issuedAt) {

    /** What an envelope with a binding calls its payload. */
    static final String PAYLOAD_TYPE = "application/vnd.sluice.evidence-binding.v1+json";

    private static final List<String> MEMBERS = List.of("type", "record", "content", "source", "issuedAt");

    byte[] encode() {
        ObjectNode node = JsonNodeFactory.instance
                .objectNode()
                .put("type", type)
                .put("record", record.text())
                .put("content", content.text())
                .put("source", source)
                .put("issuedAt", issuedAt.toString());
        return JcsCanonicalizer.canonicalize(node);
    }

    /**
     * Reads a binding.
     *
     * @throws IllegalArgumentException where it is none: members that this version does not know are refused too, since
     *     they could narrow what is said
     */
    static Binding decode(byte[] payload) {
        JsonNode node = tree(payload);
        Set<String> names =
                node.properties().stream().map(each -> each.getKey()).collect(Collectors.toSet());
        boolean texts = MEMBERS.stream().allMatch(each -> node.path(each).isString());
        if (!names.equals(Set.copyOf(MEMBERS)) || !texts) {
            throw new IllegalArgumentException("a binding has just the strings " + String.join(", ", MEMBERS));
        }
        try {
            return new Binding(
                    node.path("type").stringValue(),
                    new Digest(node.path("record").stringValue()),
                    new Digest(node.path("content").stringValue()),
                    node.path("source").stringValue(),
                    Instant.parse(node.path("issuedAt").stringValue()));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "`issuedAt` of a binding is no time: write it as 2026-01-31T12:00:00Z", e);
        }
    }

    private static JsonNode tree(byte[] payload) {
        try {
            return JsonIndex.parse(payload).root().tree();
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("a binding is no JSON: " + e.getMessage(), e);
        }
    }
}
