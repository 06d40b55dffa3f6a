package dev.sluice.wire;

import dev.sluice.wire.Finding.Code;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server claims about a result or a part of it ({@code io.modelcontextprotocol/trust-annotations}).
 *
 * @param sensitive whether it must not be shown to everybody
 * @param untrusted whether somebody outside may have written it
 * @param evidence references to records that support the claims
 * @param others members that this version does not know, kept as they are
 */
public record TrustAnnotations(
        Claim sensitive, Claim untrusted, List<EvidenceRef> evidence, Map<String, JsonNode> others) {

    /** The key in {@code _meta}. */
    public static final String KEY = "io.modelcontextprotocol/trust-annotations";

    /** No claim at all. */
    public static final TrustAnnotations NONE = new TrustAnnotations(Claim.ABSENT, Claim.ABSENT, List.of(), Map.of());

    private static final String META = "_meta";
    private static final String EVIDENCE = "evidenceRef";
    private static final Set<String> KNOWN = Set.of("sensitive", "untrusted", EVIDENCE);

    /**
     * Takes copies of the list and of the other members.
     *
     * @throws IllegalArgumentException where one of the others has a known name
     */
    public TrustAnnotations {
        evidence = List.copyOf(evidence);
        others = Decoding.copyOfOthers(others, KNOWN);
    }

    /** Reads the annotation object itself, the value of {@link #KEY}. What is no object claims the worst of both. */
    public static Decoded<TrustAnnotations> decode(JsonNode annotation) {
        Decoding decoding = new Decoding();
        return decoding.result(decode(annotation, "", decoding));
    }

    /**
     * Reads all annotations of a result: its own and those of its blocks, in {@code content} (tools/call), {@code
     * contents} (resources/read) and {@code messages} (prompts/get), embedded resources and nested blocks included.
     */
    public static Decoded<ResultAnnotations> decodeResult(JsonNode result) {
        Decoding decoding = new Decoding();
        TrustAnnotations own = in(result, "", decoding).orElse(NONE);
        List<ResultAnnotations.Block> blocks = new ArrayList<>();
        for (String name : List.of("content", "contents", "messages")) {
            parts(result, name, "", decoding, blocks);
        }
        return decoding.result(new ResultAnnotations(own, blocks));
    }

    /** Reads what lies in a member that is one block or a list of them, and in the blocks inside those. */
    private static void parts(
            JsonNode parent, String name, String pointer, Decoding decoding, List<ResultAnnotations.Block> blocks) {
        JsonNode member = parent.get(name);
        if (member == null) {
            return;
        }
        String place = pointer + JsonPointers.step(name);
        int i = 0;
        for (JsonNode part : member.isArray() ? member : List.of(member)) {
            if (part.isObject()) {
                String at = member.isArray() ? place + "/" + i : place;
                in(part, at, decoding).ifPresent(found -> blocks.add(new ResultAnnotations.Block(at, found)));
                parts(part, "resource", at, decoding, blocks);
                parts(part, "content", at, decoding, blocks);
            }
            i++;
        }
    }

    private static Optional<TrustAnnotations> in(JsonNode carrier, String pointer, Decoding decoding) {
        return decoding.carrier(carrier, META, pointer)
                .map(meta -> meta.get(KEY))
                .map(found -> decode(found, pointer + JsonPointers.step(META) + JsonPointers.step(KEY), decoding));
    }

    private static TrustAnnotations decode(JsonNode annotation, String pointer, Decoding decoding) {
        if (!annotation.isObject()) {
            decoding.notAnObject(KEY, annotation, pointer);
            return new TrustAnnotations(Claim.TRUE, Claim.TRUE, List.of(), Map.of());
        }
        return new TrustAnnotations(
                decoding.claim(annotation, "sensitive", Claim.TRUE, pointer),
                decoding.claim(annotation, "untrusted", Claim.TRUE, pointer),
                evidence(annotation, pointer, decoding),
                Decoding.others(annotation, KNOWN));
    }

    /** The drafts give one slot for one object, and also say that two schemes may be given: an array is read too. */
    private static List<EvidenceRef> evidence(JsonNode annotation, String pointer, Decoding decoding) {
        JsonNode member = annotation.get(EVIDENCE);
        if (member == null) {
            return List.of();
        }
        String place = pointer + JsonPointers.step(EVIDENCE);
        List<EvidenceRef> found = new ArrayList<>();
        int i = 0;
        for (JsonNode node : member.isArray() ? member : List.of(member)) {
            String at = member.isArray() ? place + "/" + i : place;
            if (node instanceof ObjectNode object) {
                found.add(EvidenceRef.decode(object, at, decoding));
            } else {
                decoding.report(
                        Code.NOT_AN_OBJECT,
                        at,
                        "`" + EVIDENCE + "` holds `" + Decoding.shown(node)
                                + "`, which is no reference: write an object with `type`; left out");
            }
            i++;
        }
        return found;
    }

    /** Returns the annotation object: one reference as an object, several as an array, no member that is absent. */
    public ObjectNode encode() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        if (sensitive != Claim.ABSENT) {
            object.put("sensitive", sensitive == Claim.TRUE);
        }
        if (untrusted != Claim.ABSENT) {
            object.put("untrusted", untrusted == Claim.TRUE);
        }
        if (evidence.size() == 1) {
            object.set(EVIDENCE, evidence.get(0).encode());
        } else if (!evidence.isEmpty()) {
            ArrayNode array = object.putArray(EVIDENCE);
            evidence.forEach(one -> array.add(one.encode()));
        }
        others.forEach((name, value) -> object.set(name, value.deepCopy()));
        return object;
    }

    /**
     * Writes the annotation into {@code _meta} of a result or block, in the place of one that is there. Without any
     * claim the key is taken out. A {@code _meta} that is no object is replaced.
     */
    public void writeTo(ObjectNode carrier) {
        ObjectNode object = encode();
        if (object.isEmpty()) {
            if (carrier.get(META) instanceof ObjectNode meta) {
                meta.remove(KEY);
            }
            return;
        }
        Members.object(carrier, META).set(KEY, object);
    }
}
