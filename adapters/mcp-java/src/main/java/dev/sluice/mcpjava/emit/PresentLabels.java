package dev.sluice.mcpjava.emit;

import dev.sluice.mcpjava.emit.PartLabel.Implied;
import dev.sluice.wire.Claim;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.IfcLabel;
import dev.sluice.wire.LegacyClaims;
import dev.sluice.wire.ResultAnnotations;
import dev.sluice.wire.ResultAnnotations.Block;
import dev.sluice.wire.TrustAnnotations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The labels that a result has already, whoever wrote them: its own, those of its blocks and of what these embed, and those
 * of parts of its structured content. Read as a client reads them, in every vocabulary.
 *
 * @param annotations all but those of the structured content
 * @param items those
 */
record PresentLabels(ResultAnnotations annotations, List<TrustAnnotations> items) {

    /** Reads them from the {@code _meta} of a result and its parts; nothing else of it is looked at. */
    static PresentLabels read(Outgoing<?> outgoing) {
        List<@Nullable Map<String, Object>> blocks = outgoing.blockMetas();
        List<@Nullable Map<String, Object>> embedded = outgoing.embeddedMetas();
        List<Map<String, @Nullable Object>> content = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Map<String, @Nullable Object> block = carrier(blocks.get(i));
            block.put("resource", carrier(embedded.get(i)));
            content.add(block);
        }
        Map<String, @Nullable Object> result = carrier(outgoing.meta());
        result.put("content", content);
        ResultAnnotations read =
                TrustAnnotations.decodeResult(PlainJson.tree(result)).value();
        List<TrustAnnotations> items = new ArrayList<>();
        JsonNode stated = read.result().others().getOrDefault(Labels.ITEMS, JsonNodeFactory.instance.missingNode());
        stated.forEach(each -> items.add(TrustAnnotations.decode(each).value()));
        return new PresentLabels(read, items);
    }

    private static Map<String, @Nullable Object> carrier(@Nullable Map<String, Object> meta) {
        Map<String, @Nullable Object> labels = new LinkedHashMap<>();
        if (meta != null) {
            // Only what can be a label: what else stands there may be anything that the server's own mapper writes.
            for (String key : List.of(TrustAnnotations.KEY, IfcLabel.KEY, LegacyClaims.KEY)) {
                if (meta.containsKey(key)) {
                    labels.put(key, meta.get(key));
                }
            }
        }
        Map<String, @Nullable Object> carrier = new LinkedHashMap<>();
        carrier.put("_meta", labels);
        return carrier;
    }

    /** Returns what the result says of the whole itself, its parts left aside. */
    Block whole() {
        return new Block("", annotations.result(), annotations.ifc(), annotations.legacy());
    }

    /** Returns what a block says of itself. */
    Block block(int block) {
        return annotations.blocks().stream()
                .filter(each -> each.pointer().equals(pointer(block)))
                .findFirst()
                .orElseGet(() -> new Block(pointer(block), TrustAnnotations.NONE));
    }

    private static String pointer(int block) {
        return "/content/" + block;
    }

    /** Returns whether anything in it is called sensitive. */
    boolean isSensitive() {
        return annotations.claims().sensitive() == Claim.TRUE
                || items.stream().anyMatch(each -> each.sensitive() == Claim.TRUE);
    }

    /** Returns whether anything in it is called untrusted. */
    boolean isUntrusted() {
        return annotations.claims().untrusted() == Claim.TRUE
                || items.stream().anyMatch(each -> each.untrusted() == Claim.TRUE);
    }

    /** Returns whether what lies in a block, or in all of them for the empty pointer, is called sensitive. */
    private boolean isSensitiveBelow(String pointer) {
        return annotations.blocks().stream()
                .anyMatch(each -> each.pointer().startsWith(pointer + "/") && sensitive(each) == Claim.TRUE);
    }

    private boolean isUntrustedBelow(String pointer) {
        return annotations.blocks().stream()
                .anyMatch(each -> each.pointer().startsWith(pointer + "/") && untrusted(each) == Claim.TRUE);
    }

    /** Returns whether a part of the result is called sensitive. */
    boolean hasSensitivePart() {
        return isSensitiveBelow("");
    }

    /** Returns whether a part of the result is called untrusted. */
    boolean hasUntrustedPart() {
        return isUntrustedBelow("");
    }

    /** Returns whether what a block embeds is called sensitive. */
    boolean embedsSensitive(int block) {
        return isSensitiveBelow(pointer(block));
    }

    /** Returns whether what a block embeds is called untrusted. */
    boolean embedsUntrusted(int block) {
        return isUntrustedBelow(pointer(block));
    }

    /** Returns what one carrier says in any of the vocabularies. */
    static Claim sensitive(Block carrier) {
        return carrier.annotations()
                .sensitive()
                .or(carrier.ifc().sensitive())
                .or(carrier.legacy().sensitive());
    }

    /** Returns what one carrier says in any of the vocabularies. */
    static Claim untrusted(Block carrier) {
        return carrier.annotations()
                .untrusted()
                .or(carrier.ifc().untrusted())
                .or(carrier.legacy().untrusted());
    }

    /** Returns whether the result says of itself in one vocabulary that it is not sensitive. */
    boolean deniesSensitive() {
        return annotations.result().sensitive() == Claim.FALSE
                || annotations.ifc().sensitive() == Claim.FALSE;
    }

    /** Returns whether the result says of itself in one vocabulary that it is trusted. */
    boolean deniesUntrusted() {
        return annotations.result().untrusted() == Claim.FALSE
                || annotations.ifc().untrusted() == Claim.FALSE;
    }

    /** Returns what the other vocabularies of a carrier say, which a label beside them must not contradict. */
    static List<Implied> beside(Block carrier) {
        return List.of(
                new Implied(
                        "`" + IfcLabel.KEY + "`",
                        carrier.ifc().sensitive(),
                        carrier.ifc().untrusted()),
                new Implied(
                        "`" + LegacyClaims.KEY + "`",
                        carrier.legacy().sensitive(),
                        carrier.legacy().untrusted()));
    }

    /** Returns the references to records of the whole and of all parts. */
    List<EvidenceRef> evidence() {
        List<EvidenceRef> all = new ArrayList<>(annotations.claims().evidence());
        items.forEach(each -> all.addAll(each.evidence()));
        return all;
    }
}
