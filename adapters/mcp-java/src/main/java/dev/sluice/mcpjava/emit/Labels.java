package dev.sluice.mcpjava.emit;

import dev.sluice.mcpjava.emit.PartLabel.Settled;
import dev.sluice.wire.Claim;
import dev.sluice.wire.EvidenceRef;
import dev.sluice.wire.IfcLabel;
import dev.sluice.wire.TrustAnnotations;
import dev.sluice.wire.VendorKeys;
import dev.sluice.wire.json.JsonPointers;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The label of a result: what {@code io.modelcontextprotocol/trust-annotations} says of the whole and of its parts. Not
 * for several threads.
 *
 * <pre>{@code
 * return Labels.of(result).sensitive().trusted().evidence(dataClass("personal")).build();
 * }</pre>
 *
 * <p>What is not said is no claim, and a client takes it for the worst. What a record or a part implies is claimed too:
 * a class that is not public and a private record make the result sensitive, an untrusted record or part makes it
 * untrusted, whether or not that was said. So does what stands in the result already: labels of its blocks and of what these
 * embed, and an {@code ifc} or the {@code annotations} of SEP-1913 beside this label. Whoever says the opposite gets an error
 * from {@link #build}, so that the result is not sent; which of the two is right only its author knows.
 *
 * @param <R> the SDK's type of results
 */
public final class Labels<R> {

    /** In an annotation: labels of parts of {@code structuredContent}, by JSON Pointers that start there. */
    public static final String ITEMS = VendorKeys.PREFIX + "items";

    private static final String STRUCTURED = "structuredContent";

    private final Outgoing<R> result;
    private final PartLabel whole = new PartLabel("the result");
    private final Map<Integer, PartLabel> blocks = new TreeMap<>();
    private final Map<String, PartLabel> items = new LinkedHashMap<>();
    private RecordStore store = RecordStore.INLINE;
    private boolean bareIfc;

    Labels(Outgoing<R> result) {
        this.result = result;
    }

    /** Begins the label of a result of the stack up to 2025-11-25. For the other stack see {@link ModernLabels}. */
    public static Labels<CallToolResult> of(CallToolResult result) {
        return new Labels<>(new LegacyOutgoing(result));
    }

    /**
     * Returns a {@code _meta} with a label, for what is no result of a tool: contents of a resource, content of a prompt.
     * Records stand in their references.
     *
     * @throws IllegalArgumentException where two statements contradict each other, or nothing is said
     */
    public static Map<String, Object> meta(Consumer<PartLabel> label) {
        PartLabel part = new PartLabel("the part");
        label.accept(part);
        Settled settled = part.settle(false, List.of(), false, false);
        Map<String, Object> meta = new LinkedHashMap<>();
        TrustAnnotations annotation = annotation(RecordStore.INLINE, settled, () -> noBinding("the part"), Map.of());
        meta.put(TrustAnnotations.KEY, PlainJson.map(annotation.encode()));
        return meta;
    }

    /** Says that the result must not be shown to everybody. */
    public Labels<R> sensitive() {
        whole.sensitive();
        return this;
    }

    /** Says that anybody may see the result. */
    public Labels<R> notSensitive() {
        whole.notSensitive();
        return this;
    }

    /** Says that somebody outside may have written what is in it. */
    public Labels<R> untrusted() {
        whole.untrusted();
        return this;
    }

    /** Says that nobody outside has written any of it. */
    public Labels<R> trusted() {
        whole.trusted();
        return this;
    }

    /** Adds a record of the whole; it is kept and referred to when the label is built. */
    public Labels<R> evidence(EvidenceRecord record) {
        whole.evidence(record);
        return this;
    }

    /** Adds a record of the scheme {@code ifc.fides.v1} that says what the two claims say, which must both be made. */
    public Labels<R> fides() {
        whole.fides();
        return this;
    }

    /**
     * Writes {@code _meta.ifc} too, as github-mcp-server does, for clients that read only that. Both claims must be made.
     */
    public Labels<R> bareIfc() {
        bareIfc = true;
        return this;
    }

    /** Says where records are kept; without this, in the references themselves. */
    public Labels<R> store(RecordStore records) {
        store = records;
        return this;
    }

    /**
     * Labels one content block.
     *
     * @param block which, from 0
     */
    public Labels<R> block(int block, Consumer<PartLabel> label) {
        label.accept(blocks.computeIfAbsent(block, i -> new PartLabel("block " + i)));
        return this;
    }

    /**
     * Labels one part of {@code structuredContent}. The drafts have no place for it, so it stands in the result's
     * annotation under {@link #ITEMS}; clients that don't know that have the label of the whole, which is never less.
     *
     * @param pointer which, a JSON Pointer that starts there, such as {@code /messages/0}
     */
    public Labels<R> item(String pointer, Consumer<PartLabel> label) {
        label.accept(items.computeIfAbsent(pointer, at -> new PartLabel("the item `" + at + "`")));
        return this;
    }

    /**
     * Returns the result with its label.
     *
     * @throws IllegalArgumentException where two statements contradict each other, nothing is said, a part is not there or
     *     has a label, or a record has no canonical form
     * @throws java.io.UncheckedIOException where a record can't be kept
     */
    public R build() {
        PresentLabels present = PresentLabels.read(result);
        Map<Integer, Settled> blockLabels = new TreeMap<>();
        blocks.forEach((i, label) -> blockLabels.put(
                i,
                label.settle(
                        false,
                        PresentLabels.beside(present.block(i)),
                        present.embedsSensitive(i),
                        present.embedsUntrusted(i))));
        Map<String, Settled> itemLabels = new LinkedHashMap<>();
        items.forEach((at, label) -> itemLabels.put(at, label.settle(false, List.of(), false, false)));
        List<Settled> parts = new ArrayList<>(blockLabels.values());
        parts.addAll(itemLabels.values());
        Settled label = whole.settle(
                !parts.isEmpty(),
                PresentLabels.beside(present.whole()),
                present.hasSensitivePart() || parts.stream().anyMatch(each -> each.sensitive() == Claim.TRUE),
                present.hasUntrustedPart() || parts.stream().anyMatch(each -> each.untrusted() == Claim.TRUE));
        Map<String, Object> meta = fresh(result.meta(), "the result");
        if (bareIfc) {
            whole.requireBoth("bareIfc()", label.sensitive(), label.untrusted());
            if (meta.containsKey(IfcLabel.KEY)) {
                throw new IllegalArgumentException("the result has an `ifc` of its own: leave `bareIfc()` out");
            }
        }
        Outgoing<R> labelled = result;
        for (Map.Entry<Integer, Settled> each : blockLabels.entrySet()) {
            labelled = labelBlock(labelled, each.getKey(), each.getValue());
        }
        Supplier<JsonNode> sent = labelled::tree;
        Map<String, JsonNode> others = itemLabels.isEmpty() ? Map.of() : Map.of(ITEMS, items(itemLabels));
        ObjectNode annotation = annotation(store, label, sent, others).encode();
        if (!annotation.isEmpty()) {
            meta.put(TrustAnnotations.KEY, PlainJson.map(annotation));
        }
        if (bareIfc) {
            Map<String, Object> ifc = new LinkedHashMap<>();
            ifc.put("integrity", PartLabel.integrity(label.untrusted()));
            ifc.put("confidentiality", PartLabel.confidentiality(label.sensitive()));
            meta.put(IfcLabel.KEY, ifc);
        }
        return meta.isEmpty() ? labelled.result() : labelled.withMeta(meta);
    }

    private Outgoing<R> labelBlock(Outgoing<R> labelled, int block, Settled label) {
        List<@Nullable Map<String, Object>> metas = labelled.blockMetas();
        if (block < 0 || block >= metas.size()) {
            throw new IllegalArgumentException(
                    "there is no block " + block + ": the result has " + metas.size() + ", counted from 0");
        }
        Map<String, Object> meta = fresh(metas.get(block), "block " + block);
        TrustAnnotations annotation = annotation(store, label, () -> noBinding("block " + block), Map.of());
        meta.put(TrustAnnotations.KEY, PlainJson.map(annotation.encode()));
        return labelled.withBlockMeta(block, meta);
    }

    private static JsonNode noBinding(String what) {
        throw new IllegalStateException("a record of " + what
                + " can't be bound by a signature, which is for a whole result: give the record to the"
                + " result, or keep it in another store");
    }

    private ObjectNode items(Map<String, Settled> labels) {
        JsonNode structured = result.tree().path(STRUCTURED);
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        labels.forEach((pointer, label) -> {
            if (!leads(structured, pointer)) {
                throw new IllegalArgumentException("the item `" + pointer
                        + "` leads to nothing in `structuredContent`: give a JSON Pointer that starts there");
            }
            String what = "the item `" + pointer + "`";
            object.set(
                    pointer,
                    annotation(store, label, () -> noBinding(what), Map.of()).encode());
        });
        return object;
    }

    private static boolean leads(JsonNode from, String pointer) {
        JsonPointers.tokens(pointer); // says what is wrong with one that is none
        return !from.at(pointer).isMissingNode();
    }

    private static TrustAnnotations annotation(
            RecordStore store, Settled label, Supplier<JsonNode> sent, Map<String, JsonNode> others) {
        List<EvidenceRef> references =
                label.records().stream().map(each -> store.keep(each, sent)).toList();
        return new TrustAnnotations(label.sensitive(), label.untrusted(), references, others);
    }

    private static Map<String, Object> fresh(@Nullable Map<String, Object> meta, String what) {
        Map<String, Object> copy = meta == null ? new LinkedHashMap<>() : new LinkedHashMap<>(meta);
        if (copy.containsKey(TrustAnnotations.KEY)) {
            throw new IllegalArgumentException(what + " has a label already: label it once");
        }
        return copy;
    }
}
