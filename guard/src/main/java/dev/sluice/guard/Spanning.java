package dev.sluice.guard;

import dev.sluice.guard.provenance.Stretch;
import dev.sluice.labels.Confidentiality;
import dev.sluice.labels.DataClass;
import dev.sluice.labels.Integrity;
import dev.sluice.labels.Label;
import dev.sluice.policy.Returns;
import dev.sluice.policy.SpanRule;
import dev.sluice.policy.SpanSearch;
import dev.sluice.wire.json.JsonPointers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Finds the spans of one answer, and what they are: what the text around them is, and what the operator adds. Grants are
 * applied to the text around, never to what is added.
 */
final class Spanning {

    /** Words of MCP: kinds of content, and who speaks. */
    private static final Set<String> WORDS =
            Set.of("text", "image", "audio", "resource", "resource_link", "user", "assistant");

    private final Ticket ticket;
    private final SpanSearch search;
    private Label found = Label.BOTTOM;
    private Label added = Label.BOTTOM;

    Spanning(Ticket ticket) {
        this.ticket = ticket;
        List<SpanRule> rules = Stream.concat(
                        ticket.upstream().policy().defaults().spans().stream(), ticket.returns().spans().stream())
                .toList();
        this.search =
                new SpanSearch(rules, ticket.arguments(), ticket.upstream().name(), ticket.principal());
    }

    boolean isIdle() {
        return search.isIdle();
    }

    /** Returns the join of all spans found so far. */
    Label found() {
        return found;
    }

    /** Returns the join of what was added in all of them. */
    Label added() {
        return added;
    }

    /** Returns why spans are labelled more strictly than their rules say, for people. */
    List<String> findings() {
        return search.findings();
    }

    /**
     * Looks through the texts of a document.
     *
     * @param items the items in it, by their pointers
     * @param around what is said of all that is no part
     * @param stays whether what a part says more of is not taken out anyhow: spans are told apart only there
     * @param parts what is said of its parts; gets those that go as a whole, since half a number is another number
     * @param spans gets the texts that have spans
     */
    void look(
            JsonNode root,
            Map<String, JsonNode> items,
            Part around,
            Predicate<Part> stays,
            Map<String, Part> parts,
            Spans spans) {
        new Look(items, Set.of(), stays, parts, spans, false).at(root, "", around, MissingNode.getInstance());
    }

    /**
     * Looks through what stands around the documents of a message, or through a message without any.
     *
     * @param not the pointers to what was looked through already
     */
    void lookBeside(
            JsonNode root, Set<String> not, Part around, Predicate<Part> stays, Map<String, Part> parts, Spans spans) {
        new Look(Map.of(), not, stays, parts, spans, true).at(root, "", around, MissingNode.getInstance());
    }

    private final class Look {
        private final Map<String, JsonNode> items;
        private final Set<String> not;
        private final Predicate<Part> stays;
        private final Map<String, Part> parts;
        private final Spans spans;
        private final boolean beside;

        Look(
                Map<String, JsonNode> items,
                Set<String> not,
                Predicate<Part> stays,
                Map<String, Part> parts,
                Spans spans,
                boolean beside) {
            this.items = items;
            this.not = not;
            this.stays = stays;
            this.parts = parts;
            this.spans = spans;
            this.beside = beside;
        }

        void at(JsonNode node, String pointer, Part nearest, JsonNode nearestItem) {
            if (not.contains(pointer)) {
                return;
            }
            Part own = parts.getOrDefault(pointer, nearest);
            JsonNode item = items.getOrDefault(pointer, nearestItem);
            if (node.isArray()) {
                for (int i = 0; i < node.size(); i++) {
                    at(node.path(i), pointer + "/" + i, own, item);
                }
            } else if (node.isObject()) {
                node.forEachEntry((name, value) -> {
                    String at = pointer + JsonPointers.step(name);
                    if (!Pruning.PLAIN.matcher(name).matches()) {
                        name(name, at, parts.getOrDefault(at, own), item);
                    }
                    at(value, at, own, item);
                });
            } else if ((node.isString() && !isWordOfMcp(node, pointer)) || node.isNumber()) {
                Optional<Spanned> found = of(node.asString(""), own.label(), item);
                if (found.isPresent() && stays.test(own)) {
                    spans.put(pointer, found.get());
                    if (node.isNumber()) {
                        parts.put(pointer, raised(own, found.get()));
                    }
                }
            }
        }

        private void name(String name, String at, Part member, JsonNode item) {
            Optional<Spanned> found = of(name, member.label(), item);
            if (found.isPresent() && stays.test(member)) {
                parts.put(at, raised(member, found.get()));
                spans.putName(at, found.get().label());
            }
        }

        /** What the protocol itself asks for is nobody's text. */
        private boolean isWordOfMcp(JsonNode node, String pointer) {
            return beside
                    && WORDS.contains(node.stringValue())
                    && (pointer.endsWith("/type") || pointer.endsWith("/role"));
        }
    }

    private static Part raised(Part part, Spanned found) {
        boolean same = found.label().integrity() == part.label().integrity();
        return new Part("", found.label(), part.vouched() && same, part.named() && same);
    }

    /**
     * Returns a text with its spans; empty where none adds anything.
     *
     * @param around what the text is without them
     * @param item the item it stands in; missing where it stands in none
     */
    private Optional<Spanned> of(String text, Label around, JsonNode item) {
        if (isIdle()) {
            return Optional.empty();
        }
        List<Stretch> all = new ArrayList<>();
        for (SpanSearch.Found each : search.find(text, item)) {
            Label more = added(each.said(), item);
            added = added.join(more);
            all.add(new Stretch(each.from(), each.to(), joined(around, more)));
        }
        all.removeIf(each -> each.label().equals(around));
        all.sort(Comparator.comparingInt(Stretch::from));
        List<Stretch> apart = new ArrayList<>();
        for (Stretch each : all) {
            Stretch last = apart.isEmpty() ? null : apart.get(apart.size() - 1);
            if (last == null || each.from() >= last.to()) {
                apart.add(each);
            } else {
                apart.set(
                        apart.size() - 1,
                        new Stretch(
                                last.from(),
                                Math.max(last.to(), each.to()),
                                last.label().join(each.label())));
            }
        }
        apart.forEach(each -> found = found.join(each.label()));
        return apart.isEmpty() ? Optional.empty() : Optional.of(new Spanned(text, around, apart));
    }

    private Label added(Returns said, JsonNode item) {
        Returns.Privacy privacy = said.confidentiality();
        return new Label(
                said.integrity() == Integrity.UNTRUSTED ? Integrity.UNTRUSTED : Integrity.TRUSTED,
                privacy == null
                        ? Confidentiality.PUBLIC
                        : privacy.of(ticket.upstream().name(), ticket.own(), item),
                said.classes() == null ? new TreeSet<>() : new TreeSet<>(said.classes()));
    }

    /** Private data of which nobody named a class is unclassified, as everywhere. */
    private static Label joined(Label around, Label more) {
        Label both = around.join(more);
        if (both.confidentiality().isPublic() || !both.classes().isEmpty()) {
            return both;
        }
        SortedSet<DataClass> classes = new TreeSet<>(List.of(DataClass.UNCLASSIFIED));
        return new Label(both.integrity(), both.confidentiality(), classes);
    }
}
