package dev.sluice.schemes.evidence;

import dev.sluice.wire.canonical.Canonicalization;
import dev.sluice.wire.canonical.CanonicalizationException;
import dev.sluice.wire.canonical.Digest;
import dev.sluice.wire.json.JsonIndex;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NumericNode;
import tools.jackson.databind.node.ObjectNode;

/** The bytes that evidence is made over, from trees. */
final class CanonicalBytes {

    private static final String META = "_meta";

    /** As deep as {@link JsonIndex} reads. */
    private static final int DEEPEST = 256;

    private CanonicalBytes() {}

    /**
     * Returns the JSON text of a tree.
     *
     * @throws CanonicalizationException where it has none: a string holds half a surrogate pair, a number is not finite, or
     *     it is nested deeper than {@value #DEEPEST} levels
     */
    static byte[] json(JsonNode node) {
        check(node, 0);
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

    private static void check(JsonNode node, int depth) {
        if (depth > DEEPEST) {
            throw new CanonicalizationException("it is nested deeper than " + DEEPEST + " levels: make it flatter");
        }
        if (node instanceof NumericNode number && number.isNaN()) {
            // Jackson would write it as a string, which is another value.
            throw new CanonicalizationException("a number is not finite, which JSON has no form for: write a string");
        }
        for (JsonNode each : node) {
            check(each, depth + 1);
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
