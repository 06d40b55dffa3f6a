package dev.sluice.schemes.evidence;

import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Digest;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The bytes that evidence is made over, from trees. */
final class CanonicalBytes {

    private static final String META = "_meta";

    private CanonicalBytes() {}

    /**
     * Returns the JSON text of a tree.
     *
     * @throws CanonicalizationException where a string holds half a surrogate pair, which has no bytes
     */
    static byte[] json(JsonNode node) {
        try {
            // A new encoder reports what it can't encode; String.getBytes would write a question mark for it.
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(node.toString()));
            byte[] exact = new byte[bytes.remaining()];
            bytes.get(exact);
            return exact;
        } catch (CharacterCodingException e) {
            throw new CanonicalizationException(
                    "a string holds half a surrogate pair, which has no bytes: write whole characters");
        }
    }

    /**
     * Returns the digest of a result without its own {@code _meta}, which is where the evidence stands.
     *
     * @throws CanonicalizationException where the result has no canonical form
     */
    static Digest content(JsonNode result, Canonicalization form) {
        JsonNode bare = result;
        if (result instanceof ObjectNode object && object.has(META)) {
            ObjectNode copy = object.objectNode();
            object.forEachEntry((name, value) -> {
                if (!name.equals(META)) {
                    copy.set(name, value);
                }
            });
            bare = copy;
        }
        return Digest.sha256(form.canonicalize(json(bare)));
    }
}
