package dev.sluice.guard;

import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.policy.ItemRule;
import dev.sluice.policy.LabelledField;
import dev.sluice.policy.LabelledItem;
import dev.sluice.policy.Returns;
import dev.sluice.schemes.Labelling;
import dev.sluice.schemes.Statement;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.JsonPointers;
import dev.sluice.wire.json.MalformedJsonException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An answer with the labels of its parts.
 *
 * <p>Where the operator states items, each has a label of its own, and so have its fields; what belongs to no item has the
 * label of the whole, which is the join of all. A text that repeats the structured content adds nothing; any other text
 * that can't be matched to items has the label of the whole.
 *
 * @param labelling the whole, without what the call carried
 * @param label the whole, with what the call carried
 * @param parts every text in the answer
 * @param cut whether the answer has more texts than those
 * @param problems what the operator's rules could not be applied to, for people
 */
record Labelled(Labelling labelling, Label label, List<Part> parts, boolean cut, List<String> problems) {

    /** Texts of an answer past this many are not remembered. */
    private static final int MOST_PARTS = 20_000;

    /** What an answer has besides its data. */
    private static final Set<String> KNOWN = Set.of("_meta", "structuredContent", "content", "isError");

    /** A name that a program would give a member, too short to tell a model what to do. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,31}");

    /**
     * Labels an answer.
     *
     * @param error the error in its place, whose texts have the label of the whole
     * @param granting what somebody answers for
     */
    static Labelled of(Ticket ticket, JsonNode content, JsonNode error, List<Statement> statements, Granting granting) {
        return new Making(ticket, content, error, statements, granting).labelled();
    }

    /**
     * What items were looked for in.
     *
     * @param parts what is said of it, by JSON Pointer: small numbers are one node wherever they stand, so nodes are no keys
     */
    private record Document(JsonNode root, Map<String, Part> parts) {

        Document(JsonNode root) {
            this(root, new HashMap<>());
        }
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
        private @Nullable Label items;
        private boolean rest;
        private boolean cut;

        Making(Ticket ticket, JsonNode content, JsonNode error, List<Statement> statements, Granting granting) {
            this.granting = granting;
            this.ticket = ticket;
            this.content = content;
            this.error = error;
            this.statements = statements;
            this.structured = content.path("structuredContent");
        }

        Labelled labelled() {
            Labelling whole = labelling(ticket.returns());
            boolean ofItems = ticket.returns().items() != null || structured.isMissingNode();
            Label label = granting.apply(joined(whole.label(), ticket.returns()), ofItems ? null : structured);
            List<Document> documents = documents();
            documents.forEach(document -> items(document, documents.size() == 1));
            if (items != null) {
                documents.forEach(this::lookForRest);
                lookForRestAround();
                label = rest ? label.join(items) : items;
                whole = new Labelling(label, whole.untrustedSaid(), whole.sensitiveSaid(), whole.ignored());
            }
            for (Document document : documents) {
                rememberDocument(document, label);
            }
            rememberTexts(documents, label);
            remember(error, label);
            return new Labelled(whole, label, parts, cut, problems);
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
            if (rule == null) {
                return List.of();
            }
            if (!structured.isMissingNode()) {
                return List.of(new Document(structured));
            }
            List<Document> documents = new ArrayList<>();
            for (JsonNode block : content.path("content")) {
                Optional<JsonNode> parsed = block.path("text").isString()
                        ? rule.parse(block.path("text").stringValue())
                        : Optional.empty();
                parsed.ifPresent(root -> documents.add(new Document(root)));
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
            boolean chosen = ticket.chosen() && only && found.size() == 1;
            for (LabelledItem item : found) {
                problems.addAll(item.findings());
                Label label = granted(item, joined(labelling(item.returns()).label(), item.returns()));
                document.parts.put(item.pointer(), new Part("", label, false));
                for (LabelledField field : item.fields()) {
                    Label own = granted(item, joined(labelling(field.returns()).label(), field.returns()));
                    document.parts.put(field.pointer(), new Part("", own, field.vouched(), field.vouched() && chosen));
                    label = label.join(own);
                }
                items = items.join(label);
            }
        }

        /** Nobody answers for an item of which it is not known what it is. */
        private Label granted(LabelledItem item, Label label) {
            return item.findings().isEmpty() ? granting.apply(label, item.value()) : label;
        }

        /** Is there any text that belongs to no item? */
        private void lookForRest(Document document) {
            each(document.root, "", document.parts, null, (text, part) -> rest |= part == null);
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
            rest |= content.propertyNames().stream().anyMatch(name -> !KNOWN.contains(name));
        }

        private void remember(JsonNode node, Label label) {
            each(node, "", Map.of(), new Part("", label, false), this::add);
        }

        private void rememberDocument(Document document, Label label) {
            each(document.root, "", document.parts, new Part("", label, false), this::add);
        }

        /** Visits the texts, numbers and names under {@code node} with the part that is nearest above. */
        private void each(
                JsonNode node,
                String pointer,
                Map<String, Part> parts,
                @Nullable Part nearest,
                BiConsumer<String, @Nullable Part> visitor) {
            Part own = parts.getOrDefault(pointer, nearest);
            if (node.isString()) {
                visitor.accept(node.stringValue(), own);
            } else if (node.isNumber()) {
                visitor.accept(node.asString(), own);
            } else if (node.isArray()) {
                int i = 0;
                for (JsonNode element : node) {
                    each(element, pointer + "/" + i++, parts, own, visitor);
                }
            } else {
                node.forEachEntry((name, value) -> {
                    String below = pointer + JsonPointers.step(name);
                    if (!PLAIN.matcher(name).matches()) {
                        visitor.accept(name, parts.getOrDefault(below, own));
                    }
                    each(value, below, parts, own, visitor);
                });
            }
        }

        private void add(String text, @Nullable Part like) {
            if (like == null || text.isBlank()) {
                return;
            }
            if (parts.size() < MOST_PARTS) {
                parts.add(new Part(text, like.label(), like.vouched(), like.named()));
            } else {
                cut = true;
            }
        }

        /** Everything but the structured content and what was read as items. */
        private void rememberTexts(List<Document> documents, Label label) {
            if (documents.isEmpty() && !structured.isMissingNode()) {
                remember(structured, label);
            }
            if (!content.isObject()) {
                remember(content, label);
                return;
            }
            content.forEachEntry((name, value) -> {
                if (name.equals("content") && value.isArray()) {
                    value.forEach(block -> rememberBlock(block, documents, label));
                } else if (!name.equals("structuredContent")) {
                    remember(value, label);
                }
            });
        }

        private void rememberBlock(JsonNode block, List<Document> documents, Label label) {
            JsonNode text = block.path("text");
            ItemRule rule = ticket.returns().items();
            boolean read = rule != null
                    && text.isString()
                    && (structured.isMissingNode()
                            ? rule.parse(text.stringValue()).isPresent()
                            : isMirror(text.stringValue()));
            if (!read || documents.isEmpty()) {
                remember(block, label);
                return;
            }
            block.forEachEntry((name, value) -> {
                if (!name.equals("text")) {
                    remember(value, label);
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
