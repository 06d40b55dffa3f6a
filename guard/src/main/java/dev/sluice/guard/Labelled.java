// This file has more than 400 lines because the label of a part and its fate are made in one walk over the answer.
package dev.sluice.guard;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.policy.ItemRule;
import dev.sluice.policy.LabelledField;
import dev.sluice.policy.LabelledItem;
import dev.sluice.policy.Redaction;
import dev.sluice.policy.Returns;
import dev.sluice.schemes.Labelling;
import dev.sluice.schemes.Statement;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * An answer with the labels of its parts.
 *
 * <p>Where the operator states items, each has a label of its own, and so have its fields; what belongs to no item has the
 * label of the whole, which is the join of all. A text that repeats the structured content adds nothing; any other text
 * that can't be matched to items has the label of the whole.
 *
 * <p>Parts that the agent must not see are taken out, and then all this is of what is left.
 *
 * @param before the whole as the server said it, with what the call carried, before anything was taken out
 * @param labelling the whole, without what the call carried
 * @param label the whole, with what the call carried
 * @param parts every text in the answer
 * @param cut whether the answer has more texts than those
 * @param problems what the operator's rules could not be applied to, for people
 * @param edits how parts are taken out
 */
record Labelled(
        Label before,
        Labelling labelling,
        Label label,
        List<Part> parts,
        boolean cut,
        List<String> problems,
        List<Edit> edits) {

    /** Texts of an answer past this many are not remembered. */
    private static final int MOST_PARTS = 20_000;

    /** What an answer has besides its data. */
    private static final Set<String> KNOWN = Set.of("_meta", "structuredContent", "content", "isError");

    private static final Set<String> PLAIN_BLOCK = Set.of("type", "text");

    /** Ends what stands for the name of the member at a pointer; no pointer ends so. */
    private static final String NAME = "~name";

    /** No item has this pointer. */
    private static final String NONE = "none";

    /** What is shorter calls nothing by its name. */
    private static final int SHORTEST_KEY = 4;

    /** What is said of an answer of which nothing is left. */
    private static final Labelling BARE = new Labelling(Label.BOTTOM, false, false, List.of());

    /**
     * Labels an answer.
     *
     * @param error the error in its place, whose texts have the label of the whole
     * @param granting what somebody answers for
     */
    static Labelled of(
            Ticket ticket,
            JsonNode content,
            JsonNode error,
            List<Statement> statements,
            Fates fates,
            Granting granting) {
        return new Making(ticket, content, error, statements, fates, granting).labelled();
    }

    /**
     * What items were looked for in.
     *
     * @param block which content block it stands in; -1 for the structured content
     * @param parts what is said of it, by JSON Pointer: small numbers are one node wherever they stand, so nodes are no keys
     * @param items its items, likewise
     * @param spans what is said of stretches of its texts
     */
    private record Document(
            JsonNode root, int block, Map<String, Part> parts, Map<String, JsonNode> items, Spans spans) {

        Document(JsonNode root, int block) {
            this(root, block, new HashMap<>(), new HashMap<>(), new Spans());
        }

        /** Returns the texts that stand in no document, of the result or of an error. */
        static Document around(JsonNode root) {
            return new Document(root, -1);
        }
    }

    /** Takes note of a text, number or name. */
    private interface Visitor {
        void visit(String pointer, String text, @Nullable Part part);
    }

    private static final class Making {

        private final Ticket ticket;
        private final JsonNode content;
        private final JsonNode error;
        private final List<Statement> statements;
        private final Granting granting;
        private final JsonNode structured;
        private final List<Part> parts = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        private final Fates fates;
        private final KnownShape shape;
        private final AnswerEdits edits;
        private final Spanning spanning;
        private final Document beside;
        private Label kept = Label.BOTTOM;
        private Label spans = Label.BOTTOM;
        private @Nullable Label items;
        private @Nullable Redaction taken;
        private Part around = new Part("", Label.BOTTOM, false);
        private Fate fate = Fate.KEPT;
        private boolean rest;
        private boolean cut;

        Making(
                Ticket ticket,
                JsonNode content,
                JsonNode error,
                List<Statement> statements,
                Fates fates,
                Granting granting) {
            this.granting = granting;
            this.fates = fates;
            this.shape = fates.hidden().isEmpty()
                    ? new KnownShape()
                    : KnownShape.of(
                            ticket.upstream().approvedOutput(ticket.name()),
                            ticket.returns().items());
            this.spanning = new Spanning(ticket);
            this.beside = Document.around(error.isMissingNode() ? content : error);
            this.edits = new AnswerEdits(ticket, content, fates, shape, beside.spans);
            this.ticket = ticket;
            this.content = content;
            this.error = error;
            this.statements = statements;
            // In whatever else it is a member like any other.
            this.structured = ticket.isOfTool() ? content.path("structuredContent") : MissingNode.getInstance();
        }

        Labelled labelled() {
            Labelling whole = labelling(ticket.returns());
            boolean ofItems = ticket.returns().items() != null || structured.isMissingNode();
            boolean asOne = !granting.isIdle() && !ofItems && isNothingButStructured();
            Label label = granting.apply(joined(whole.label(), ticket.returns()), asOne ? structured : null);
            List<Document> documents = documents();
            documents.forEach(document -> items(document, documents.size() == 1));
            if (items != null) {
                documents.forEach(this::lookForRest);
                lookForRestAround();
                label = rest ? label.join(items) : items;
                whole = new Labelling(label, whole.untrustedSaid(), whole.sensitiveSaid(), whole.ignored());
            }
            around = new Part("", label, false);
            fate = fates.of(label);
            if (fate.rule() == null && taken != null) {
                fate = Fate.redacted(taken); // what stands around a part may say it again
            }
            lookForSpans(documents);
            takeOut(documents, label.join(spanning.found()));
            Label before = label.join(spanning.found());
            if (edits.isBroken()) {
                return new Labelled(before, BARE, Label.BOTTOM, List.of(), false, problems, edits.edits());
            }
            documents.forEach(this::rememberDocument);
            rememberTexts(documents);
            remember(error, "");
            Label left = (fate.isKept() && (items == null || rest) ? label : kept).join(spans);
            Labelling said = new Labelling(
                    whole.label().join(spanning.added()),
                    (whole.untrustedSaid() || spanning.added().integrity() == Integrity.UNTRUSTED)
                            && left.integrity() == Integrity.UNTRUSTED,
                    (whole.sensitiveSaid()
                                    || !spanning.added().confidentiality().isPublic())
                            && !left.confidentiality().isPublic(),
                    whole.ignored());
            return new Labelled(before, said, left, parts, cut, problems, edits.edits());
        }

        /** Spans are told apart in what stays; what goes anyhow has them in its label only. */
        private void lookForSpans(List<Document> documents) {
            if (spanning.isIdle()) {
                return;
            }
            boolean whole = ticket.returns().items() == null;
            Set<String> elsewhere = new HashSet<>();
            for (Document document : documents) {
                elsewhere.add(document.block < 0 ? "/structuredContent" : "/content/" + document.block + "/text");
                if (whole) {
                    document.items.put("", document.root);
                }
                spanning.look(document.root, document.items, around, this::stays, document.parts, document.spans);
            }
            JsonNode all = content.path("content");
            for (int i = 0; i < all.size() && !structured.isMissingNode(); i++) {
                if (all.path(i).path("text").isString() && isMirror(text(all, i))) {
                    elsewhere.add("/content/" + i + "/text");
                }
            }
            spanning.lookBeside(beside.root, elsewhere, around, this::stays, beside.parts, beside.spans);
            problems.addAll(spanning.findings());
        }

        @SuppressWarnings("ReferenceEquality") // a part may be like the whole and yet not be it
        private boolean stays(Part part) {
            return (part == around ? fate : fates.of(part.label())).rule() == null;
        }

        private void takeOut(List<Document> documents, Label all) {
            if (fates.isIdle()) {
                return;
            }
            Set<Integer> blocks = prune(documents);
            if (fate.isKept()) {
                edits.inside(
                        new Pruning(beside.root, beside.parts, around, fate, fates, new KnownShape(), beside.spans));
            } else if (documents.isEmpty()) {
                edits.everything(fate, around, error);
            } else {
                edits.around(fate, around, blocks);
            }
            edits.tell(fate, new Part("", all, false), blocks);
        }

        /** Prunes the documents, and returns which content blocks repeat one or are one. */
        private Set<Integer> prune(List<Document> documents) {
            Set<Integer> blocks = new HashSet<>();
            for (Document document : documents) {
                Pruning pruning =
                        new Pruning(document.root, document.parts, around, fate, fates, shape, document.spans);
                JsonNode all = content.path("content");
                if (document.block >= 0) {
                    blocks.add(document.block);
                    edits.text(document.block, text(all, document.block), format(), pruning);
                    continue;
                }
                edits.structured(
                        pruning,
                        () -> new Pruning(
                                        document.root,
                                        document.parts,
                                        around,
                                        fate.hidden() ? Fate.KEPT : fate,
                                        fates.withoutHiding(),
                                        shape,
                                        document.spans)
                                .left());
                for (int i = 0; i < all.size(); i++) {
                    if (all.path(i).path("text").isString() && isMirror(text(all, i))) {
                        blocks.add(i);
                        edits.text(i, text(all, i), ItemRule.Format.JSON, pruning);
                    }
                }
            }
            return blocks;
        }

        private static String text(JsonNode blocks, int i) {
            return blocks.path(i).path("text").stringValue();
        }

        private ItemRule.Format format() {
            ItemRule rule = ticket.returns().items();
            return rule != null && rule.format() == ItemRule.Format.JSON ? ItemRule.Format.JSON : ItemRule.Format.YAML;
        }

        private Labelling labelling(Returns returns) {
            return Labelling.of(ticket.upstream().base(returns, ticket.own(), structured), statements, ticket.own());
        }

        /** An operator who says who wrote an answer says so of what the call put into it too. */
        private Label joined(Label label, Returns returns) {
            if (!ticket.derives()) {
                return label;
            }
            Label carried = ticket.carried();
            return label.join(
                    returns.integrity() == null
                            ? carried
                            : new Label(Integrity.TRUSTED, carried.confidentiality(), carried.classes()));
        }

        /** Returns what items are looked for in: the structured content, else texts of the stated format. */
        private List<Document> documents() {
            ItemRule rule = ticket.returns().items();
            if (!structured.isMissingNode() && (rule != null || fates.hidden().isPresent() || !spanning.isIdle())) {
                return List.of(new Document(structured, -1));
            }
            if (rule == null) {
                return List.of();
            }
            List<Document> documents = new ArrayList<>();
            int i = -1;
            for (JsonNode block : content.path("content")) {
                i++;
                int place = i;
                Optional<JsonNode> parsed = block.path("text").isString()
                        ? rule.parse(block.path("text").stringValue())
                        : Optional.empty();
                parsed.ifPresent(root -> documents.add(new Document(root, place)));
                if (parsed.isEmpty()) {
                    rest = true;
                }
            }
            return documents;
        }

        private void items(Document document, boolean only) {
            ItemRule rule = ticket.returns().items();
            if (rule == null) {
                return;
            }
            items = items == null ? Label.BOTTOM : items;
            List<LabelledItem> found = rule.apply(
                    document.root, ticket.arguments(), ticket.upstream().name(), ticket.principal());
            String chosen = ticket.chosen() && only ? chosen(found) : NONE;
            for (LabelledItem item : found) {
                problems.addAll(item.findings());
                Label label = granted(item, label(item.returns()));
                document.parts.put(item.pointer(), new Part("", label, false));
                document.items.put(item.pointer(), item.value());
                keep(label);
                for (LabelledField field : item.fields()) {
                    Label own = granted(item, label(field.returns()));
                    document.parts.put(
                            field.pointer(),
                            new Part(
                                    "",
                                    own,
                                    field.vouched(),
                                    field.vouched() && item.pointer().equals(chosen)));
                    keep(own);
                    label = label.join(own);
                }
                items = items.join(label);
            }
        }

        /**
         * Returns the pointer of the item that the user chose with a call of which the user named every argument: the only
         * item, else the only one that has an argument of the call as the whole of a member. That member must be one that
         * no outsider wrote, and no member of any other item may read the same, whoever wrote that.
         */
        private String chosen(List<LabelledItem> found) {
            if (found.size() == 1) {
                return found.get(0).pointer();
            }
            Set<String> keys = new HashSet<>();
            each(ticket.arguments(), "", Map.of(), null, (at, text, part) -> keys.add(text));
            String chosen = NONE;
            int called = 0;
            for (LabelledItem item : found) {
                List<Boolean> same = new ArrayList<>();
                Map<String, Part> own = new HashMap<>();
                own.put(item.pointer(), new Part("", label(item.returns()), false));
                item.fields()
                        .forEach(field ->
                                own.put(field.pointer(), new Part("", label(field.returns()), field.vouched())));
                each(item.value(), item.pointer(), own, null, (at, text, part) -> {
                    if (text.length() >= SHORTEST_KEY && keys.contains(text)) {
                        same.add(part != null && (part.vouched() || part.label().integrity() == Integrity.TRUSTED));
                    }
                });
                if (!same.isEmpty()) {
                    called++;
                    chosen = same.contains(true) ? item.pointer() : NONE;
                }
            }
            return called == 1 ? chosen : NONE;
        }

        private Label label(Returns returns) {
            return joined(labelling(returns).label(), returns);
        }

        private void keep(Label label) {
            Fate own = fates.of(label);
            if (own.isKept()) {
                kept = kept.join(label);
            }
            taken = taken == null ? own.rule() : taken;
        }

        /** Nobody answers for an item of which it is not known what it is. */
        private Label granted(LabelledItem item, Label label) {
            return item.findings().isEmpty() ? granting.apply(label, item.value()) : label;
        }

        /** Is there any text that belongs to no item? */
        private void lookForRest(Document document) {
            each(document.root, "", document.parts, null, (at, text, part) -> rest |= part == null);
        }

        /** Texts beside the structured content that do not repeat it are nobody's item, and so is what is no text. */
        private void lookForRestAround() {
            for (JsonNode block : content.path("content")) {
                JsonNode text = block.path("text");
                rest |= !text.isString()
                        || (!structured.isMissingNode()
                                && !text.stringValue().isBlank()
                                && !isMirror(text.stringValue()));
            }
            rest |= !isOfKnownMembers();
        }

        /** What is true of the structured content says nothing of what stands beside it. */
        private boolean isNothingButStructured() {
            for (JsonNode block : content.path("content")) {
                JsonNode text = block.path("text");
                if (!PLAIN_BLOCK.containsAll(block.propertyNames())
                        || !text.isString()
                        || !(text.stringValue().isBlank() || isMirror(text.stringValue()))) {
                    return false;
                }
            }
            return isOfKnownMembers() && !content.has("_meta");
        }

        /** That a result is one says nothing, in the words of the protocol. */
        private boolean isOfKnownMembers() {
            return content.propertyNames().stream()
                    .allMatch(name -> KNOWN.contains(name)
                            || (name.equals("resultType")
                                    && content.path(name).asString("").equals("complete")));
        }

        private void remember(JsonNode node, String pointer) {
            each(node, pointer, beside.parts, around, (at, text, part) -> add(beside, at, text, part));
        }

        private void rememberDocument(Document document) {
            each(document.root, "", document.parts, around, (at, text, part) -> add(document, at, text, part));
        }

        /** Visits the texts, numbers and names under {@code node} with the part that is nearest above. */
        private void each(
                JsonNode node, String pointer, Map<String, Part> parts, @Nullable Part nearest, Visitor visitor) {
            Part own = parts.getOrDefault(pointer, nearest);
            if (node.isString()) {
                visitor.visit(pointer, node.stringValue(), own);
            } else if (node.isNumber()) {
                visitor.visit(pointer, node.asString(), own);
            } else if (node.isArray()) {
                int i = 0;
                for (JsonNode element : node) {
                    each(element, pointer + "/" + i++, parts, own, visitor);
                }
            } else {
                node.forEachEntry((name, value) -> {
                    String below = pointer + JsonPointers.step(name);
                    if (!Pruning.PLAIN.matcher(name).matches()) {
                        visitor.visit(below + NAME, name, parts.getOrDefault(below, own));
                    }
                    each(value, below, parts, own, visitor);
                });
            }
        }

        @SuppressWarnings("ReferenceEquality") // a part may be like the whole and yet not be it
        private void add(Document document, String pointer, String text, @Nullable Part like) {
            if (like == null || text.isBlank()) {
                return;
            }
            if (!(like == around ? fate : fates.of(like.label())).isKept()) {
                return;
            }
            Optional<Spanned> spanned = document.spans.at(pointer);
            Part part = spanned.map(found -> found.part(fates, like))
                    .orElseGet(() -> new Part(text, like.label(), like.vouched(), like.named()));
            if (spanned.isPresent() || document.spans.isNamed(unnamed(pointer))) {
                spans = spans.join(part.label());
            }
            if (parts.size() < MOST_PARTS) {
                parts.add(part);
            } else {
                cut = true;
            }
        }

        private static String unnamed(String pointer) {
            return pointer.endsWith(NAME) ? pointer.substring(0, pointer.length() - NAME.length()) : pointer;
        }

        /** Everything but the structured content and what was read as items. */
        private void rememberTexts(List<Document> documents) {
            if (documents.isEmpty() && !structured.isMissingNode()) {
                remember(structured, "/structuredContent");
            }
            if (!content.isObject()) {
                remember(content, "");
                return;
            }
            content.forEachEntry((name, value) -> {
                String at = JsonPointers.step(name);
                if (name.equals("content") && value.isArray()) {
                    for (int i = 0; i < value.size(); i++) {
                        rememberBlock(value.path(i), at + "/" + i, documents);
                    }
                } else if (!name.equals("structuredContent") || structured.isMissingNode()) {
                    remember(value, at);
                }
            });
        }

        private void rememberBlock(JsonNode block, String pointer, List<Document> documents) {
            JsonNode text = block.path("text");
            ItemRule rule = ticket.returns().items();
            boolean read = text.isString()
                    && (structured.isMissingNode()
                            ? rule != null && rule.parse(text.stringValue()).isPresent()
                            : (rule != null || !spanning.isIdle()) && isMirror(text.stringValue()));
            if (!read || documents.isEmpty()) {
                remember(block, pointer);
                return;
            }
            block.forEachEntry((name, value) -> {
                if (!name.equals("text")) {
                    remember(value, pointer + JsonPointers.step(name));
                }
            });
        }

        /** Many servers repeat the structured content as JSON in a text. */
        private boolean isMirror(String text) {
            try {
                return JsonIndex.parse(text.getBytes(StandardCharsets.UTF_8))
                        .root()
                        .tree()
                        .equals(structured);
            } catch (MalformedJsonException e) {
                return false;
            }
        }
    }
}
