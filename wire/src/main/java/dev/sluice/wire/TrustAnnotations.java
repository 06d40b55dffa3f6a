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
    private static final Set<String> KNOWN = Set.of("sensitive", "untrusted", EVIDENCE, VendorKeys.EVIDENCE);

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
     * Reads all annotations of a result, in every vocabulary: its own and those of its blocks, in {@code content}
     * (tools/call), {@code contents} (resources/read) and {@code messages} (prompts/get), embedded resources and nested
     * blocks included. What a result asks the client for ({@code inputRequests}) counts as blocks of it, and so does the
     * result of a task ({@code result}), with the blocks of that.
     */
    public static Decoded<ResultAnnotations> decodeResult(JsonNode result) {
        Decoding decoding = new Decoding();
        ResultAnnotations.Block own = in(result, "", decoding).orElseGet(() -> new ResultAnnotations.Block("", NONE));
        List<ResultAnnotations.Block> blocks = new ArrayList<>();
        for (String name : List.of("content", "contents", "messages")) {
            parts(result, name, "", decoding, blocks);
        }
        requested(result, "", decoding, blocks);
        JsonNode ofTask = result.get("result");
        if (ofTask != null) {
            nested(ofTask, "/result", decoding, blocks);
            requested(ofTask, "/result", decoding, blocks);
        }
        return decoding.result(new ResultAnnotations(own.annotations(), own.ifc(), own.legacy(), blocks));
    }

    private static void requested(
            JsonNode result, String pointer, Decoding decoding, List<ResultAnnotations.Block> blocks) {
        JsonNode requests = result.get("inputRequests");
        if (requests != null) {
            requests.forEachEntry((key, request) -> nested(
                    request.path("params"),
                    pointer + "/inputRequests" + JsonPointers.step(key) + "/params",
                    decoding,
                    blocks));
        }
    }

    private static void nested(
            JsonNode holder, String pointer, Decoding decoding, List<ResultAnnotations.Block> blocks) {
        if (!holder.isObject()) {
            return;
        }
        in(holder, pointer, decoding).ifPresent(blocks::add);
        for (String name : List.of("content", "contents", "messages")) {
            parts(holder, name, pointer, decoding, blocks);
        }
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
                in(part, at, decoding).ifPresent(blocks::add);
                parts(part, "resource", at, decoding, blocks);
                parts(part, "content", at, decoding, blocks);
            }
            i++;
        }
    }

    /** Reads the three vocabularies of one carrier; empty where it has none of them. */
    private static Optional<ResultAnnotations.Block> in(JsonNode carrier, String pointer, Decoding decoding) {
        Optional<ObjectNode> meta = decoding.carrier(carrier, META, pointer);
        String at = pointer + JsonPointers.step(META);
        Optional<JsonNode> own = meta.map(object -> object.get(KEY));
        Optional<JsonNode> ifc = meta.map(object -> object.get(IfcLabel.KEY));
        Optional<JsonNode> legacy = meta.map(object -> object.get(LegacyClaims.KEY));
        if (own.isEmpty() && ifc.isEmpty() && legacy.isEmpty()) {
            return Optional.empty();
        }
        TrustAnnotations annotations = own.map(found -> decode(found, at + JsonPointers.step(KEY), decoding))
                .orElse(NONE);
        String ifcAt = at + JsonPointers.step(IfcLabel.KEY);
        IfcLabel label =
                ifc.map(found -> IfcLabel.decode(found, ifcAt, decoding)).orElse(IfcLabel.NONE);
        decoding.conflict("untrusted", annotations.untrusted, label.untrusted(), ifcAt);
        decoding.conflict("sensitive", annotations.sensitive, label.sensitive(), ifcAt);
        return Optional.of(new ResultAnnotations.Block(
                pointer,
                annotations,
                label,
                legacy.map(found -> LegacyClaims.decode(found, at + JsonPointers.step(LegacyClaims.KEY), decoding))
                        .orElse(LegacyClaims.NONE)));
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
        List<EvidenceRef> found = new ArrayList<>();
        for (String name : List.of(EVIDENCE, VendorKeys.EVIDENCE)) {
            JsonNode member = annotation.get(name);
            if (member != null) {
                evidence(name, member, pointer + JsonPointers.step(name), decoding, found);
            }
        }
        return found;
    }

    private static void evidence(
            String name, JsonNode member, String place, Decoding decoding, List<EvidenceRef> found) {
        int i = 0;
        for (JsonNode node : member.isArray() ? member : List.of(member)) {
            String at = member.isArray() ? place + "/" + i : place;
            if (node instanceof ObjectNode object) {
                found.add(EvidenceRef.decode(object, at, decoding));
            } else {
                decoding.report(
                        Code.NOT_AN_OBJECT,
                        at,
                        "`" + name + "` holds `" + Decoding.shown(node)
                                + "`, which is no reference: write an object with `type`; left out");
            }
            i++;
        }
    }

    /**
     * Returns the annotation object, without what is absent: the first reference in the one slot that the draft gives,
     * further ones in an array of ours.
     */
    public ObjectNode encode() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        if (sensitive != Claim.ABSENT) {
            object.put("sensitive", sensitive == Claim.TRUE);
        }
        if (untrusted != Claim.ABSENT) {
            object.put("untrusted", untrusted == Claim.TRUE);
        }
        if (!evidence.isEmpty()) {
            object.set(EVIDENCE, evidence.get(0).encode());
        }
        if (evidence.size() > 1) {
            ArrayNode further = object.putArray(VendorKeys.EVIDENCE);
            evidence.stream().skip(1).forEach(one -> further.add(one.encode()));
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
